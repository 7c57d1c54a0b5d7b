// SPDX-License-Identifier: Apache-2.0
//
// Few columns of C by scaled columns of A: rows shared out to work-groups, columns and steps of k that are left over.
#include "support/case_data.hpp"
#include "support/kernel_variants.hpp"
#include "support/storage.hpp"
#include "support/test_device.hpp"

namespace sgemm_test {
namespace {

class Axpys : public DeviceTest {
protected:
    void expect_right(const Extents& extents, bool b_along_k, int rows, int columns, int steps) {
        Case c = plain_case(extents.m, extents.n, extents.k);
        set_form(c, all_forms()[b_along_k ? 0 : 1]);
        c.beta = extents.n % 2 == 0 ? 0.0F : -0.5F; // zero: what C held is not read
        c.values = extents.k % 2 == 0 ? Values::nan_and_inf : Values::uniform;
        c.problem.batch_count = extents.m % 2 == 0 ? 1 : 2;
        spread(c.problem, {3, 1, 2}, 7);
        c.options.kernel = "axpys";
        c.options.parameters = {{"rows", rows}, {"columns", columns}, {"steps", steps}};
        ASSERT_TRUE(runs_right(device(), library(), c));
    }
};

TEST_F(Axpys, WhateverIsLeftOver) {
    struct Sizes {
        int rows, columns, steps;
    };
    for (const auto& [rows, columns, steps] :
         {Sizes{512, 1, 4}, Sizes{1024, 1, 4}, Sizes{512, 2, 2}, Sizes{512, 4, 4}}) {
        for (const std::int64_t m : {1, 15, 16, 17, 513, 1040, 1537}) {
            for (const std::int64_t n : {1, 2, 3, 5}) {
                for (const std::int64_t k : {1, 3, 4, 10}) {
                    expect_right({m, n, k}, (m + n + k) % 2 == 0, rows, columns, steps);
                }
            }
        }
    }
}

/// For a run under Oclgrind: several work-groups, of unequal rows.
TEST_F(Axpys, Small) {
    expect_right({53, 3, 6}, true, 32, 2, 4);
    expect_right({50, 5, 5}, false, 16, 4, 2);
}

} // namespace
} // namespace sgemm_test
