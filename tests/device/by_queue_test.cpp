// SPDX-License-Identifier: Apache-2.0
// gemm() without a Context of the caller's: found by the queue, kept, given up.
#include "sgemm/gemm.hpp"
#include "support/case_data.hpp"
#include "support/test_device.hpp"

#include <string>
#include <thread>
#include <vector>

namespace sgemm_test {
namespace {

class ByQueue : public DeviceTest {
protected:
    void TearDown() override { libsgemm::release_contexts(); }

    static libsgemm::Event multiply(const CaseData& data, cl_command_queue queue,
                                    const std::vector<cl_event>& wait_list = {}) {
        const Case& c = data.test_case();
        const libsgemm::Problem& p = c.problem;
        return libsgemm::gemm(queue, p.layout, p.transpose_a, p.transpose_b, p.m, p.n, p.k, c.alpha,
                              data.a().buffer, data.a().offset, p.lda, data.b().buffer,
                              data.b().offset, p.ldb, c.beta, data.c().buffer, data.c().offset,
                              p.ldc, wait_list);
    }
    static cl_uint references(cl_context context) {
        cl_uint count = 0;
        check_status(
            clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count, nullptr),
            "clGetContextInfo");
        return count;
    }
};

TEST_F(ByQueue, EveryArgumentIsInItsPlace) {
    for (const auto layout : {libsgemm::Layout::column_major, libsgemm::Layout::row_major}) {
        Case c = plain_case(11, 7, 5);
        c.problem.layout = layout;
        c.problem.transpose_b = libsgemm::Transpose::yes;
        c.problem.lda = 13;
        c.problem.ldb = 14;
        c.problem.ldc = 15;
        c.offset_a = 1;
        c.offset_b = 2;
        c.offset_c = 3;
        c.alpha = -1.5F;
        c.beta = 0.5F;
        const CaseData first(device(), c);
        const libsgemm::Event before = multiply(first, queue());
        CaseData data(device(), c);
        multiply(data, queue(), {before.get()}).wait();
        EXPECT_TRUE(data.verify(queue()));
    }
}

TEST_F(ByQueue, ThreadsShareOneContext) {
    const Case c = plain_case(40, 30, 20);
    constexpr int count = 8;
    std::vector<std::string> failures(count);
    {
        std::vector<std::jthread> threads;
        for (std::string& failure : failures) {
            threads.emplace_back([&] {
                const auto own_queue = device().make_queue();
                CaseData data(device(), c);
                multiply(data, own_queue.get());
                if (const auto result = data.verify(own_queue.get()); !result) {
                    failure = result.message();
                }
            });
        }
    }
    EXPECT_EQ(failures, std::vector<std::string>(count));
    EXPECT_GE(libsgemm::context_of(queue()).statistics().kernels_enqueued, failures.size());
}

TEST_F(ByQueue, ContextsAreKeptUntilTheyAreReleased) {
    libsgemm::release_contexts();
    const cl_uint before = references(device().context());
    {
        const libsgemm::Context copy = libsgemm::context_of(queue());
        EXPECT_GT(references(device().context()), before);
        libsgemm::release_contexts();
        CaseData data(device(), plain_case(3, 4, 5));
        data.gemm(copy, queue()).wait(); // a copy stays usable
        EXPECT_TRUE(data.verify(queue()));
    }
    EXPECT_EQ(references(device().context()), before);
}

TEST_F(ByQueue, TheEarliestOfManyIsGivenUp) {
    libsgemm::release_contexts();
    libsgemm::context_of(queue());
    const cl_uint kept = references(device().context());
    cl_device_id id = device().handle().device;
    for (int i = 0; i < 8; ++i) {
        cl_int status = CL_SUCCESS;
        const Owned<cl_context> other(clCreateContext(nullptr, 1, &id, nullptr, nullptr, &status));
        check_status(status, "clCreateContext");
        const Owned<cl_command_queue> own(clCreateCommandQueue(other.get(), id, 0, &status));
        check_status(status, "clCreateCommandQueue");
        EXPECT_EQ(references(device().context()), kept);
        EXPECT_EQ(libsgemm::context_of(own.get()).opencl_context(), other.get());
    }
    EXPECT_LT(references(device().context()), kept);
}

TEST_F(ByQueue, WhatIsNoQueueIsAnArgumentError) {
    try {
        libsgemm::context_of(nullptr);
        ADD_FAILURE() << "no error";
    } catch (const libsgemm::ArgumentError& error) {
        EXPECT_EQ(error.argument(), "queue");
    }
}

} // namespace
} // namespace sgemm_test
