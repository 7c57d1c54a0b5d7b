// SPDX-License-Identifier: Apache-2.0
// What the library puts into queues, as the driver sees it: nothing into those of other calls, no
// dependency on what another call does, and nothing unflushed that another queue waits for.
#include "device/passes.hpp"
#include "faults/layer.hpp"
#include "sgemm/multi_device.hpp"
#include "support/case_data.hpp"
#include "support/device_group.hpp"
#include "support/slow_table.hpp"
#include "support/sub_devices.hpp"
#include "support/temporary_file.hpp"

#include <vector>

namespace sgemm_test {
namespace {

class QueueTraffic : public CallsWithPasses {
protected:
    void SetUp() override {
        CallsWithPasses::SetUp();
        if (IsSkipped() || HasFatalFailure()) {
            return;
        }
        for (Owned<cl_command_queue>& queue : queues_) {
            queue = device().make_queue();
        }
        forget_waits();
    }
    void TearDown() override { report_as_failed(nullptr); }

    libsgemm::Event enqueue(const CaseData& data, cl_command_queue queue,
                            const std::vector<cl_event>& wait_list,
                            libsgemm::Completion completion) {
        return plan_->enqueue(queue, case_.alpha, data.a(), data.b(), case_.beta, data.c(),
                              wait_list, completion);
    }
    cl_command_queue queue_of(std::size_t i) const { return queues_[i].get(); }

    Owned<cl_command_queue> queues_[3];
};

TEST_F(QueueTraffic, CallsTouchNoOtherQueue) {
    const Owned<cl_event> gate = make_user_event(device().context());
    CaseData held(device(), case_);
    enqueue(held, queue_of(0), {gate.get()}, libsgemm::Completion::in_queue);
    const std::uint64_t before = commands_in(queue_of(0));
    for (const libsgemm::Completion completion :
         {libsgemm::Completion::in_queue, libsgemm::Completion::event}) {
        for (const std::size_t i : {1U, 2U, 1U}) {
            CaseData data(device(), case_);
            enqueue(data, queue_of(i), {}, completion);
            EXPECT_TRUE(data.verify(queue_of(i)));
        }
    }
    own_->release_workspace();
    EXPECT_EQ(commands_in(queue_of(0)), before);
    complete(gate);
    EXPECT_TRUE(held.verify(queue_of(0)));
}

TEST_F(QueueTraffic, CallsWaitForNoUnrelatedOne) {
    constexpr int many = 9;
    const Owned<cl_event> gate = make_user_event(device().context());
    std::vector<CaseData> data;
    std::vector<Owned<cl_command_queue>> queues;
    std::vector<libsgemm::Event> events;
    for (int i = 0; i < many; ++i) {
        data.emplace_back(device(), case_);
        queues.push_back(device().make_queue());
        events.push_back(
            enqueue(data.back(), queues.back().get(), {gate.get()}, libsgemm::Completion::event));
    }
    for (const libsgemm::Event& event : events) {
        EXPECT_FALSE(is_waited_for(event.get()));
    }
    complete(gate);
    for (std::size_t i = 0; i < many; ++i) {
        EXPECT_TRUE(data[i].verify(queues[i].get()));
    }
}

/// Other launches of a call of which one failed may still write its workspace. Nor does its failure
/// spread: nothing waits for it.
TEST_F(QueueTraffic, WorkspaceOfAFailedCallIsNotHandedOn) {
    CaseData first(device(), case_);
    const libsgemm::Event done = enqueue(first, queue_of(0), {}, libsgemm::Completion::event);
    done.wait();
    const auto allocations = [&] { return own_->statistics().workspace_allocations; };
    const std::uint64_t before = allocations();
    report_as_failed(done.get());
    CaseData second(device(), case_);
    const libsgemm::Event unrelated = enqueue(second, queue_of(1), {}, libsgemm::Completion::event);
    EXPECT_EQ(allocations(), before + 1);
    EXPECT_FALSE(is_waited_for(done.get()));
    unrelated.wait();
    EXPECT_EQ(status_of(unrelated.get()), CL_COMPLETE);
    report_as_failed(nullptr);
    EXPECT_TRUE(second.verify(queue_of(1)));
    CaseData third(device(), case_);
    enqueue(third, queue_of(2), {}, libsgemm::Completion::event);
    EXPECT_EQ(allocations(), before + 1) << "that of the second call is free";
    EXPECT_TRUE(third.verify(queue_of(2)));
}

TEST_F(QueueTraffic, APackedMatrixIsOnItsWay) {
    const Owned<cl_event> gate = make_user_event(device().context());
    const Case c = plain_case(20, 30, 40);
    CaseData data(device(), c);
    for (const bool is_empty : {false, true}) {
        libsgemm::Problem problem = c.problem;
        problem.k = is_empty ? 0 : problem.k;
        const auto packed =
            own_->pack(queue_of(0), problem, libsgemm::Operand::a, data.a(), {gate.get()});
        EXPECT_FALSE(has_unflushed_commands(queue_of(0)));
    }
    const auto packed =
        own_->pack(queue_of(0), c.problem, libsgemm::Operand::a, data.a(), {gate.get()});
    const std::uint64_t before = unflushed_waits();
    own_->gemm(queue_of(1), c.problem, c.alpha, packed, data.b(), c.beta, data.c());
    EXPECT_TRUE(is_waited_for(packed.event().get()));
    EXPECT_EQ(unflushed_waits(), before);
    complete(gate);
    EXPECT_TRUE(data.verify(queue_of(1)));
}

/// An event that gemm() returned is of a queue that its caller does not know. Here the second
/// device computes all, and the event is of the first one's.
TEST_F(QueueTraffic, SeveralDevicesFlushWhatTheyWaitFor) {
    cl_device_id whole = device().handle().device;
    const auto parts = divide(whole, 2);
    if (parts.empty()) {
        GTEST_SKIP() << "the device cannot be divided";
    }
    const std::vector<cl_device_id> devices{parts[0], whole};
    const DeviceGroupRunner runner(devices);
    const TemporaryFile table("sharing.toml", slow_table(device().handle().traits, {}));
    libsgemm::ContextOptions options;
    options.table_file = table.path();
    const libsgemm::MultiDevice group(runner.context(), devices, options);
    const Case c = plain_case(256, 256, 256);
    const HostMatrix three(storage_of(plain_case(256, 256, 3 * 256).problem).a, 0, c.values, 1);
    const Owned<cl_mem> buffer =
        runner.upload(three); // of all three: so no part of C is a sub-buffer
    const Owned<cl_event> gate = make_user_event(runner.context());
    const auto multiply = [&](cl_event waits_for) {
        constexpr std::int64_t size = 256 * 256;
        return group.gemm(runner.queues(), c.problem, 1, {buffer.get()}, {buffer.get(), size}, 0,
                          {buffer.get(), 2 * size}, {waits_for});
    };
    const libsgemm::Event first = multiply(gate.get());
    ASSERT_GT(group.statistics(1).kernels_enqueued, 0U);
    const std::uint64_t before = unflushed_waits();
    EXPECT_TRUE(has_unflushed_commands(runner.queues()[0])) << "else nothing is shown";
    const libsgemm::Event second = multiply(first.get());
    EXPECT_EQ(unflushed_waits(), before);
    complete(gate);
    second.wait();
}

} // namespace
} // namespace sgemm_test
