// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "problem/canonical_problem.hpp"
#include "support/log.hpp"

#include <string>

namespace libsgemm::detail {

/// Adds a problem to a file of shapes, as `sgemm-tune --shapes` reads it, unless the file has it or
/// exact choices are not kept for such a problem. A file that cannot be written is a warning.
void record_shape(const std::string& file, const validate::CanonicalProblem& problem,
                  const support::Log& log);

} // namespace libsgemm::detail
