// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/context.hpp"
#include "sgemm/sgemm.h"

#include <vector>

namespace sgemm::c_api {

// C's values as those of C++. They throw ArgumentError for what is no value of its type.

/// `problem` may be null, which is an error.
Problem problem_of(const sgemm_problem* problem);
/// `options` may be null: the defaults.
ContextOptions context_options_of(const sgemm_context_options* options);
PlanOptions plan_options_of(const sgemm_plan_options& options);
std::vector<cl_event> wait_list_of(cl_uint count, const cl_event* list);

} // namespace sgemm::c_api
