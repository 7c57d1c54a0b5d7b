// SPDX-License-Identifier: Apache-2.0
// Parts of C, for threads and for devices, and the problems that they are.
#pragma once

#include "problem/operands.hpp"
#include "problem/problem.hpp"
#include "sgemm/problem.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace libsgemm::detail {

/// From `first` on, `count` of them.
struct Range {
    std::int64_t first = 0;
    std::int64_t count = 0;
    bool operator==(const Range&) const = default;
};

/// A part of C: so many products of a batch, rows and columns.
struct Block {
    Range products;
    Range rows;
    Range columns;
    bool operator==(const Block&) const = default;
};

/// Elements of each operand.
struct OperandOffsets {
    std::int64_t a = 0;
    std::int64_t b = 0;
    std::int64_t c = 0;
};

/// `problem` with nothing left to be resolved: parts of tight matrices are not tight. All problems
/// below are resolved.
Problem resolved(Problem problem, const validate::CheckedProblem& checked);

/// How many products of a batch, or lines of C as memory has them, a problem has: what devices
/// share.
std::int64_t units_of(const Problem& problem);
/// So many of these.
Block block_of_units(const Problem& problem, Range units);

/// The ways to cut a problem into as many blocks as there are threads, or a half, a quarter, ... as
/// many; at least two. The largest block comes first; all but the last ones of each extent are
/// equal. Lines of C are cut at multiples of a cache line.
std::vector<std::vector<Block>> ways_to_cut(const Problem& problem, std::size_t threads);

/// The problem of a block.
Problem problem_of(Problem problem, const Block& block);
/// Where its matrices begin, from the beginning of those of the problem.
OperandOffsets begin_of(const Problem& problem, const Block& block);

/// The matrices that begin there.
validate::Matrices moved(validate::Matrices matrices, const OperandOffsets& begin);

} // namespace libsgemm::detail
