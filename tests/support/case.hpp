// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/expert.hpp"
#include "sgemm/problem.hpp"
#include "support/values.hpp"

#include <cstdint>
#include <iosfwd>
#include <string>

namespace sgemm_test {

/// One call with all that its outcome depends on. Prints itself.
struct Case {
    libsgemm::Problem problem;
    float alpha = 1.0F;
    float beta = 0.0F;
    std::int64_t offset_a = 0;
    std::int64_t offset_b = 0;
    std::int64_t offset_c = 0;
    Values values = Values::uniform;
    std::uint64_t seed = 1;
    libsgemm::ExpertPlanOptions options; ///< `offset_alignment` follows from the offsets
};

std::ostream& operator<<(std::ostream& out, const Case& test_case);

/// The command that runs the current test again with the same random numbers.
std::string repro_line();

/// Added to the seeds of all cases: SGEMM_TEST_SEED, or 0.
std::uint64_t base_seed();

/// Largest power of two, at most 64, that divides all offsets.
std::int64_t offset_alignment(const Case& test_case);

/// A square-ish problem in column-major order without gaps: the start of most hand-written cases.
Case plain_case(std::int64_t m, std::int64_t n, std::int64_t k);

} // namespace sgemm_test
