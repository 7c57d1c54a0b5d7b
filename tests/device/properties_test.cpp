// SPDX-License-Identifier: Apache-2.0
// Random problems. A failure prints RapidCheck's seed and the smallest case that still fails;
// SGEMM_TEST_CASES sets the number of cases a property, RC_PARAMS everything else.
#include "device/kernel_fixture.hpp"
#include "support/case_data.hpp"
#include "support/generators.hpp"

namespace sgemm_test {
namespace {

class Properties : public DeviceTest {
protected:
    /// Kernels that the device can run.
    std::vector<std::string> usable_kernels() const {
        std::vector<std::string> names = kernel_names();
        std::erase_if(names, [&](const std::string& name) {
            return !libsgemm::kernel_obstacles(name, device().handle().traits).empty();
        });
        return names;
    }

    bool refused(const Case& c) const {
        try {
            plan_case(library(), c);
            return false;
        } catch (const libsgemm::UnsupportedError&) {
            return true;
        }
    }

    void check_cases(const std::string& property, const std::vector<std::string>& kernels) const {
        EXPECT_TRUE(rc::check(property, [&] {
            const Case c = *arbitrary_case(kernels).as("case");
            if (const auto result = runs_right(device(), c); !result) {
                RC_FAIL(result.message());
            }
        }));
    }
};

TEST_F(Properties, AutomaticChoiceMatchesTheReference) {
    check_cases("gemm by the planner's choice matches the reference", {""});
}

TEST_F(Properties, EveryKernelMatchesTheReference) {
    check_cases("gemm by any kernel matches the reference", usable_kernels());
}

TEST_F(Properties, EveryVariantMatchesTheReference) {
    std::vector<std::string> kernels = usable_kernels();
    kernels.emplace_back(); // and the planner's choice among what can have the variant
    EXPECT_TRUE(rc::check("gemm matches the reference however its work is divided", [&] {
        const Case c = *arbitrary_variant(kernels).as("case");
        if (refused(c)) {
            RC_TAG("refused");
            return;
        }
        if (const auto result = runs_right(device(), c); !result) {
            RC_FAIL(result.message());
        }
    }));
}

} // namespace
} // namespace sgemm_test
