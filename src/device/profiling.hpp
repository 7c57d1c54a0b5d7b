// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/query.hpp"

namespace libsgemm::device {

/// When a completed command of a queue with profiling started and ended, in nanoseconds of the
/// device's clock.
struct Span {
    cl_ulong start = 0;
    cl_ulong end = 0;

    double seconds() const { return end > start ? 1e-9 * static_cast<double>(end - start) : 0; }
};

/// Throws OpenClError.
inline Span span_of(cl_event event) {
    const auto read = [event](cl_profiling_info which) {
        return get<cl_ulong>(clGetEventProfilingInfo, event, which, "clGetEventProfilingInfo");
    };
    return {read(CL_PROFILING_COMMAND_START), read(CL_PROFILING_COMMAND_END)};
}

/// Seconds from the start of `first` to the end of `last`; throws OpenClError.
inline double seconds_over(cl_event first, cl_event last) {
    return 1e-9 * static_cast<double>(span_of(last).end - span_of(first).start);
}

} // namespace libsgemm::device
