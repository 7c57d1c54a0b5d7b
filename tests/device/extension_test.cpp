// SPDX-License-Identifier: Apache-2.0
// Extended tiles: the last tiles of C take the few rows and columns that are left over.
#include "device/kernel_fixture.hpp"
#include "support/case_data.hpp"

#include <algorithm>

namespace sgemm_test {
namespace {

class Extension : public KernelTest {
protected:
    void SetUp() override {
        KernelTest::SetUp();
        if (!IsSkipped() && !HasFatalFailure()) {
            parameters_ = extensible(entry(), parameters());
        }
    }
    libsgemm::catalog::TileShape tile() const { return entry().tile(parameters_); }
    Case extended(const Extents& extents, const Form& form) const {
        Case c = make_case(extents, form);
        c.options = forced(entry(), parameters_);
        c.options.edges = libsgemm::EdgeStrategy::extension;
        return c;
    }

private:
    libsgemm::catalog::Parameters parameters_;
};

TEST_P(Extension, RemaindersUpToEight) {
    ASSERT_FALSE(refused());
    std::mt19937_64 engine(base_seed() + 21);
    const auto t = tile();
    const std::pair<int, int> remainders[] = {{1, 0}, {0, 1}, {1, 1}, {2, 3},
                                              {4, 8}, {8, 5}, {7, 2}};
    std::size_t turn = 0;
    for (const Form& form : all_forms()) {
        const bool swapped = form.layout == libsgemm::Layout::row_major; // m and n change places
        for (int i = 0; i < 3; ++i) { // each is a build of its own
            const auto& [m, n] = remainders[turn++ % std::size(remainders)];
            const std::int64_t rows = 2 * t.m + m;
            const std::int64_t columns = t.n + n;
            Case c =
                extended({swapped ? columns : rows, swapped ? rows : columns, 2 * t.k + 1}, form);
            vary(c, engine);
            c.options.split_k = 1;
            ASSERT_EQ(plan_case(library(), c).passes().back(), GetParam()) << c;
            ASSERT_TRUE(runs_right(device(), c));
        }
    }
}

TEST_P(Extension, DepthsAroundTheStep) {
    ASSERT_FALSE(refused());
    const auto t = tile();
    for (const std::int64_t k : {1, t.k - 1, t.k, t.k + 1, 3 * t.k - 1}) {
        for (const int split_k : {1, 2, 4}) {
            Case c = extended({t.m + 1, t.n + 1, k}, all_forms()[1]);
            c.options.split_k = split_k;
            c.beta = -0.5F;
            ASSERT_TRUE(runs_right(device(), c));
        }
    }
}

TEST_P(Extension, BatchesAndWholeNumbers) {
    ASSERT_FALSE(refused());
    const auto t = tile();
    Case c = extended({2 * t.m + 3, 2 * t.n + 1, t.k + 1}, all_forms()[2]);
    c.values = Values::small_integers;
    c.beta = 1.0F; // an element that is stored twice, or not at all, shows
    c.problem.batch_count = 3;
    spread(c.problem, {1, 0, 2}, 3);
    ASSERT_TRUE(runs_right(device(), c));
}

TEST_P(Extension, RefusesWhatDoesNotFit) {
    ASSERT_FALSE(refused());
    const auto t = tile();
    ASSERT_GT(std::min(t.m, t.n), 9);
    for (const Extents& extents : {Extents{t.m - 1, t.n, t.k}, Extents{t.m, t.n - 1, t.k},
                                   Extents{2 * t.m + 9, t.n, t.k}, Extents{t.m, t.n + 9, t.k}}) {
        const Case c = extended(extents, all_forms()[0]);
        EXPECT_THROW(plan_case(library(), c), libsgemm::UnsupportedError) << c;
    }
}

SGEMM_FOR_KERNELS_WITH(can_extend_tiles, Extension);

} // namespace
} // namespace sgemm_test
