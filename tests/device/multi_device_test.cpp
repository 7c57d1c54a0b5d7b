// SPDX-License-Identifier: Apache-2.0
// One problem on several devices. Where there is one only, its sub-devices.
#include "sgemm/multi_device.hpp"
#include "support/case_data.hpp"
#include "support/device_group.hpp"
#include "support/kernel_variants.hpp"
#include "support/slow_table.hpp"
#include "support/sub_devices.hpp"
#include "support/temporary_file.hpp"
#include "support/test_device.hpp"

#include <algorithm>
#include <optional>

namespace sgemm_test {
namespace {

class MultiDeviceTest : public DeviceTest {
protected:
    void SetUp() override {
        DeviceTest::SetUp();
        if (IsSkipped() || HasFatalFailure()) {
            return;
        }
        find_devices();
        if (devices_.size() < 2) {
            GTEST_SKIP() << "there is one device, and it cannot be divided";
        }
        runner_.emplace(devices_);
    }
    /// All devices of the platform with threads of their own, or the parts of the only one; three
    /// are enough.
    void find_devices() {
        constexpr std::size_t most = 3;
        for (const libsgemm::DeviceHandle& other : libsgemm::list_devices()) {
            if (other.platform == device().handle().platform &&
                !other.traits.computes_in_calling_thread) {
                devices_.push_back(other.device);
            }
        }
        if (devices_.size() < 2) {
            devices_ = divide(device().handle().device, most);
        }
        devices_.resize(std::min(most, devices_.size()));
    }
    void TearDown() override { runner_.reset(); }
    /// By a table with which sharing pays; also where a driver moves matrices so slowly that nobody
    /// would share, which it must do rightly all the same.
    libsgemm::MultiDevice make_group(const std::string& more_costs = "") const {
        const TemporaryFile table("sharing.toml",
                                  slow_table(device().handle().traits, {}) + more_costs);
        libsgemm::ContextOptions options;
        options.table_file = table.path();
        return {runner_->context(), devices_, options};
    }
    bool run(const libsgemm::MultiDevice& group, const Case& c,
             libsgemm::Completion completion = libsgemm::Completion::event) const {
        return runner_->run(group, c, completion);
    }

    std::vector<cl_device_id> devices_;
    std::optional<DeviceGroupRunner> runner_;
};

TEST_F(MultiDeviceTest, MatricesThatMoveTooSlowlyAreNotShared) {
    const libsgemm::MultiDevice group = make_group("sharing_gbs = 0.001\n");
    EXPECT_FALSE(run(group, plain_case(224, 288, 96)));
}

TEST_F(MultiDeviceTest, LargeProblemsAreSharedAndRightInEveryForm) {
    const libsgemm::MultiDevice group = make_group();
    // On a GPU sharing pays later, and the reference takes longer.
    const bool is_cpu = device().handle().traits.type == libsgemm::DeviceType::cpu;
    const Extents extents = is_cpu ? Extents{224, 288, 96} : Extents{2048, 2048, 512};
    for (std::size_t i = 0; i < all_forms().size(); i += is_cpu ? 1 : 5) {
        Case c = plain_case(extents.m, extents.n, extents.k);
        set_form(c, all_forms()[i]);
        c.beta = 0.5F;
        EXPECT_TRUE(run(group, c)) << c;
        spread(c.problem, {3, 5, 4});
        c.offset_a = 3;
        c.offset_b = 7;
        c.offset_c = 12; // the first part starts where no sub-buffer may
        c.beta = 0;
        run(group, c);
    }
    for (std::size_t i = 0; i < devices_.size(); ++i) {
        EXPECT_GT(group.statistics(i).kernels_enqueued, 0U) << "device " << i;
    }
}

TEST_F(MultiDeviceTest, BatchesAreSharedByProducts) {
    const libsgemm::MultiDevice group = make_group();
    const bool is_cpu = device().handle().traits.type == libsgemm::DeviceType::cpu;
    Case c = is_cpu ? plain_case(96, 96, 96) : plain_case(512, 512, 512);
    c.problem.batch_count = 8;
    EXPECT_TRUE(run(group, c));
    c.problem.batch_stride_a = 0;
    set_form(c, all_forms()[5]);
    c.beta = 1;
    EXPECT_TRUE(run(group, c));
    EXPECT_TRUE(run(group, c, libsgemm::Completion::in_queue));
}

TEST_F(MultiDeviceTest, SharesMakeUpTheProblem) {
    const libsgemm::MultiDevice group(runner_->context(), devices_);
    for (const std::int64_t n : {1, 17, 300, 1000}) {
        libsgemm::Problem problem = plain_case(200, n, 200).problem;
        const auto shares = group.shares(problem);
        ASSERT_EQ(shares.size(), devices_.size());
        std::int64_t next = 0;
        for (const libsgemm::DeviceShare& share : shares) {
            EXPECT_EQ(share.first, next);
            next += share.count;
        }
        EXPECT_EQ(next, n);
    }
}

TEST_F(MultiDeviceTest, SmallOrUnalignedOrEmptyProblemsAreOneDevices) {
    const libsgemm::MultiDevice group(runner_->context(), devices_);
    Case c = plain_case(32, 200, 100);
    c.problem.ldc = 32;
    c.offset_c = 5; // no column is aligned: cannot be cut
    EXPECT_FALSE(run(group, c));
    c = plain_case(5, 6, 7);
    run(group, c);
    c = plain_case(200, 300, 0);
    c.beta = 0.5F;
    run(group, c);
    c = plain_case(0, 30, 10);
    const HostMatrix nothing(storage_of(plain_case(8, 8, 8).problem).c, 0, Values::uniform, 1);
    const auto buffer = runner_->upload(nothing);
    group.gemm(runner_->queues(), c.problem, 1, {buffer.get()}, {buffer.get()}, 0, {buffer.get()})
        .wait();
}

TEST_F(MultiDeviceTest, BadArgumentsAreRefused) {
    EXPECT_THROW(libsgemm::MultiDevice(runner_->context(), {}), libsgemm::ArgumentError);
    const libsgemm::MultiDevice group(runner_->context(), devices_);
    const Case c = plain_case(100, 100, 100);
    EXPECT_THROW(group.gemm({runner_->queues()[0]}, c.problem, 1, {}, {}, 0, {}),
                 libsgemm::ArgumentError);
    EXPECT_THROW(group.gemm(runner_->queues(), c.problem, 1, {}, {}, 0, {}),
                 libsgemm::ArgumentError);
    std::vector<cl_command_queue> exchanged(runner_->queues().rbegin(), runner_->queues().rend());
    EXPECT_THROW(group.gemm(exchanged, c.problem, 1, {}, {}, 0, {}), libsgemm::ArgumentError);
    EXPECT_EQ(group.statistics(0).kernels_enqueued, 0U);
}

TEST_F(MultiDeviceTest, BadArgumentsOfAProblemThatIsKnownAreRefused) {
    const libsgemm::MultiDevice group(runner_->context(), devices_);
    const Case c = plain_case(100, 100, 100);
    run(group, c);
    EXPECT_THROW(group.gemm(runner_->queues(), c.problem, 1, {}, {}, 0, {}),
                 libsgemm::ArgumentError);
    EXPECT_THROW(group.gemm(runner_->queues(), c.problem, 1, {}, {}, 0, {}, {nullptr}),
                 libsgemm::ArgumentError);
    libsgemm::Problem bad = c.problem;
    bad.ldc = 99;
    for (int time = 0; time < 2; ++time) {
        EXPECT_THROW(group.gemm(runner_->queues(), bad, 1, {}, {}, 0, {}), libsgemm::ArgumentError);
    }
}

} // namespace
} // namespace sgemm_test
