// SPDX-License-Identifier: Apache-2.0
// Peeled plans: whole tiles by one kernel, the last rows and columns by others, and C is the same.
#include "device/kernel_fixture.hpp"
#include "support/case_data.hpp"

#include <algorithm>
#include <utility>

namespace sgemm_test {
namespace {

class Peel : public KernelTest {
protected:
    /// With `rows` and `columns` left over; `swapped` where the layout exchanges them.
    Case peeled(std::int64_t rows, std::int64_t columns, std::int64_t k, const Form& form) const {
        const auto t = tile();
        const std::int64_t m = 2 * t.m + rows;
        const std::int64_t n = t.n + columns;
        const bool swapped = form.layout == libsgemm::Layout::row_major;
        Case c = make_case({swapped ? n : m, swapped ? m : n, k}, form);
        c.options.peeling = libsgemm::Peeling::always;
        c.options.split_k = 1;
        return c;
    }
    /// Neither: a tile of one row leaves nothing over.
    bool leaves(std::int64_t rows, std::int64_t columns) const {
        return rows < tile().m && columns < tile().n;
    }
};

constexpr std::pair<int, int> remainders[] = {{1, 1}, {2, 3}, {3, 0}, {0, 1}, {1, 2}};

TEST_P(Peel, FewRowsAndColumnsInEveryForm) {
    if (refused()) {
        return;
    }
    std::mt19937_64 engine(base_seed() + 31);
    std::size_t turn = 0;
    for (const Form& form : all_forms()) {
        const auto& [rows, columns] = remainders[turn++ % std::size(remainders)];
        if (!leaves(rows, columns)) {
            continue;
        }
        Case c = peeled(rows, columns, 2 * tile().k + 1, form);
        vary(c, engine);
        const auto plan = plan_case(library(), c);
        ASSERT_NE(plan.summary().find(", peeled,"), std::string::npos) << c << plan.summary();
        ASSERT_TRUE(runs_right(device(), c));
    }
}

/// With beta = 1 and whole numbers an element that is written twice, or not at all, shows.
TEST_P(Peel, EachElementIsWrittenOnceInABatch) {
    if (refused()) {
        return;
    }
    for (const auto& [rows, columns] : remainders) {
        if (!leaves(rows, columns)) {
            continue;
        }
        Case c = peeled(rows, columns, tile().k + 1, all_forms()[1]);
        c.values = Values::small_integers;
        c.beta = 1.0F;
        c.problem.batch_count = 3;
        spread(c.problem, {1, 0, 2}, 3);
        c.offset_a = 1;
        c.offset_c = 5;
        ASSERT_TRUE(runs_right(device(), c));
    }
}

TEST_P(Peel, BetaZeroNeverReadsC) {
    if (refused() || !leaves(1, 1)) {
        return;
    }
    Case c = peeled(1, 1, tile().k, all_forms()[2]);
    c.values = Values::nan_and_inf;
    c.beta = 0;
    ASSERT_TRUE(runs_right(device(), c));
}

class PeelOfEdges : public Peel {};
class PeelOfSplitK : public Peel {};

/// Each way to meet edges is then left with those of k.
TEST_P(PeelOfEdges, WithEveryVariantOfTheRest) {
    if (refused()) {
        return;
    }
    using libsgemm::EdgeStrategy;
    for (const EdgeStrategy edges :
         {EdgeStrategy::padding, EdgeStrategy::guarded, EdgeStrategy::pointer_shift}) {
        Case c = peeled(3, 1, 2 * tile().k + 3, all_forms()[3]);
        c.options.edges = edges;
        c.beta = -0.5F;
        if (edges != EdgeStrategy::pointer_shift || takes(entry(), edges)) {
            ASSERT_TRUE(runs_right(device(), c));
        }
    }
}

TEST_P(PeelOfSplitK, PartialSumsOfTheMainBlockShareTheWorkspace) {
    if (refused() || !leaves(2, 1)) {
        return;
    }
    Case c = peeled(2, 1, 6 * tile().k + 1, all_forms()[1]);
    c.options.split_k = 3;
    c.beta = 0.5F;
    c.problem.batch_count = 2;
    EXPECT_TRUE(repeats(device(), library(), c));
}

SGEMM_FOR_KERNELS_WITH(is_strict, Peel);
SGEMM_FOR_KERNELS_WITH(has_selectable_edges, PeelOfEdges);
SGEMM_FOR_KERNELS_WITH(can_split_k, PeelOfSplitK);

} // namespace
} // namespace sgemm_test
