// SPDX-License-Identifier: Apache-2.0
// A device that computes in the calling thread beside one with threads: PoCL's, where POCL_DEVICES
// asks for both.
#include "support/calling_thread.hpp"
#include "support/case_data.hpp"
#include "support/device_matrix.hpp"
#include "support/kernel_variants.hpp"
#include "support/sub_devices.hpp"
#include "support/test_device.hpp"

#include <thread>

namespace sgemm_test {
namespace {

class CallingThread : public CallingThreadTest {};

TEST_F(CallingThread, HasSmallProductsAndTheOthersLargeOnes) {
    EXPECT_TRUE(is_for_calling_thread(plain_case(1, 1, 1).problem));
    EXPECT_TRUE(is_for_calling_thread(plain_case(64, 64, 64).problem));
    if (device().handle().traits.compute_units > 1) {
        EXPECT_FALSE(is_for_calling_thread(plain_case(1024, 1024, 1024).problem));
    }
    for (const std::int64_t n : {1, 100, 300, 1000}) {
        const auto shares = group_->shares(plain_case(n, n, n).problem);
        EXPECT_EQ(shares[0].count + shares[1].count, n);
        EXPECT_TRUE(shares[0].count == 0 || shares[1].count == 0) << "both share the cores";
    }
}

TEST_F(CallingThread, ComputesRightInEveryForm) {
    for (const Form& form : all_forms()) {
        Case c = plain_case(33, 29, 47);
        set_form(c, form);
        c.beta = 0.5F;
        EXPECT_FALSE(runner_->run(*group_, c)) << c;
        spread(c.problem, {3, 5, 4});
        c.offset_c = 7;
        c.beta = 0;
        EXPECT_FALSE(runner_->run(*group_, c)) << c;
        c.problem.batch_count = 3;
        spread(c.problem, {3, 5, 4}, 11);
        EXPECT_FALSE(runner_->run(*group_, c, libsgemm::Completion::in_queue)) << c;
    }
    EXPECT_GT(kernels_of(calling_thread), 0U);
    EXPECT_EQ(kernels_of(0), 0U);
    EXPECT_FALSE(runner_->run(*group_, plain_case(600, 600, 400)));
    if (device().handle().traits.compute_units > 1) {
        EXPECT_GT(kernels_of(0), 0U);
    }
}

TEST_F(CallingThread, HasComputedWhenTheCallReturns) {
    const Ones ones(*runner_, 40);
    const libsgemm::Event done = ones.multiply(*runner_, *group_);
    EXPECT_EQ(status_of(done.get()), CL_COMPLETE);
    EXPECT_EQ(ones.result(*runner_), ones.expected());
}

/// With that handle, which was released, if one of so many comes by it.
Owned<cl_mem> part_with(cl_mem handle, cl_mem whole, std::size_t first, std::size_t size) {
    std::vector<Owned<cl_mem>> others;
    for (int i = 0; i < 4096; ++i) {
        others.push_back(make_part(whole, first, size));
        if (others.back().get() == handle) {
            break;
        }
    }
    return std::move(others.back());
}

/// PoCL gives a new buffer the handle of one that was released, and up to 6.0 looks up a
/// sub-buffer's parent and origin when it becomes an argument.
TEST_F(CallingThread, TellsBuffersOfTheSameHandleApart) {
    constexpr std::int64_t n = 16;
    constexpr std::size_t size = n * n;
    constexpr int blocks = 4;
    constexpr int calls = 24;
    const auto parent_of = [&](int first) { // block i holds first + i
        std::vector<float> values;
        for (int i = 0; i < blocks; ++i) {
            values.insert(values.end(), size, static_cast<float>(first + i));
        }
        return upload(runner_->context(), values);
    };
    const Owned<cl_mem> one = parent_of(1);
    const Owned<cl_mem> two = parent_of(10);
    Ones product(*runner_, n);
    cl_mem before = nullptr;
    int came_back = 0;
    for (int call = 0; call < calls; ++call) {
        const int i = (call + 1) / 2 % blocks; // another place and another parent each time
        const bool first = call / 2 % 2 == 0;
        product.a = part_with(before, first ? one.get() : two.get(),
                              static_cast<std::size_t>(i) * size, size);
        came_back += product.a.get() == before ? 1 : 0;
        before = product.a.get();
        product.multiply(*runner_, *group_);
        const auto element = static_cast<float>(n * ((first ? 1 : 10) + i));
        EXPECT_EQ(product.result(*runner_), std::vector<float>(size, element));
        product.a.reset();
    }
    EXPECT_EQ(kernels_of(calling_thread), static_cast<std::uint64_t>(calls));
    if (came_back == 0) {
        GTEST_SKIP() << "no handle came back: nothing was shown";
    }
}

/// Something stands before a product in the calling thread's queue: a command that waits for
/// another queue's.
TEST_F(CallingThread, IsBehindWhatIsInItsQueue) {
    if (locks_itself_out()) {
        GTEST_SKIP() << "PoCL 3 locks itself out when what a command of this device waits for ends";
    }
    const Ones ones(*runner_, 40);
    const Owned<cl_event> user = make_user_event(runner_->context());
    const std::vector<Owned<cl_event>> before = block_queue(user);
    const libsgemm::Event done = ones.multiply(*runner_, *group_);
    EXPECT_EQ(kernels_of(calling_thread), 1U);
    EXPECT_NE(status_of(done.get()), CL_COMPLETE);
    complete(user);
    EXPECT_EQ(ones.result(*runner_), ones.expected()) << "the first queue is behind it";
}

TEST_F(CallingThread, IsNotKeptByWhatACallWaitsFor) {
    const Ones ones(*runner_, 40);
    const Owned<cl_event> before = make_user_event(runner_->context());
    const libsgemm::Event done = ones.multiply(*runner_, *group_, {before.get()});
    EXPECT_NE(status_of(done.get()), CL_COMPLETE);
    complete(before);
    done.wait();
    EXPECT_EQ(ones.result(*runner_), ones.expected());
    EXPECT_EQ(kernels_of(calling_thread), 0U);
    const libsgemm::Event again = ones.multiply(*runner_, *group_, {before.get(), done.get()});
    EXPECT_EQ(status_of(again.get()), CL_COMPLETE) << "all that it waits for is complete";
    EXPECT_EQ(kernels_of(calling_thread), 1U);
}

TEST_F(CallingThread, ComputesInManyThreadsAtOnce) {
    constexpr int threads = 4;
    constexpr int calls = 50;
    std::vector<std::thread> running;
    std::vector<int> right(threads);
    for (int t = 0; t < threads; ++t) {
        running.emplace_back([&, t] {
            const Ones ones(*runner_, 20 + t);
            for (int call = 0; call < calls; ++call) {
                ones.multiply(*runner_, *group_).wait();
                right[static_cast<std::size_t>(t)] +=
                    ones.result(*runner_) == ones.expected() ? 1 : 0;
            }
        });
    }
    for (std::thread& thread : running) {
        thread.join();
    }
    EXPECT_EQ(right, std::vector<int>(threads, calls));
}

/// PoCL 3.1 to 5.0 ends the process where launches of one kernel are of different widths
/// (cpu_threads/locks/launch_gate.hpp), each wider than all before.
TEST_F(CallingThread, LaunchesOfDifferentWidthsMayMeet) {
    constexpr int threads = 4;
    constexpr int calls = 16;
    constexpr std::int64_t n = 16 * threads * calls;
    std::vector<std::thread> running;
    std::vector<int> right(threads);
    for (int t = 0; t < threads; ++t) {
        running.emplace_back([&, t] {
            cl_int status = CL_SUCCESS;
            const Owned<cl_command_queue> own(
                clCreateCommandQueue(runner_->context(), devices_[calling_thread], 0, &status));
            check_status(status, "clCreateCommandQueue");
            const std::vector<cl_command_queue> queues{runner_->queues()[0], own.get()};
            const Ones ones(*runner_, n);
            for (int call = 0; call < calls; ++call) {
                libsgemm::Problem problem = ones.problem;
                problem.lda = problem.ldb = problem.ldc = n;
                problem.m = 16 * (threads * call + t + 1);
                problem.n = 16;
                problem.k = 64;
                group_->gemm(queues, problem, 1, {ones.a.get()}, {ones.b.get()}, 0, {ones.c.get()})
                    .wait();
                const std::vector<float> result = ones.result(*runner_);
                const auto last = static_cast<std::size_t>(15 * n + problem.m - 1);
                right[static_cast<std::size_t>(t)] += result[0] == 64 && result[last] == 64 ? 1 : 0;
            }
        });
    }
    for (std::thread& thread : running) {
        thread.join();
    }
    EXPECT_EQ(right, std::vector<int>(threads, calls));
}

/// Calls end in the other's queue all the same.
TEST_F(CallingThread, MayBeTheFirstDevice) {
    const std::vector<cl_device_id> devices{
        libsgemm::calling_thread_device(device().handle().device), device().handle().device};
    const DeviceGroupRunner runner(devices);
    const libsgemm::MultiDevice group(runner.context(), devices, options_with(1));
    runner.run(group, plain_case(30, 31, 32));
    EXPECT_EQ(group.statistics(0).kernels_enqueued, 1U);
    runner.run(group, plain_case(30, 31, 32), libsgemm::Completion::in_queue);
    runner.run(group, plain_case(600, 500, 400));
}

TEST_F(CallingThread, HasNoPartOfWhatOthersShare) {
    const std::vector<cl_device_id> parts = divide(device().handle().device, 2);
    if (parts.size() < 2) {
        GTEST_SKIP() << "the device cannot be divided";
    }
    const std::vector<cl_device_id> devices{
        parts[0], parts[1], libsgemm::calling_thread_device(device().handle().device)};
    const DeviceGroupRunner runner(devices);
    const libsgemm::MultiDevice group(runner.context(), devices, options_with(1));
    EXPECT_FALSE(runner.run(group, plain_case(30, 31, 32)));
    EXPECT_EQ(group.statistics(2).kernels_enqueued, 1U);
    EXPECT_EQ(group.statistics(0).kernels_enqueued + group.statistics(1).kernels_enqueued, 0U);
    EXPECT_TRUE(runner.run(group, plain_case(900, 800, 400)));
    EXPECT_TRUE(runner.run(group, plain_case(900, 800, 400), libsgemm::Completion::in_queue));
    EXPECT_EQ(group.statistics(2).kernels_enqueued, 1U);
}

TEST_F(CallingThread, ArgumentsAreChecked) {
    const Ones ones(*runner_, 8);
    const std::vector<cl_command_queue>& queues = runner_->queues();
    EXPECT_THROW(group_->gemm({queues[0]}, ones.problem, 1, {}, {}, 0, {}),
                 libsgemm::ArgumentError);
    EXPECT_THROW(group_->gemm(queues, ones.problem, 1, {}, {}, 0, {}), libsgemm::ArgumentError);
    EXPECT_THROW(group_->gemm({queues[1], queues[0]}, ones.problem, 1, {ones.a.get()},
                              {ones.b.get()}, 0, {ones.c.get()}),
                 libsgemm::ArgumentError);
    EXPECT_THROW(group_->gemm(queues, ones.problem, 1, {ones.a.get()}, {ones.b.get()}, 0,
                              {ones.c.get()}, {nullptr}),
                 libsgemm::ArgumentError);
    libsgemm::Problem bad = ones.problem;
    bad.lda = 2;
    EXPECT_THROW(group_->gemm(queues, bad, 1, {ones.a.get()}, {ones.b.get()}, 0, {ones.c.get()}),
                 libsgemm::ArgumentError);
    EXPECT_EQ(kernels_of(0) + kernels_of(calling_thread), 0U);
}

/// What is remembered of a problem says nothing about the rest of a call.
TEST_F(CallingThread, ArgumentsOfAProblemThatIsKnownAreChecked) {
    const Ones ones(*runner_, 8);
    ones.multiply(*runner_, *group_);
    const std::vector<cl_command_queue>& queues = runner_->queues();
    const libsgemm::Matrix a{ones.a.get()};
    const libsgemm::Matrix b{ones.b.get()};
    const libsgemm::Matrix c{ones.c.get()};
    const auto refuses = [&](const std::vector<cl_command_queue>& given, const libsgemm::Matrix& x,
                             const libsgemm::Matrix& y, const std::vector<cl_event>& wait_list) {
        EXPECT_THROW(group_->gemm(given, ones.problem, 1, x, b, 0, y, wait_list),
                     libsgemm::ArgumentError);
    };
    refuses({queues[1], queues[0]}, a, c, {});
    refuses(queues, {}, c, {});
    refuses(queues, a, {}, {});
    refuses(queues, {ones.a.get(), 1}, c, {});
    refuses(queues, c, c, {});
    refuses(queues, a, c, {nullptr});
    libsgemm::Problem bad = ones.problem;
    bad.lda = 2;
    for (int time = 0; time < 2; ++time) {
        EXPECT_THROW(group_->gemm(queues, bad, 1, a, b, 0, c), libsgemm::ArgumentError);
    }
    EXPECT_EQ(kernels_of(0) + kernels_of(calling_thread), 1U);
    EXPECT_EQ(ones.result(*runner_), ones.expected());
}

TEST_F(CallingThread, EmptyProblemsNeedNoMatrices) {
    for (int time = 0; time < 2; ++time) {
        libsgemm::Problem nothing = plain_case(0, 30, 10).problem;
        group_->gemm(runner_->queues(), nothing, 1, {}, {}, 0, {}).wait();
        nothing = plain_case(30, 30, 10).problem;
        nothing.batch_count = 0;
        group_->gemm(runner_->queues(), nothing, 1, {}, {}, 0, {}).wait();
    }
    EXPECT_EQ(kernels_of(0) + kernels_of(calling_thread), 0U);
}

TEST_F(CallingThread, ComesLastAmongDevicesThatFit) {
    EXPECT_FALSE(libsgemm::select_device("cpu").traits.computes_in_calling_thread);
    cl_device_id found = libsgemm::calling_thread_device(device().handle().device);
    EXPECT_TRUE(libsgemm::query_traits(found).computes_in_calling_thread);
    EXPECT_EQ(libsgemm::calling_thread_device(found), found);
}

} // namespace
} // namespace sgemm_test
