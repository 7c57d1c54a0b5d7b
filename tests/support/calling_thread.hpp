// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/multi_device.hpp"
#include "support/case_data.hpp"
#include "support/device_group.hpp"
#include "support/device_matrix.hpp"
#include "support/slow_table.hpp"
#include "support/temporary_file.hpp"
#include "support/test_device.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sgemm_test {

inline constexpr std::size_t calling_thread = 1; ///< the device's number in the group

/// A device with threads, and beside it one of the same cores that computes in the thread that
/// calls: PoCL's, where POCL_DEVICES asks for both.
class CallingThreadTest : public DeviceTest {
protected:
    void SetUp() override {
        DeviceTest::SetUp();
        if (IsSkipped() || HasFatalFailure()) {
            return;
        }
        cl_device_id with_threads = device().handle().device;
        cl_device_id without = libsgemm::calling_thread_device(with_threads);
        if (without == nullptr || without == with_threads) {
            GTEST_SKIP() << "the platform offers no device that computes in the calling thread "
                            "beside this one";
        }
        devices_ = {with_threads, without};
        runner_.emplace(devices_);
        table_.emplace("slow_units.toml", slow_units());
        group_.emplace(make_group(1));
    }
    void TearDown() override {
        group_.reset();
        runner_.reset();
    }
    /// A table by which the calling thread, or threads that share with it, compute small products
    /// (up to 2e6 multiplications, in one launch) and the other device large ones (from 1e8 on):
    /// its threads take two milliseconds to wake. Nobody affords a pass, unless it is asked for.
    std::string slow_units(double pass_us = 1e6) const {
        return slow_table(libsgemm::query_traits(devices_[calling_thread]), {2000, pass_us});
    }
    /// A kernel that no built-in row makes fast enough to be chosen.
    static std::string row_of(const std::string& kernel) {
        return "[[kernel]]\nname = \"" + kernel + "\"\nmodel = { efficiency = 1 }\n";
    }
    /// By that table. `threads` compute where the calling thread does; 0: as many as it likes.
    libsgemm::ContextOptions options_with(int threads) const {
        libsgemm::ContextOptions options;
        options.caller_threads = threads;
        options.table_file = table_->path();
        return options;
    }
    libsgemm::MultiDevice make_group(int threads) const {
        return {runner_->context(), devices_, options_with(threads)};
    }
    std::uint64_t kernels_of(std::size_t device) const {
        return group_->statistics(device).kernels_enqueued;
    }
    bool is_for_calling_thread(const libsgemm::Problem& problem) const {
        return group_->shares(problem)[calling_thread].count > 0;
    }
    /// A command in the calling thread's queue that another queue's waits for, which waits for
    /// `user`.
    std::vector<Owned<cl_event>> block_queue(const Owned<cl_event>& user) const {
        cl_int status = CL_SUCCESS;
        const Owned<cl_command_queue> other(
            clCreateCommandQueue(runner_->context(), devices_[0], 0, &status));
        check_status(status, "clCreateCommandQueue");
        const auto marker = [](cl_command_queue queue, cl_event waits_for) {
            cl_event event = nullptr;
            check_status(clEnqueueMarkerWithWaitList(queue, 1, &waits_for, &event),
                         "clEnqueueMarkerWithWaitList");
            check_status(clFlush(queue), "clFlush");
            return Owned<cl_event>(event);
        };
        std::vector<Owned<cl_event>> events;
        events.push_back(marker(other.get(), user.get()));
        events.push_back(marker(runner_->queues()[calling_thread], events.back().get()));
        return events;
    }
    bool locks_itself_out() const {
        return device().handle().traits.driver_version.starts_with("3.");
    }

    std::vector<cl_device_id> devices_;
    std::optional<DeviceGroupRunner> runner_;
    std::optional<TemporaryFile> table_;
    std::optional<libsgemm::MultiDevice> group_;
};

/// A product of this size on matrices of ones: all elements of C are k.
struct Ones {
    Ones(const DeviceGroupRunner& runner, std::int64_t n) : problem(plain_case(n, n, n).problem) {
        const std::vector<float> ones(static_cast<std::size_t>(n * n), 1.0F);
        for (auto* buffer : {&a, &b, &c}) {
            *buffer = upload(runner.context(), ones);
        }
    }
    libsgemm::Event multiply(const DeviceGroupRunner& runner, const libsgemm::MultiDevice& group,
                             const std::vector<cl_event>& wait_list = {}) const {
        return group.gemm(runner.queues(), problem, 1, {a.get()}, {b.get()}, 0, {c.get()},
                          wait_list);
    }
    std::vector<float> result(const DeviceGroupRunner& runner) const {
        std::vector<float> values(static_cast<std::size_t>(problem.m * problem.n));
        check_status(clEnqueueReadBuffer(runner.queues()[0], c.get(), CL_TRUE, 0,
                                         values.size() * sizeof(float), values.data(), 0, nullptr,
                                         nullptr),
                     "clEnqueueReadBuffer");
        return values;
    }
    std::vector<float> expected() const {
        return std::vector<float>(static_cast<std::size_t>(problem.m * problem.n),
                                  static_cast<float>(problem.k));
    }

    libsgemm::Problem problem;
    Owned<cl_mem> a, b, c;
};

} // namespace sgemm_test
