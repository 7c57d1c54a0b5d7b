// SPDX-License-Identifier: Apache-2.0
#include "cpu_threads/blocks.hpp"

#include "support/round.hpp"

#include <algorithm>

namespace libsgemm::detail {
namespace {

constexpr std::int64_t cache_line = 16; ///< elements

bool cuts_batch(const Problem& problem) {
    return problem.batch_count > 1;
}

Block whole_of(const Problem& problem) {
    return {{0, std::max<std::int64_t>(problem.batch_count, 1)}, {0, problem.m}, {0, problem.n}};
}

std::vector<Range> ranges(std::int64_t extent, std::int64_t parts, std::int64_t step) {
    const std::int64_t most = support::round_up(support::ceil_div(extent, parts), step);
    std::vector<Range> result;
    for (std::int64_t first = 0; first < extent; first += most) {
        result.push_back({first, std::min(most, extent - first)});
    }
    return result;
}

/// Into so many parts along each extent.
std::vector<Block> cut(const Problem& problem, std::int64_t products, std::int64_t rows,
                       std::int64_t columns) {
    const Block whole = whole_of(problem);
    const bool rows_lie_together = problem.layout == Layout::column_major;
    std::vector<Block> blocks;
    for (const Range& some_products : ranges(whole.products.count, products, 1)) {
        for (const Range& some_columns :
             ranges(problem.n, columns, rows_lie_together ? 1 : cache_line)) {
            for (const Range& some_rows :
                 ranges(problem.m, rows, rows_lie_together ? cache_line : 1)) {
                blocks.push_back({some_products, some_rows, some_columns});
            }
        }
    }
    return blocks;
}

/// From one row of op(A), and of C, to the next.
OperandOffsets row_steps(const Problem& p) {
    const bool by_rows = p.layout == Layout::row_major;
    const bool along_memory = by_rows == (p.transpose_a == Transpose::yes);
    return {along_memory ? 1 : p.lda, 0, by_rows ? p.ldc : 1};
}

/// From one column of op(B), and of C, to the next.
OperandOffsets column_steps(const Problem& p) {
    const bool by_rows = p.layout == Layout::row_major;
    const bool along_memory = by_rows == (p.transpose_b == Transpose::no);
    return {0, along_memory ? 1 : p.ldb, by_rows ? 1 : p.ldc};
}

} // namespace

Problem resolved(Problem problem, const validate::CheckedProblem& checked) {
    problem.lda = checked.a.ld;
    problem.ldb = checked.b.ld;
    problem.ldc = checked.c.ld;
    problem.batch_stride_a = checked.a.batch_stride;
    problem.batch_stride_b = checked.b.batch_stride;
    problem.batch_stride_c = checked.c.batch_stride;
    return problem;
}

std::int64_t units_of(const Problem& problem) {
    if (cuts_batch(problem)) {
        return problem.batch_count;
    }
    return problem.layout == Layout::row_major ? problem.m : problem.n;
}

Block block_of_units(const Problem& problem, Range units) {
    Block block = whole_of(problem);
    if (cuts_batch(problem)) {
        block.products = units;
    } else if (problem.layout == Layout::row_major) {
        block.rows = units;
    } else {
        block.columns = units;
    }
    return block;
}

std::vector<std::vector<Block>> ways_to_cut(const Problem& problem, std::size_t threads) {
    std::vector<std::vector<Block>> ways;
    const auto add = [&](std::int64_t products, std::int64_t rows, std::int64_t columns) {
        if (auto blocks = cut(problem, products, rows, columns); blocks.size() > 1) {
            ways.push_back(std::move(blocks));
        }
    };
    for (auto parts = static_cast<std::int64_t>(threads); parts > 1; parts /= 2) {
        if (whole_of(problem).products.count >= parts) {
            add(parts, 1, 1);
            continue;
        }
        for (std::int64_t rows = 1; rows <= parts; ++rows) {
            const std::int64_t columns = parts / rows;
            if (rows * columns == parts && rows <= problem.m && columns <= problem.n) {
                add(1, rows, columns);
            }
        }
    }
    return ways;
}

Problem problem_of(Problem problem, const Block& block) {
    if (cuts_batch(problem)) {
        problem.batch_count = block.products.count;
    }
    problem.m = block.rows.count;
    problem.n = block.columns.count;
    return problem;
}

OperandOffsets begin_of(const Problem& problem, const Block& block) {
    const OperandOffsets rows = row_steps(problem);
    const OperandOffsets columns = column_steps(problem);
    const std::int64_t product = block.products.first;
    return {product * problem.batch_stride_a + block.rows.first * rows.a,
            product * problem.batch_stride_b + block.columns.first * columns.b,
            product * problem.batch_stride_c + block.rows.first * rows.c +
                block.columns.first * columns.c};
}

validate::Matrices moved(validate::Matrices matrices, const OperandOffsets& begin) {
    matrices.a.offset += begin.a;
    matrices.b.offset += begin.b;
    matrices.c.offset += begin.c;
    return matrices;
}

} // namespace libsgemm::detail
