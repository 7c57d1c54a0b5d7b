// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/handles.hpp"
#include "sgemm/opencl.hpp"

#include <string>

namespace libsgemm::device {

/// A fixed-size property of a device, context, queue, ...; throws OpenClError.
template <class Value, class Object, class Query>
Value get(Query query, Object object, cl_uint property, const char* call) {
    Value value{};
    check(query(object, property, sizeof value, &value, nullptr), call);
    return value;
}

/// A property that older or odd platforms may not know: `fallback` then.
template <class Value, class Object, class Query>
Value get_or(Query query, Object object, cl_uint property, Value fallback) {
    Value value{};
    return query(object, property, sizeof value, &value, nullptr) == CL_SUCCESS ? value : fallback;
}

/// CL_COMPLETE without an event, or where it cannot be asked; negative: the command failed.
inline cl_int status_of(const EventHandle& event) {
    return event ? get_or<cl_int>(clGetEventInfo, event.get(), CL_EVENT_COMMAND_EXECUTION_STATUS,
                                  CL_COMPLETE)
                 : CL_COMPLETE;
}

inline bool is_complete(cl_event event) {
    return get<cl_int>(clGetEventInfo, event, CL_EVENT_COMMAND_EXECUTION_STATUS,
                       "clGetEventInfo") == CL_COMPLETE;
}

/// A text property without its terminating zero; throws OpenClError.
template <class Object, class Query>
std::string get_text(Query query, Object object, cl_uint property, const char* call) {
    std::size_t size = 0;
    check(query(object, property, 0, nullptr, &size), call);
    std::string text(size, '\0');
    check(query(object, property, size, text.data(), nullptr), call);
    const auto end = text.find('\0');
    return end == std::string::npos ? text : text.substr(0, end);
}

} // namespace libsgemm::device
