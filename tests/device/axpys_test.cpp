// SPDX-License-Identifier: Apache-2.0
//
// Few columns of C by scaled columns of A, and few rows by scaled rows of B: the long extent shared
// out to work-groups, lines and steps of k that are left over.
#include "support/case_data.hpp"
#include "support/kernel_variants.hpp"
#include "support/storage.hpp"
#include "support/test_device.hpp"

namespace sgemm_test {
namespace {

struct Sizes {
    int length; ///< of the lines that a work-group adds
    int thin;   ///< columns or rows of C
    int steps;
};

class Axpys : public DeviceTest {
protected:
    /// `along_k`: the skinny operand lies along k.
    void expect_right(Case c, bool along_k, const Sizes& sizes, bool few_rows) {
        const auto transpose = [](bool yes) {
            return yes ? libsgemm::Transpose::yes : libsgemm::Transpose::no;
        };
        c.problem.transpose_a = transpose(few_rows && along_k);
        c.problem.transpose_b = transpose(few_rows || !along_k);
        const libsgemm::Problem& p = c.problem;
        c.beta = (p.m + p.n) % 2 == 0 ? 0.0F : -0.5F; // zero: what C held is not read
        c.values = p.k % 2 == 0 ? Values::nan_and_inf : Values::uniform;
        c.problem.batch_count = p.m % 2 == 0 ? 1 : 2;
        spread(c.problem, {3, 1, 2}, 7);
        c.options.kernel = few_rows ? "axpys_rows" : "axpys";
        c.options.parameters = {{few_rows ? "columns" : "rows", sizes.length},
                                {few_rows ? "rows" : "columns", sizes.thin},
                                {"steps", sizes.steps}};
        ASSERT_TRUE(runs_right(device(), library(), c));
    }
    void expect_both_right(std::int64_t length, std::int64_t thin, std::int64_t k, bool along_k,
                           const Sizes& sizes) {
        expect_right(plain_case(length, thin, k), along_k, sizes, false);
        expect_right(plain_case(thin, length, k), along_k, sizes, true);
    }
};

TEST_F(Axpys, WhateverIsLeftOver) {
    for (const Sizes& sizes :
         {Sizes{512, 1, 4}, Sizes{1024, 1, 4}, Sizes{512, 2, 2}, Sizes{512, 4, 4}}) {
        for (const std::int64_t length : {1, 15, 16, 17, 513, 1040, 1537}) {
            for (const std::int64_t thin : {1, 2, 3, 5}) {
                for (const std::int64_t k : {1, 3, 4, 10}) {
                    expect_both_right(length, thin, k, (length + thin + k) % 2 == 0, sizes);
                }
            }
        }
    }
}

/// For a run under Oclgrind: several work-groups, of unequal lengths.
TEST_F(Axpys, Small) {
    expect_both_right(53, 3, 6, true, {32, 2, 4});
    expect_both_right(50, 5, 5, false, {16, 4, 2});
}

} // namespace
} // namespace sgemm_test
