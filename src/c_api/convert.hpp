// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/context.hpp"
#include "sgemm/sgemm.h"

#include <cstddef>
#include <cstring>
#include <vector>

namespace sgemm::c_api {

// C's values as those of C++. They throw ArgumentError for what is no value of its type.

/// Throws ArgumentError if `given`, the struct_bytes of an argument, is not from this version of the library or
/// an earlier one.
void check_struct_bytes(const char* argument, std::size_t given, std::size_t known);

/// Writes as much of a result as the caller's version of its structure has.
template <class Result>
void write_result(const char* argument, Result result, Result* to) {
    check_struct_bytes(argument, to->struct_bytes, sizeof result);
    result.struct_bytes = to->struct_bytes;
    std::memcpy(to, &result, result.struct_bytes);
}

/// `given` may be null, which is an error.
Problem problem_of(const sgemm_problem* given);
/// `options` may be null: the defaults.
ContextOptions context_options_of(const sgemm_context_options* options);
PlanOptions plan_options_of(const sgemm_plan_options& options);
std::vector<cl_event> wait_list_of(cl_uint count, const cl_event* list);
/// Null: the caller wants no event.
inline Completion completion_of(const cl_event* done) {
    return done != nullptr ? Completion::event : Completion::in_queue;
}

} // namespace sgemm::c_api
