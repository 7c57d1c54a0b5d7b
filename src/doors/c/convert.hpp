// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/context.hpp"
#include "sgemm/error.hpp"
#include "sgemm/expert.hpp"
#include "sgemm/sgemm.h"

#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace libsgemm::c_api {

// C's values as those of C++. They throw ArgumentError for what is no value of its type.

/// The sizes that a structure had in releases, the earliest first. Who appends a member appends a
/// size, too: earlier ones are offsets of members then. Nothing ends in padding, which a member to
/// come would read.
template <class Structure>
inline constexpr std::array<std::size_t, 1> released_sizes{sizeof(Structure)};

/// Throws ArgumentError if `given`, the struct_bytes of an argument, is none of its structure's
/// sizes.
void check_struct_bytes(const char* argument, std::size_t given,
                        std::span<const std::size_t> released);

/// Writes as much of a result as the caller's version of its structure has.
template <class Result>
void write_result(const char* argument, Result result, Result* to) {
    check_struct_bytes(argument, to->struct_bytes, released_sizes<Result>);
    result.struct_bytes = to->struct_bytes;
    std::memcpy(to, &result, result.struct_bytes);
}

/// `count` values from `first` on; none where that is null.
template <class Value>
std::vector<Value> values_of(const char* argument, const Value* first, std::size_t count) {
    if (first == nullptr) {
        return {};
    }
    std::vector<Value> values;
    if (count > values.max_size()) { // `first + count` would wrap around
        throw ArgumentError(argument, std::to_string(count), "must fit in memory");
    }
    values.assign(first, first + count);
    return values;
}

Layout layout_of(sgemm_layout layout);
/// `name`: the argument, for an error.
Transpose transpose_of(const char* name, sgemm_transpose transpose);
/// `given` may be null, which is an error.
Problem problem_of(const sgemm_problem* given);
/// `options` may be null: the defaults.
ContextOptions context_options_of(const sgemm_context_options* options);
ExpertPlanOptions plan_options_of(const sgemm_plan_options& options);
std::vector<cl_event> wait_list_of(cl_uint count, const cl_event* list);
/// Null: the caller wants no event.
inline Completion completion_of(const cl_event* done) {
    return done != nullptr ? Completion::event : Completion::in_queue;
}

} // namespace libsgemm::c_api
