// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/problem.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace libsgemm::tune {

/// "NT/64x32x16", with "/ld80,40,64" after it where leading dimensions have gaps: as sgemm-bench
/// names shapes.
std::string shape_name(const Problem& problem);
/// The inverse. Throws std::invalid_argument.
Problem parse_shape_name(const std::string& name);

/// A problem of a measurement run.
struct CampaignShape {
    std::string suite;     ///< "square", "odd", "skinny", "deep", "llm", "conv", "ld1024"
    bool held_out = false; ///< measured for the regret, never fitted
    Problem problem;
};

/// How a measurement run's shapes are drawn.
struct ShapeDraw {
    std::uint64_t seed = 1;
    /// Of both kinds together; every second one is held out. Fewer are drawn where suites have no
    /// more.
    int count = 480;
    std::int64_t size = 4096; ///< typical largest extent; no product is more work than a cube of it
};

/// Draws problems of all suites, one after the other, so that any beginning of the list is
/// balanced. Equal arguments give equal lists; no held-out problem is among the others.
std::vector<CampaignShape> draw_shapes(const ShapeDraw& draw);

} // namespace libsgemm::tune
