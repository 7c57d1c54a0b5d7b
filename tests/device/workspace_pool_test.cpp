// SPDX-License-Identifier: Apache-2.0
// Who gets which workspace when: calls that are held back by an event of the program's own, so that
// nothing depends on time.
#include "device/passes.hpp"
#include "execute/workspace_pool.hpp"
#include "support/case_data.hpp"
#include "support/opencl_handles.hpp"

#include <chrono>
#include <list>
#include <thread>
#include <vector>

namespace sgemm_test {
namespace {

/// Whether a call ends, within a time that is ample on any machine unless a shorter one is given.
bool ends(const libsgemm::Event& event, cl_command_queue queue,
          std::chrono::seconds patience = std::chrono::seconds(60)) {
    check_status(clFlush(queue), "clFlush");
    const auto latest = std::chrono::steady_clock::now() + patience;
    while (status_of(event.get()) > CL_COMPLETE) {
        if (std::chrono::steady_clock::now() > latest) {
            return false;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return status_of(event.get()) == CL_COMPLETE;
}

/// Long enough for calls to end that nothing holds back: a test may pass by chance without it, but
/// not fail.
void give_time() {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

constexpr std::size_t many = 12;

/// One of them for each call in flight.
struct HeldCall {
    HeldCall(const TestDevice& device, const Case& c, cl_command_queue in_queue)
        : data(device, c), queue(in_queue) {}
    CaseData data;
    cl_command_queue queue;
    libsgemm::Event done;
};

class WorkspacePool : public CallsWithPasses {
protected:
    void SetUp() override {
        CallsWithPasses::SetUp();
        if (IsSkipped() || HasFatalFailure()) {
            return;
        }
        gate_ = make_user_event(device().context());
    }
    void TearDown() override {
        if (gate_ && status_of(gate_.get()) > CL_COMPLETE) {
            complete(gate_); // else queues that are released would wait for ever
        }
        for (const HeldCall& call : calls_) {
            clFinish(call.queue);
        }
    }

    cl_command_queue new_queue(cl_command_queue_properties properties = 0) {
        queues_.push_back(device().make_queue(properties));
        return queues_.back().get();
    }
    HeldCall& call(cl_command_queue queue, const std::vector<cl_event>& wait_list) {
        HeldCall& made = calls_.emplace_back(device(), case_, queue);
        made.done = made.data.enqueue(*plan_, queue, wait_list);
        return made;
    }
    /// Calls that nothing is complete of until the gate opens.
    void hold(std::size_t count, cl_command_queue_properties properties, bool one_queue) {
        cl_command_queue queue = nullptr;
        for (std::size_t i = 0; i < count; ++i) {
            if (queue == nullptr || !one_queue) {
                queue = new_queue(properties);
            }
            call(queue, {gate_.get()});
        }
    }
    void expect_all_right() {
        for (HeldCall& call : calls_) {
            EXPECT_TRUE(call.data.verify(call.queue));
        }
    }
    bool has_out_of_order() const { return device().has_out_of_order_queues(); }
    /// Whether the driver lets a call without workspace pass one that waits for the gate. NVIDIA's
    /// (580) does not.
    bool lets_pass(cl_command_queue queue) {
        Case naive = plain_case(8, 8, 8);
        naive.options.kernel = libsgemm::catalog::kernel_catalog().naive().name;
        const libsgemm::Plan plan = plan_case(*own_, naive);
        const CaseData data(device(), naive);
        const CaseData other(device(), naive);
        const libsgemm::Event held = data.enqueue(plan, queue, {gate_.get()});
        const libsgemm::Event free = other.enqueue(plan, queue, {});
        const bool passes = ends(free, queue, std::chrono::seconds(5));
        if (!passes) {
            complete(gate_);
            clFinish(queue);
        }
        return passes;
    }
    std::uint64_t allocations() const { return own_->statistics().workspace_allocations; }

    static constexpr cl_command_queue_properties out_of_order =
        CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;

    Owned<cl_event> gate_;
    std::vector<Owned<cl_command_queue>> queues_;
    std::list<HeldCall> calls_;
};

TEST_F(WorkspacePool, CallsThatWaitKeepNoOtherQueueBack) {
    hold(many, 0, false);
    HeldCall& unrelated = call(new_queue(), {});
    EXPECT_TRUE(ends(unrelated.done, unrelated.queue));
    give_time();
    for (const HeldCall& held : calls_) {
        if (&held != &unrelated) {
            EXPECT_GT(status_of(held.done.get()), CL_COMPLETE);
        }
    }
    complete(gate_);
    expect_all_right();
}

TEST_F(WorkspacePool, CallsThatWaitKeepNoOthersOfAnOutOfOrderQueueBack) {
    if (!has_out_of_order()) {
        GTEST_SKIP() << "the device has no out-of-order queues";
    }
    if (!lets_pass(new_queue(out_of_order))) {
        GTEST_SKIP() << "the driver runs such a queue in order";
    }
    hold(many, out_of_order, true);
    HeldCall& unrelated = call(calls_.front().queue, {});
    EXPECT_TRUE(ends(unrelated.done, unrelated.queue));
    complete(gate_);
    expect_all_right();
}

TEST_F(WorkspacePool, ShrinksAgainOnceCallsHaveEnded) {
    hold(many, 0, false);
    const std::size_t each = plan_->workspace_bytes();
    EXPECT_GE(own_->statistics().workspace_bytes, many * each);
    complete(gate_);
    expect_all_right();
    CaseData data(device(), case_);
    for (std::uint64_t i = 0; i <= libsgemm::execute::WorkspacePool::kept_calls; ++i) {
        data.enqueue(*plan_, queue()).wait();
    }
    EXPECT_LT(own_->statistics().workspace_bytes, 2 * each);
}

/// Several queues, one after the other: each finds its own.
TEST_F(WorkspacePool, AllocatesNothingOnceItHasGrown) {
    for (int i = 0; i < 3; ++i) {
        for (std::size_t q = 0; q < many; ++q) {
            if (queues_.size() <= q) {
                new_queue();
            }
            call(queues_[q].get(),
                 i == 0 ? std::vector<cl_event>{gate_.get()} : std::vector<cl_event>());
        }
        EXPECT_EQ(allocations(), many) << "round " << i;
    }
}

TEST_F(WorkspacePool, AChainOfCallsNeedsOneBuffer) {
    libsgemm::Event last =
        call(new_queue(has_out_of_order() ? out_of_order : 0), {gate_.get()}).done;
    cl_command_queue other = new_queue();
    for (std::size_t i = 0; i < many; ++i) {
        check_status(clFlush(calls_.back().queue), "clFlush");
        last = call(i % 2 == 0 ? other : calls_.front().queue, {last.get()}).done;
    }
    EXPECT_EQ(allocations(), 1U);
    complete(gate_);
    expect_all_right();
}

TEST_F(WorkspacePool, LargerOnesTakeThePlaceOfSmallerOnes) {
    Case c = case_;
    c.beta = 0; // calls repeat
    Case larger = c;
    larger.problem.m *= 3;
    const libsgemm::Plan plan = plan_case(*own_, larger);
    ASSERT_GT(plan.workspace_bytes(), plan_->workspace_bytes());
    CaseData small(device(), c);
    CaseData large(device(), larger);
    for (int i = 0; i < 3; ++i) {
        small.enqueue(*plan_, queue());
        large.enqueue(plan, queue());
    }
    EXPECT_EQ(allocations(), 2U);
    EXPECT_EQ(own_->statistics().workspace_bytes, plan.workspace_bytes());
    EXPECT_TRUE(large.verify(queue()));
    EXPECT_TRUE(small.verify(queue()));
}

/// A program that enqueues without end does not take memory without end.
TEST_F(WorkspacePool, AnOutOfOrderQueueHoldsSoManyAtMost) {
    if (!has_out_of_order()) {
        GTEST_SKIP() << "the device has no out-of-order queues";
    }
    constexpr std::size_t most = libsgemm::execute::WorkspacePool::most_in_flight;
    hold(3 * most, out_of_order, true);
    EXPECT_EQ(allocations(), most);
    complete(gate_);
    expect_all_right();
}

/// Without events from the program the pool sees to those that it needs: none gets what another
/// queue may still use, and none is lost.
TEST_F(WorkspacePool, QueuesWithoutEventsFindTheirOwn) {
    CaseData first(device(), case_);
    CaseData second(device(), case_);
    cl_command_queue queues[] = {new_queue(), new_queue()};
    const auto enqueue = [&](const CaseData& data, cl_command_queue queue,
                             const std::vector<cl_event>& wait_list) {
        plan_->enqueue(queue, case_.alpha, data.a(), data.b(), 0, data.c(), wait_list,
                       libsgemm::Completion::in_queue);
    };
    enqueue(first, queues[0], {gate_.get()});
    for (int i = 0; i < 3; ++i) {
        enqueue(second, queues[1], {});
        enqueue(first, queues[0], {});
    }
    check_status(clFinish(queues[1]), "clFinish"); // does not wait for the gate
    EXPECT_EQ(allocations(), 2U);
    complete(gate_);
    check_status(clFinish(queues[0]), "clFinish");
    enqueue(second, new_queue(), {});
    EXPECT_EQ(allocations(), 2U) << "their ends are known";
}

} // namespace
} // namespace sgemm_test
