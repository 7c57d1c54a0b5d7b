// SPDX-License-Identifier: Apache-2.0
// Where the kernel `persistent` may run, and what its plans ask of the compiler.
#include "support/main_step.hpp"
#include "unit/nvidia_kernels.hpp"
#include "unit/planner_fixture.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace libsgemm {
namespace {

using catalog::Parameters;
using sgemm_test::nvidia;

const catalog::KernelEntry& persistent() {
    return *catalog::kernel_catalog().find("persistent");
}

/// With producers.
Parameters produced(const sgemm_test::Changes& changes) {
    const Parameters plain = sgemm_test::changed(
        persistent().defaults(), {{"copy", 3}, {"math_registers", 216}, {"stages", 8}});
    return sgemm_test::changed(plain, changes);
}

bool runs(const Parameters& parameters, const DeviceTraits& device) {
    return sgemm_test::runs(persistent(), parameters, device);
}
bool is_refused_for(const Parameters& parameters, const DeviceTraits& device,
                    const std::string& reason) {
    return sgemm_test::is_refused_for(persistent(), parameters, device, reason);
}

TEST(Persistent, RegistersOfProducersGoToTheOthersOnOneArchitectureAlone) {
    EXPECT_TRUE(runs(produced({}), nvidia(90)));
    for (const int other : {89, 100, 120}) {
        EXPECT_TRUE(is_refused_for(produced({}), nvidia(other), "setmaxnreg"));
    }
    EXPECT_TRUE(runs(persistent().defaults(), sgemm_test::fake_device()));
}

TEST(Persistent, ConstraintsSayWhatGoesTogether) {
    const DeviceTraits device = nvidia(90);
    EXPECT_TRUE(is_refused_for(produced({{"math_registers", 212}}), device, "multiple of 8"));
    EXPECT_TRUE(is_refused_for(produced({{"math_registers", 0}}), device, "from 168 to 240"));
    EXPECT_TRUE(is_refused_for(produced({{"tile_m", 64}}), device, "256 work-items multiply"));
    EXPECT_TRUE(is_refused_for(produced({{"copy", 0}}), device, "which needs copy 3"));
    EXPECT_TRUE(is_refused_for(produced({{"copy", 1}}), device, "copy must be 0 or 3"));
    EXPECT_TRUE(is_refused_for(produced({{"tile_n", 512}}), device, "up to 256"));
    EXPECT_TRUE(is_refused_for(produced({{"stages", 1}}), device, "stages must be at least 2"));
}

TEST(Persistent, WorkGroupsHaveProducersToo) {
    EXPECT_EQ(persistent().tile(produced({})).work_items(), 384);
    EXPECT_EQ(persistent().tile(persistent().defaults()).work_items(), 256);
}

class PersistentPlan : public sgemm_test::PlannerTest {
protected:
    PersistentPlan() {
        device_ = nvidia(90);
        catalog_ = catalog::kernel_catalog();
        table_.rows.clear();
        options_.kernel = "persistent";
    }
    bool is_for_one_architecture() const {
        return sgemm_test::main_step(best(native(256, 256, 64), options_))
            .build.architecture_specific;
    }
    ExpertPlanOptions options_;
};

TEST_F(PersistentPlan, BuildsForOneArchitectureSayThatTheyAre) {
    EXPECT_FALSE(is_for_one_architecture());
    options_.parameters = {{"copy", 3}, {"math_registers", 216}};
    EXPECT_TRUE(is_for_one_architecture());
}

TEST_F(PersistentPlan, LargeProductsMayGetTurnedCopiesOfWhatIsContiguousAlongK) {
    const auto variants = [&](std::int64_t n, Transpose a, Transpose b, std::int64_t period) {
        Problem problem = native(n, n, 512);
        problem.transpose_a = a;
        problem.transpose_b = b;
        table_.machine.ld_period = period;
        table_.machine.ld_slowdown = period > 0 ? 1.5 : 1;
        std::vector<std::string> repacked;
        for (const auto& plan : rank(problem, options_).plans) {
            const auto at = plan.to_string().find(", repacked ");
            if (at != std::string::npos && plan.to_string().find("stream-K") == std::string::npos) {
                repacked.push_back(plan.to_string().substr(at + 11));
            }
        }
        std::sort(repacked.begin(), repacked.end());
        return repacked;
    };
    using Names = std::vector<std::string>;
    constexpr auto yes = Transpose::yes;
    constexpr auto no = Transpose::no;
    EXPECT_EQ(variants(4096, yes, no, 0), (Names{"A", "AB", "B"}));
    EXPECT_EQ(variants(4096, no, no, 0), Names{"B"});
    EXPECT_EQ(variants(4096, no, yes, 0), Names{});
    EXPECT_EQ(variants(1024, yes, no, 0), Names{});                   // used too seldom
    EXPECT_EQ(variants(4096, yes, no, 512), (Names{"A", "AB", "B"})); // colliding too: once
    options_.repack = Repack::never;
    EXPECT_EQ(variants(4096, yes, no, 0), Names{});
}

} // namespace
} // namespace libsgemm
