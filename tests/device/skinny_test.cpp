// SPDX-License-Identifier: Apache-2.0
//
// Products of a skinny operand: how it is loaded changes no bit.
#include "support/case_data.hpp"
#include "support/kernel_variants.hpp"
#include "support/test_device.hpp"

#include <cstring>
#include <vector>

namespace sgemm_test {
namespace {

class Skinny : public DeviceTest {
protected:
    std::vector<float> result(Case c, int thin_vector) const {
        c.options.parameters["thin_vector"] = thin_vector;
        CaseData data(device(), c);
        data.enqueue(plan_case(library(), c), queue()).wait();
        EXPECT_TRUE(data.verify(queue())) << c;
        return data.result(queue());
    }
};

TEST_F(Skinny, VectorsOfTheThinOperandChangeNoBit) {
    for (const bool few_columns : {true, false}) {
        for (std::size_t form = 0; form < 4; ++form) { // the column-major ones
            constexpr int thin = 8;
            for (const std::int64_t extra : {0, 1, 4}) { // of the leading dimensions
                Case c = few_columns ? plain_case(70, 2 * thin - (extra == 1 ? 1 : 0), 150)
                                     : plain_case(2 * thin - (extra == 1 ? 1 : 0), 70, 150);
                set_form(c, all_forms()[form]);
                spread(c.problem, {extra, extra, extra});
                c.options.kernel = few_columns ? "skinny_n" : "skinny_m";
                c.options.parameters = {{"thin", thin}};
                const std::vector<float> one_by_one = result(c, 1);
                for (const int vector : {2, 4}) {
                    const std::vector<float> wide = result(c, vector);
                    ASSERT_EQ(wide.size(), one_by_one.size());
                    EXPECT_EQ(
                        0, std::memcmp(wide.data(), one_by_one.data(), wide.size() * sizeof(float)))
                        << c << ", vectors of " << vector;
                }
            }
        }
    }
}

} // namespace
} // namespace sgemm_test
