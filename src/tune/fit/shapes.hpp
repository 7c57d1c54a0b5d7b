// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "judge/shape.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace libsgemm::tune {

/// A shape of a measurement run.
struct DrawnShape {
    std::string suite;     ///< "square", "odd", "skinny", "deep", "llm", "conv", "ld1024"
    bool held_out = false; ///< measured for the regret, never fitted
    judge::Shape shape;
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
std::vector<DrawnShape> draw_shapes(const ShapeDraw& draw);

} // namespace libsgemm::tune
