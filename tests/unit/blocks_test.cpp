// SPDX-License-Identifier: Apache-2.0
#include "cpu_threads/blocks.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace libsgemm::detail {
namespace {

Problem problem_with(std::int64_t products, std::int64_t rows, std::int64_t columns,
                     Layout layout = Layout::column_major) {
    Problem problem;
    problem.layout = layout;
    problem.batch_count = products;
    problem.m = rows;
    problem.n = columns;
    problem.k = 1;
    return resolved(problem, validate::check_problem(problem));
}

/// Whether blocks cover each element of all products exactly once.
bool make_up_the_whole(const std::vector<Block>& blocks, const Problem& problem) {
    std::vector<int> covered(static_cast<std::size_t>(problem.batch_count * problem.m * problem.n));
    for (const Block& block : blocks) {
        for (std::int64_t b = 0; b < block.products.count; ++b) {
            for (std::int64_t j = 0; j < block.columns.count; ++j) {
                for (std::int64_t i = 0; i < block.rows.count; ++i) {
                    const std::int64_t at =
                        ((block.products.first + b) * problem.n + block.columns.first + j) *
                            problem.m +
                        block.rows.first + i;
                    ++covered.at(static_cast<std::size_t>(at));
                }
            }
        }
    }
    return std::all_of(covered.begin(), covered.end(), [](int times) { return times == 1; });
}

TEST(Blocks, MakeUpTheWhole) {
    for (const std::int64_t rows : {1, 15, 16, 17, 100}) {
        for (const std::int64_t columns : {1, 5, 33, 64}) {
            for (const std::int64_t products : {1, 2, 3, 9}) {
                for (const Layout layout : {Layout::column_major, Layout::row_major}) {
                    const Problem problem = problem_with(products, rows, columns, layout);
                    for (const std::size_t threads : {2U, 3U, 4U, 7U, 16U}) {
                        for (const auto& blocks : ways_to_cut(problem, threads)) {
                            EXPECT_TRUE(make_up_the_whole(blocks, problem));
                            EXPECT_GE(blocks.size(), 2U);
                            EXPECT_LE(blocks.size(), threads);
                        }
                    }
                }
            }
        }
    }
}

TEST(Blocks, CacheLinesOfCAreNotShared) {
    for (const auto& blocks : ways_to_cut(problem_with(1, 100, 40), 6)) {
        for (const Block& block : blocks) {
            EXPECT_EQ(block.rows.first % 16, 0);
        }
    }
    for (const auto& blocks : ways_to_cut(problem_with(1, 40, 100, Layout::row_major), 6)) {
        for (const Block& block : blocks) {
            EXPECT_EQ(block.columns.first % 16, 0);
        }
    }
}

TEST(Blocks, TheFirstOneIsTheLargest) {
    for (const auto& blocks : ways_to_cut(problem_with(1, 130, 77), 6)) {
        for (const Block& block : blocks) {
            EXPECT_LE(block.rows.count, blocks.front().rows.count);
            EXPECT_LE(block.columns.count, blocks.front().columns.count);
        }
    }
}

TEST(Blocks, ThreadsShareProductsOfABatchIfThereAreEnough) {
    const Range all{0, 64};
    EXPECT_EQ(ways_to_cut(problem_with(5, 64, 64), 4),
              (std::vector<std::vector<Block>>{
                  {{{0, 2}, all, all}, {{2, 2}, all, all}, {{4, 1}, all, all}},
                  {{{0, 3}, all, all}, {{3, 2}, all, all}}}));
    EXPECT_EQ(ways_to_cut(problem_with(1, 64, 64), 2),
              (std::vector<std::vector<Block>>{{{{0, 1}, all, {0, 32}}, {{0, 1}, all, {32, 32}}},
                                               {{{0, 1}, {0, 32}, all}, {{0, 1}, {32, 32}, all}}}));
}

TEST(Blocks, OneThreadOrOneElementIsNotCut) {
    EXPECT_TRUE(ways_to_cut(problem_with(1, 64, 64), 1).empty());
    EXPECT_TRUE(ways_to_cut(problem_with(1, 1, 1), 8).empty());
}

/// Of the element that a block of C begins with: where it lies, and what it is computed from.
TEST(Blocks, BeginWhereTheirOperandsDo) {
    Problem problem = problem_with(3, 20, 30);
    const Block block{{1, 2}, {16, 4}, {7, 3}};
    OperandOffsets begin = begin_of(problem, block);
    EXPECT_EQ(begin.a, problem.batch_stride_a + 16);
    EXPECT_EQ(begin.b, problem.batch_stride_b + 7 * problem.ldb);
    EXPECT_EQ(begin.c, problem.batch_stride_c + 7 * problem.ldc + 16);
    problem = problem_with(3, 20, 30, Layout::row_major);
    begin = begin_of(problem, block);
    EXPECT_EQ(begin.a, problem.batch_stride_a + 16 * problem.lda);
    EXPECT_EQ(begin.b, problem.batch_stride_b + 7);
    EXPECT_EQ(begin.c, problem.batch_stride_c + 16 * problem.ldc + 7);
    const Problem part = problem_of(problem, block);
    EXPECT_EQ(part.batch_count, 2);
    EXPECT_EQ(part.m, 4);
    EXPECT_EQ(part.n, 3);
}

} // namespace
} // namespace libsgemm::detail
