// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tune/worker/trial_runner.hpp"

#include <string>
#include <vector>

namespace libsgemm::tune {

/// One build of a row, as the planner may ask for it, and shapes to check it at.
struct VerificationCase {
    Variant variant;
    bool transpose_a = false;
    bool transpose_b = false;
    std::vector<Shape> shapes;
};

/// What a row must get right before a table may hold it: all storage forms that the kernel takes,
/// all ways to meet edges with and without split-K and narrow loads, and for kernels that meet
/// edges themselves every remainder that m, n and k can leave. Each pair of choices occurs in some
/// build; not each triple.
std::vector<VerificationCase> verification_cases(const catalog::KernelEntry& kernel,
                                                 const catalog::Parameters& parameters);

/// A part of a row's cases: every `parts`-th from number `part`. Several workers share a
/// verification.
struct Part {
    int part = 0;
    int parts = 1;
    int shapes_per_case = 0; ///< spread over the case's; 0: all of them
};

/// Checks a row at them, beta == 0 and beta != 0 alternately. Stops at the first failure; the
/// message names the shape. `shapes` becomes the number of shapes that were checked.
TrialResult verify_row(TrialRunner& runner, const std::string& kernel,
                       const catalog::Parameters& parameters, Part part, std::size_t& shapes,
                       const StageListener& listener = {});

} // namespace libsgemm::tune
