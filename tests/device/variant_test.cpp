// SPDX-License-Identifier: Apache-2.0
// Edges three ways, split-K, parts and repacking: however a plan divides the work, the result is
// the same.
#include "device/kernel_fixture.hpp"
#include "support/case_data.hpp"

#include <algorithm>
#include <utility>

namespace sgemm_test {
namespace {

using libsgemm::EdgeStrategy;

constexpr EdgeStrategy strategies[] = {EdgeStrategy::padding, EdgeStrategy::guarded,
                                       EdgeStrategy::pointer_shift};

class Variants : public KernelTest {
protected:
    bool selectable() const { return has_selectable_edges(entry()); }
    bool is_too_small_to_shift(const Case& c) const {
        const bool row_major = c.problem.layout == libsgemm::Layout::row_major;
        const std::int64_t m = row_major ? c.problem.n : c.problem.m;
        const std::int64_t n = row_major ? c.problem.m : c.problem.n;
        return m < tile().m || n < tile().n;
    }
    bool cannot_shift(const Case& c) const {
        return c.options.edges == EdgeStrategy::pointer_shift &&
               (!takes(entry(), c.options.edges) || is_too_small_to_shift(c));
    }
    void expect_right_or_refused(const Case& c) {
        if (cannot_shift(c)) {
            EXPECT_THROW(plan_case(library(), c), libsgemm::UnsupportedError) << c;
        } else {
            ASSERT_TRUE(runs_right(device(), c));
        }
    }
};

TEST_P(Variants, EdgesComeThreeWaysOrNotAtAll) {
    if (refused()) {
        return;
    }
    std::mt19937_64 engine(base_seed() + 11);
    for (const EdgeStrategy edges : strategies) {
        for (std::size_t form = 0; form < all_forms().size(); ++form) {
            for (const Extents& extents : tile_extents(tile(), form, 2)) {
                Case c = make_case(extents, all_forms()[form]);
                vary(c, engine);
                c.options.edges = edges;
                if (selectable()) {
                    ASSERT_NO_FATAL_FAILURE(expect_right_or_refused(c));
                } else if (edges != EdgeStrategy::padding) {
                    ASSERT_THROW(plan_case(library(), c), libsgemm::UnsupportedError);
                }
            }
        }
    }
}

class VariantsOfEdges : public Variants {};
class VariantsOfSplitK : public Variants {};
class VariantsOfPacking : public Variants {};

/// With beta = 1 and whole numbers an element that is written twice, or not at all, shows.
TEST_P(VariantsOfEdges, EachElementIsWrittenOnce) {
    if (refused()) {
        return;
    }
    const auto t = tile();
    for (const EdgeStrategy edges : strategies) {
        for (const std::int64_t extra : {1, 2, 3}) {
            Case c = make_case({2 * t.m - extra, t.n + extra, t.k + 1}, all_forms()[0]);
            c.values = Values::small_integers;
            c.beta = 1.0F;
            c.options.edges = edges;
            ASSERT_NO_FATAL_FAILURE(expect_right_or_refused(c));
        }
    }
}

TEST_P(VariantsOfSplitK, PartialSumsAreAddedInOrder) {
    if (refused()) {
        return;
    }
    std::mt19937_64 engine(base_seed() + 12);
    const auto t = tile();
    for (const int split_k : {2, 3, 7}) {
        for (const Form& form : all_forms()) {
            Case c = make_case({t.m + 1, t.n + 3, 4 * t.k + 5}, form);
            vary(c, engine);
            c.problem.batch_count = 2;
            spread(c.problem, {1, 0, 2}, 3);
            c.options.split_k = split_k;
            c.options.reduction = libsgemm::SplitKReduction::pass;
            if (entry().split_k != libsgemm::catalog::SplitK::stream_k) {
                ASSERT_EQ(plan_case(library(), c).passes().back(), "reduce");
            }
            ASSERT_TRUE(runs_right(device(), c));
        }
    }
}

TEST_P(VariantsOfSplitK, ManyPartialSumsOfFewElementsAreShared) {
    if (refused()) {
        return;
    }
    for (const int split_k : {16, 27}) { // as many for each who shares, and not
        Case c = make_case({20, 11, (split_k + 1) * tile().k}, all_forms()[1]);
        c.beta = 0.5F;
        c.options.split_k = split_k;
        c.options.reduction = libsgemm::SplitKReduction::pass;
        if (entry().split_k != libsgemm::catalog::SplitK::stream_k) {
            ASSERT_EQ(plan_case(library(), c).passes().back(), "reduce_shared");
        }
        ASSERT_TRUE(repeats(device(), library(), c));
    }
}

TEST_P(VariantsOfSplitK, MoreRangesThanStepsStillAddUp) {
    if (refused()) {
        return;
    }
    Case c = make_case({tile().m, tile().n, 1}, all_forms()[0]);
    c.options.split_k = 5;
    c.beta = 0.5F;
    ASSERT_TRUE(runs_right(device(), c));
}

TEST_P(Variants, PartsAndRepackingKeepTheResult) {
    if (refused()) {
        return;
    }
    std::mt19937_64 engine(base_seed() + 13);
    const auto t = tile();
    for (const Form& form : all_forms()) {
        if (is_slow() && form.a == form.b) {
            continue;
        }
        Case c = make_case({3 * t.m + 1, 3 * t.n + 1, 5 * t.k + 1}, form);
        vary(c, engine);
        c.options.split_k = 1;
        c.options.parts_m = 2;
        c.options.parts_n = 2;
        c.options.parts_k = 3;
        if (form.layout == libsgemm::Layout::column_major) {
            const auto passes = plan_case(library(), c).passes();
            const std::int64_t parts_k = std::min<std::int64_t>(3, (c.problem.k + t.k - 1) / t.k);
            EXPECT_EQ(std::count(passes.begin(), passes.end(), GetParam()), 4 * parts_k);
        }
        ASSERT_TRUE(runs_right(device(), c));
        c.options.repack = libsgemm::Repack::always;
        ASSERT_TRUE(runs_right(device(), c));
    }
}

/// Copied or in place, edges of each, blocks, and k in parts that add to C: of each operand and
/// both.
TEST_P(VariantsOfPacking, PackedAndInPlaceAgree) {
    if (refused()) {
        return;
    }
    const auto t = tile();
    for (const libsgemm::Repack repack : {libsgemm::Repack::always, libsgemm::Repack::never}) {
        for (const Form& form : all_forms()) {
            for (const std::int64_t rest : {0, 1, 3}) {
                Case c = make_case({2 * t.m + rest, 3 * t.n - rest, 2 * t.k + rest}, form);
                c.values = Values::small_integers;
                c.problem.batch_count = 2;
                spread(c.problem, {3, 1, 2}, 5);
                c.offset_a = 1;
                c.beta = 1.0F;
                c.options.split_k = 1;
                c.options.parameters["depth"] = 16;
                c.options.repack = repack;
                ASSERT_TRUE(runs_right(device(), c));
            }
        }
    }
}

TEST_P(VariantsOfSplitK, TheSamePlanTwiceIsBitIdentical) {
    if (refused()) {
        return;
    }
    Case c = make_case({tile().m + 1, tile().n + 1, 6 * tile().k + 1}, all_forms()[1]);
    c.options.split_k = 3;
    EXPECT_TRUE(repeats(device(), library(), c));
}

/// The defaults load vectors; the small parameters that other tests use need not.
TEST_P(VariantsOfEdges, WideLoadsAtTheEdges) {
    if (refused()) {
        return;
    }
    const libsgemm::catalog::Parameters defaults = entry().defaults();
    const auto t = entry().tile(defaults);
    std::mt19937_64 engine(base_seed() + 14);
    for (const EdgeStrategy edges : {EdgeStrategy::guarded, EdgeStrategy::pointer_shift}) {
        for (std::size_t form = 0; form < 4; ++form) {
            for (const auto& [m, n] : {std::pair{2 * t.m - 1, t.n + 3}, {2 * t.m - 4, t.n + 8}}) {
                Case c = make_case({m, n, 2 * t.k + 1}, all_forms()[form]);
                c.options = forced(entry(), defaults);
                c.options.edges = edges;
                c.options.split_k = 1;
                spread(c.problem, {8, 8, 8});
                c.problem.lda = (c.problem.lda + 15) / 16 * 16;
                c.problem.ldb = (c.problem.ldb + 15) / 16 * 16;
                c.beta = 1.0F;
                c.seed = engine() % 1000000;
                ASSERT_NO_FATAL_FAILURE(expect_right_or_refused(c));
            }
        }
    }
}

SGEMM_FOR_EVERY_KERNEL(Variants);
SGEMM_FOR_KERNELS_WITH(has_selectable_edges, VariantsOfEdges);
SGEMM_FOR_KERNELS_WITH(can_split_k, VariantsOfSplitK);
SGEMM_FOR_KERNELS_WITH(packs_by_choice, VariantsOfPacking);

} // namespace
} // namespace sgemm_test
