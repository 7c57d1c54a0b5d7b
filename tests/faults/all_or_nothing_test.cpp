// SPDX-License-Identifier: Apache-2.0
// What several launches need is had before the first of them is enqueued: where a program cannot be
// had, C is as it was.
#include "faults/layer.hpp"
#include "sgemm/multi_device.hpp"
#include "support/case_data.hpp"
#include "support/slow_table.hpp"
#include "support/sub_devices.hpp"
#include "support/temporary_file.hpp"

#include <functional>
#include <string>
#include <vector>

namespace sgemm_test {
namespace {

class AllOrNothing : public DeviceTest {
protected:
    /// Fails call after call of those that programs are made with, until a run does not reach the
    /// n-th any more.
    static void fail_each_build(const std::function<void()>& scenario) {
        int reported = 0;
        for (const char* entry_point : {"clCreateProgramWithSource", "clBuildProgram",
                                        "clCreateKernel", "clGetKernelWorkGroupInfo"}) {
            bool has_failed = true;
            for (int n = 1; has_failed; ++n) {
                SCOPED_TRACE(std::string(entry_point) + " number " + std::to_string(n));
                const std::uint64_t enqueued = kernels_enqueued();
                fail_call(entry_point, n);
                try {
                    scenario();
                    has_failed = stop_failing();
                } catch (const libsgemm::Error& error) {
                    has_failed = stop_failing();
                    ++reported;
                    EXPECT_EQ(kernels_enqueued(), enqueued) << error.what();
                }
            }
        }
        EXPECT_GT(reported, 4);
    }
};

TEST_F(AllOrNothing, ABatchOfOffsets) {
    // The second product of the batch needs another plan, as its A begins at an odd place; the last
    // ones are a run.
    Case c = plain_case(64, 64, 64);
    c.offset_a = c.offset_b = c.offset_c = 8 * 64 * 64;
    const CaseData data(device(), c);
    const std::int64_t one = 64 * 64;
    fail_each_build([&] {
        const libsgemm::Context cold = device().make_library();
        cold.gemm_batch(queue(), c.problem, 1, {data.a().buffer, {0, 1, 0, 0, 0, 0}},
                        {data.b().buffer, {0, 3, 0, one, 2 * one, 3 * one}}, 0,
                        {data.c().buffer, {0, one + 1, 3 * one, 4 * one, 5 * one, 6 * one}})
            .wait();
    });
}

TEST_F(AllOrNothing, SeveralDevices) {
    const std::vector<cl_device_id> pair = divide(device().handle().device, 2);
    if (pair.size() < 2) {
        GTEST_SKIP() << "the device cannot be divided";
    }
    cl_int status = CL_SUCCESS;
    const Owned<cl_context> context(
        clCreateContext(nullptr, 2, pair.data(), nullptr, nullptr, &status));
    check_status(status, "clCreateContext");
    std::vector<Owned<cl_command_queue>> queues;
    std::vector<cl_command_queue> raw_queues;
    std::vector<Owned<cl_mem>> buffers;
    libsgemm::Problem problem;
    problem.m = problem.n = problem.k = 256;
    for (cl_device_id part : pair) {
        queues.emplace_back(clCreateCommandQueue(context.get(), part, 0, &status));
        check_status(status, "clCreateCommandQueue");
        raw_queues.push_back(queues.back().get());
    }
    for (int i = 0; i < 3; ++i) {
        std::vector<float> ones(static_cast<std::size_t>(problem.m * problem.n), 1.0F);
        buffers.emplace_back(clCreateBuffer(context.get(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                            ones.size() * sizeof(float), ones.data(), &status));
        check_status(status, "clCreateBuffer");
    }
    const TemporaryFile table("sharing.toml", slow_table(device().handle().traits, {}));
    libsgemm::ContextOptions options;
    options.table_file = table.path();
    {
        const libsgemm::MultiDevice group(context.get(), pair, options);
        const auto shares = group.shares(problem);
        ASSERT_TRUE(shares[0].count > 0 && shares[1].count > 0) << "both have something to do";
    }
    fail_each_build([&] {
        const libsgemm::MultiDevice cold(context.get(), pair, options);
        cold.gemm(raw_queues, problem, 1, {buffers[0].get(), 0}, {buffers[1].get(), 0}, 0,
                  {buffers[2].get(), 0})
            .wait();
    });
}

} // namespace
} // namespace sgemm_test
