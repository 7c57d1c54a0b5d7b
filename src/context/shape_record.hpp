// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "problem/canonical_problem.hpp"
#include "support/log.hpp"

#include <atomic>
#include <string>

namespace libsgemm::detail {

/// Adds a problem to a file of shapes, as `sgemm-tune --shapes` reads it, unless the file has it or
/// exact choices are not kept for such a problem. Nor what is less aligned than its leading
/// dimensions: a shape cannot say so, and its choice would be another problem's; that is a warning
/// unless `warned`. A file that cannot be written is one, too.
void record_shape(const std::string& file, const validate::CanonicalProblem& problem,
                  const support::Log& log, std::atomic<bool>& warned);

} // namespace libsgemm::detail
