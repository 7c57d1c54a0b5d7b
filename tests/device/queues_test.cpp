// SPDX-License-Identifier: Apache-2.0
// Wait lists, events, in-order and out-of-order queues.
#include "device/kernel_fixture.hpp"
#include "support/case_data.hpp"
#include "support/compare.hpp"
#include "support/opencl_handles.hpp"

#include <chrono>
#include <memory>
#include <thread>

namespace sgemm_test {
namespace {

/// Long enough that work which did not wait would be done.
void give_time() {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

/// Whether what is enqueued now has to wait.
bool holds_back(cl_command_queue queue) {
    cl_event marker = nullptr;
    check_status(clEnqueueMarkerWithWaitList(queue, 0, nullptr, &marker),
                 "clEnqueueMarkerWithWaitList");
    const Owned<cl_event> behind(marker);
    check_status(clFlush(queue), "clFlush");
    give_time();
    return status_of(behind.get()) != CL_COMPLETE;
}

/// Writes a matrix to the device in a command of its own.
Owned<cl_event> enqueue_write(cl_command_queue queue, const libsgemm::Matrix& matrix,
                              const HostMatrix& host, cl_event after) {
    cl_event event = nullptr;
    check_status(clEnqueueWriteBuffer(queue, matrix.buffer, CL_FALSE, 0,
                                      host.image().size() * sizeof(float), host.image().data(), 1,
                                      &after, &event),
                 "clEnqueueWriteBuffer");
    return Owned<cl_event>(event);
}

/// What the operands hold until enqueue_write(): nothing but NaN.
DeviceMatrix make_unwritten(const TestDevice& device, const HostMatrix& host) {
    return {device, HostMatrix(host.storage(), host.offset(), Values::all_nan, 1)};
}

class KernelQueues : public KernelTest {
protected:
    Owned<cl_command_queue> out_of_order_queue() const {
        return device().make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    }
    bool unavailable() const { return !device().has_out_of_order_queues(); }

    /// C = `calls` * alpha * op(A) * op(B) + C before, exactly.
    static void expect_sum_of(int calls, CaseData& result, cl_command_queue queue) {
        const Case& c = result.test_case();
        const HostMatrix& before = result.host_c();
        const Reference once =
            reference_gemm(c.alpha, result.host_a(), result.host_b(), 0.0F, before);
        const std::vector<float> image = result.result(queue);
        for (std::int64_t i = 0; i < c.problem.m; ++i) {
            for (std::int64_t j = 0; j < c.problem.n; ++j) {
                const double expected =
                    calls * once.at(0, i, j).value + static_cast<double>(before.at(0, i, j));
                ASSERT_EQ(static_cast<double>(before.in(image, 0, i, j)), expected)
                    << "C(" << i << ", " << j << "): " << c;
            }
        }
    }
};

TEST_P(KernelQueues, NoPassStartsBeforeTheWaitList) {
    if (refused()) {
        return;
    }
    const auto queue = unavailable() ? device().make_queue() : out_of_order_queue();
    const Case c = make_case(ragged(), all_forms()[3]);
    CaseData data(device(), c);
    const HostMatrix& a = data.host_a();
    const HostMatrix& b = data.host_b();
    DeviceMatrix late_a = make_unwritten(device(), a);
    DeviceMatrix late_b = make_unwritten(device(), b);
    const libsgemm::Plan plan = plan_case(library(), c);

    const Owned<cl_event> gate = make_user_event(device().context());
    const Owned<cl_event> wrote_a = enqueue_write(queue.get(), late_a.matrix(), a, gate.get());
    const Owned<cl_event> wrote_b = enqueue_write(queue.get(), late_b.matrix(), b, gate.get());
    const libsgemm::Event done =
        plan.enqueue(queue.get(), c.alpha, late_a.matrix(), late_b.matrix(), c.beta, data.c(),
                     {wrote_a.get(), wrote_b.get()});
    check_status(clFlush(queue.get()), "clFlush");
    give_time();
    EXPECT_NE(status_of(done.get()), CL_COMPLETE) << "did not wait: " << c;

    complete(gate);
    done.wait();
    EXPECT_TRUE(data.verify(queue.get()));
}

TEST_P(KernelQueues, EventsAloneOrderAChainOfCalls) {
    if (refused()) {
        return;
    }
    if (unavailable()) {
        GTEST_SKIP() << "the device has no out-of-order queues";
    }
    // C = A B + C, again and again: each call depends on the one before. Integers keep it exact.
    const auto queue = out_of_order_queue();
    constexpr int calls = 5;
    Case c = make_case(ragged(), all_forms()[0]);
    c.values = Values::small_integers;
    c.beta = 1.0F;
    CaseData data(device(), c);
    const libsgemm::Plan plan = plan_case(library(), c);
    libsgemm::Event last = data.enqueue(plan, queue.get());
    for (int i = 1; i < calls; ++i) {
        last = data.enqueue(plan, queue.get(), {last.get()});
    }
    last.wait();
    expect_sum_of(calls, data, queue.get());
}

/// C = A B + C again and again, alternating with another queue that takes workspace from the same
/// pool, and behind a gate, so that nothing is complete when the next call looks for workspace.
TEST_P(KernelQueues, CallsWithoutAnEventShareAPoolOfWorkspace) {
    if (refused()) {
        return;
    }
    constexpr int calls = 6; // more than the pool keeps
    Case c = make_case(ragged(), all_forms()[3]);
    c.values = Values::small_integers;
    c.beta = 1.0F;
    const libsgemm::Plan plan = plan_case(library(), c);
    const Owned<cl_command_queue> queues[] = {
        device().make_queue(), unavailable() ? device().make_queue() : out_of_order_queue()};
    CaseData results[] = {CaseData(device(), c), CaseData(device(), c)};
    const Owned<cl_event> gate = make_user_event(device().context());
    libsgemm::Event last; // of the queue that may be out of order
    for (int i = 0; i < calls; ++i) {
        const libsgemm::Event none = plan.enqueue(
            queues[0].get(), c.alpha, results[0].a(), results[0].b(), c.beta, results[0].c(),
            i == 0 ? std::vector<cl_event>{gate.get()} : std::vector<cl_event>(),
            libsgemm::Completion::in_queue);
        EXPECT_EQ(none.get(), nullptr);
        last = results[1].enqueue(plan, queues[1].get(), {i == 0 ? gate.get() : last.get()});
    }
    complete(gate);
    for (int q = 0; q < 2; ++q) {
        check_status(clFinish(queues[q].get()), "clFinish");
        expect_sum_of(calls, results[q], queues[q].get());
    }
}

/// More queues than the pool keeps buffers, none of which has ended: none gets another's.
TEST_P(KernelQueues, NobodyWaitsForAnotherQueueThatMakesNoEvents) {
    if (refused()) {
        return;
    }
    constexpr std::size_t count = 7;
    Case c = make_case(ragged(), all_forms()[0]);
    c.values = Values::small_integers;
    c.beta = 1.0F;
    const libsgemm::Plan plan = plan_case(library(), c);
    const Owned<cl_event> gate = make_user_event(device().context());
    std::vector<Owned<cl_command_queue>> queues;
    std::vector<CaseData> results;
    const auto call = [&](std::size_t i, const std::vector<cl_event>& wait_list) {
        plan.enqueue(queues[i].get(), c.alpha, results[i].a(), results[i].b(), c.beta,
                     results[i].c(), wait_list, libsgemm::Completion::in_queue);
    };
    for (std::size_t i = 0; i < count; ++i) {
        queues.push_back(device().make_queue());
        results.emplace_back(device(), c);
        call(i, {gate.get()});
    }
    // The gate is still closed; what does not wait for it has to end.
    const auto free_queue = device().make_queue();
    CaseData free_result(device(), c);
    free_result.enqueue(plan, free_queue.get()).wait();
    expect_sum_of(1, free_result, free_queue.get());
    complete(gate);
    for (std::size_t i = 0; i < count; ++i) {
        call(i, {});
    }
    for (std::size_t i = 0; i < count; ++i) {
        check_status(clFinish(queues[i].get()), "clFinish");
        expect_sum_of(2, results[i], queues[i].get());
    }
}

SGEMM_FOR_EVERY_KERNEL(KernelQueues);

class Queues : public DeviceTest {
protected:
    /// Its plans of ragged problems pad, which takes workspace.
    libsgemm::Context library_with_workspace() const {
        libsgemm::ExpertPlanOptions padded;
        padded.kernel = "tiled";
        padded.edges = libsgemm::EdgeStrategy::padding;
        libsgemm::ContextOptions options;
        options.expert = std::make_shared<libsgemm::ExpertPlanOptions>(padded);
        return device().make_library(options);
    }
};

TEST_F(Queues, InOrderCallsNeedNoEvents) {
    // D = (A B) B: the second call reads what the first one writes.
    Case first = plain_case(48, 48, 48);
    first.values = Values::small_integers;
    CaseData data(device(), first);
    const HostMatrix poisoned(storage_of(first.problem).c, 0, Values::all_nan, 1);
    DeviceMatrix product(device(), poisoned);
    data.gemm(library(), queue());
    library().gemm(queue(), first.problem, 1.0F, data.c(), data.b(), 0.0F, product.matrix());
    const HostMatrix intermediate(storage_of(first.problem).a, 0, data.result(queue()));
    product.download(queue());
    EXPECT_EQ(
        difference_from_reference(reference_gemm(1.0F, intermediate, data.host_b(), 0.0F, poisoned),
                                  first.problem.k, poisoned, product.image(), Exactness::exact),
        "");
}

TEST_F(Queues, WithoutAnEventWhatIsBehindTheCallWaits) {
    for (const std::int64_t m : {20, 0}) { // one that computes, one with nothing to do
        const auto own_queue = device().make_queue();
        const Owned<cl_event> gate = make_user_event(device().context());
        const Case c = plain_case(m, 20, 20);
        CaseData data(device(), c);
        const libsgemm::Event none =
            library().gemm(own_queue.get(), c.problem, c.alpha, data.a(), data.b(), c.beta,
                           data.c(), {gate.get()}, libsgemm::Completion::in_queue);
        EXPECT_EQ(none.get(), nullptr);
        EXPECT_NO_THROW(none.wait());
        EXPECT_TRUE(holds_back(own_queue.get())) << "m = " << m;
        complete(gate);
        EXPECT_TRUE(data.verify(own_queue.get()));
    }
}

TEST_F(Queues, AnEmptyBatchStillWaits) {
    for (const auto completion : {libsgemm::Completion::event, libsgemm::Completion::in_queue}) {
        const auto own_queue = device().make_queue();
        const Owned<cl_event> gate = make_user_event(device().context());
        const Case c = plain_case(20, 20, 20);
        library().gemm_batch(own_queue.get(), c.problem, 1.0F, {}, {}, 0.0F, {}, {gate.get()},
                             completion);
        EXPECT_TRUE(holds_back(own_queue.get()));
        complete(gate);
        check_status(clFinish(own_queue.get()), "clFinish");
    }
}

TEST_F(Queues, QueuesMayBeReleasedBehindACallWithoutAnEvent) {
    const libsgemm::Context own = library_with_workspace();
    const Case c = plain_case(70, 50, 90);
    for (int i = 0; i < 6; ++i) { // each of a queue that the one before is gone for
        CaseData data(device(), c);
        const auto own_queue = device().make_queue();
        own.gemm(own_queue.get(), c.problem, c.alpha, data.a(), data.b(), c.beta, data.c(), {},
                 libsgemm::Completion::in_queue);
        EXPECT_TRUE(data.verify(own_queue.get()));
    }
    EXPECT_LE(own.statistics().workspace_allocations, 6U);
}

TEST_F(Queues, WorkspaceOfCallsWithoutAnEventCanBeReleased) {
    const libsgemm::Context own = library_with_workspace();
    const Case c = plain_case(70, 50, 90);
    CaseData data(device(), c);
    own.gemm(queue(), c.problem, c.alpha, data.a(), data.b(), c.beta, data.c(), {},
             libsgemm::Completion::in_queue);
    EXPECT_GT(own.statistics().workspace_bytes, 0U);
    own.release_workspace(); // whether or not the device is done
    EXPECT_EQ(own.statistics().workspace_bytes, 0U);
    EXPECT_TRUE(data.verify(queue()));
}

TEST_F(Queues, EveryEventOfTheWaitListCounts) {
    const auto own_queue = device().make_queue();
    const Owned<cl_event> gates[] = {make_user_event(device().context()),
                                     make_user_event(device().context())};
    const Case c = plain_case(20, 20, 20);
    CaseData data(device(), c);
    const libsgemm::Event done =
        data.gemm(library(), own_queue.get(), {gates[0].get(), gates[1].get()});
    complete(gates[1]);
    check_status(clFlush(own_queue.get()), "clFlush");
    give_time();
    EXPECT_NE(status_of(done.get()), CL_COMPLETE);
    complete(gates[0]);
    done.wait();
    EXPECT_TRUE(data.verify(own_queue.get()));
}

TEST_F(Queues, AnEmptyProductStillWaits) {
    const auto own_queue = device().make_queue();
    const Owned<cl_event> gate = make_user_event(device().context());
    CaseData data(device(), plain_case(0, 20, 20));
    const libsgemm::Event done = data.gemm(library(), own_queue.get(), {gate.get()});
    ASSERT_NE(done.get(), nullptr);
    check_status(clFlush(own_queue.get()), "clFlush");
    give_time();
    EXPECT_NE(status_of(done.get()), CL_COMPLETE);
    complete(gate);
    EXPECT_NO_THROW(done.wait());
}

TEST_F(Queues, TheEventCompletesWithTheLastKernel) {
    const Case c = plain_case(150, 130, 110);
    CaseData data(device(), c);
    const auto own_queue = device().make_queue();
    data.gemm(library(), own_queue.get()).wait();
    // Another queue knows nothing of that one but what the event promised.
    EXPECT_TRUE(data.verify(queue()));
}

TEST_F(Queues, OneContextServesManyQueues) {
    std::vector<Owned<cl_command_queue>> queues;
    std::vector<CaseData> calls;
    for (std::uint64_t i = 0; i < 4; ++i) {
        Case c = plain_case(60, 50, 40);
        c.seed = i;
        queues.push_back(device().make_queue());
        calls.emplace_back(device(), c);
        calls.back().gemm(library(), queues.back().get());
    }
    for (std::size_t i = 0; i < calls.size(); ++i) {
        EXPECT_TRUE(calls[i].verify(queues[i].get()));
    }
}

} // namespace
} // namespace sgemm_test
