// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "problem/problem.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace libsgemm::validate {

/// Matrices of one shape in one buffer: a single one's storage (its batch is 1), and where each
/// begins.
struct Scattered {
    Stored one;
    std::vector<std::int64_t> offsets; ///< ascending
};

/// The offset of a matrix that shares an element with another one of `matrices`; nothing if none
/// does. Exact; takes n log n steps for n matrices, whatever their size.
std::optional<std::int64_t> find_overlap(const Scattered& matrices);

/// What is known of matrices of C beside others.
struct Encounter {
    bool is_decided = true;
    std::optional<std::int64_t>
        offset; ///< of a matrix of C that shares an element with another matrix
};

/// What find_encounter() compares at most: a matter of a second.
constexpr std::int64_t most_lines_compared = std::int64_t{1} << 23U;
constexpr std::int64_t most_pairs_compared = std::int64_t{1} << 20U;

/// Looks for a matrix of `c`, no two of which share an element, that shares one with a matrix of
/// `others`. Exact, in n log n steps for n matrices, where the leading dimensions are equal or the
/// matrices lie side by side. Where matrices of different leading dimensions reach into each other
/// these pairs are compared, or their lines, and nothing is decided if both are too many.
Encounter find_encounter(const Scattered& c, const Scattered& others);

} // namespace libsgemm::validate
