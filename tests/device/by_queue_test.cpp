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
    void TearDown() override { libsgemm::release_kept_contexts(); }

    static libsgemm::Event multiply(const CaseData& data, cl_command_queue queue,
                                    const std::vector<cl_event>& wait_list = {}) {
        const Case& c = data.test_case();
        const libsgemm::Problem& p = c.problem;
        return libsgemm::gemm(queue, p.layout, p.transpose_a, p.transpose_b, p.m, p.n, p.k, c.alpha,
                              data.a().buffer, data.a().offset, p.lda, data.b().buffer,
                              data.b().offset, p.ldb, c.beta, data.c().buffer, data.c().offset,
                              p.ldc, wait_list);
    }
    /// A new Context has made no plan yet.
    static bool is_new(const libsgemm::Context& context) {
        return context.statistics().plans_made == 0;
    }
    /// Has contexts of so many cl_contexts kept.
    void keep_others(int count) const {
        cl_device_id id = device().handle().device;
        for (int i = 0; i < count; ++i) {
            cl_int status = CL_SUCCESS;
            const Owned<cl_context> other(
                clCreateContext(nullptr, 1, &id, nullptr, nullptr, &status));
            check_status(status, "clCreateContext");
            const Owned<cl_command_queue> own(clCreateCommandQueue(other.get(), id, 0, &status));
            check_status(status, "clCreateCommandQueue");
            EXPECT_EQ(libsgemm::context_of(own.get()).opencl_context(), other.get());
        }
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
    libsgemm::release_kept_contexts();
    const Case c = plain_case(3, 4, 5);
    multiply(CaseData(device(), c), queue()).wait();
    const libsgemm::Context copy = libsgemm::context_of(queue());
    EXPECT_FALSE(is_new(copy));
    libsgemm::release_kept_contexts();
    EXPECT_TRUE(is_new(libsgemm::context_of(queue())));
    CaseData data(device(), c);
    data.gemm(copy, queue()).wait(); // a copy stays usable
    EXPECT_TRUE(data.verify(queue()));
    EXPECT_TRUE(is_new(libsgemm::context_of(queue())));
}

TEST_F(ByQueue, TheEarliestOfManyIsGivenUp) {
    libsgemm::release_kept_contexts();
    libsgemm::context_of(queue()).plan(libsgemm::Problem(3, 4, 5));
    keep_others(7);
    EXPECT_FALSE(is_new(libsgemm::context_of(queue()))) << "the latest again";
    keep_others(7);
    EXPECT_FALSE(is_new(libsgemm::context_of(queue())));
    keep_others(8);
    EXPECT_TRUE(is_new(libsgemm::context_of(queue())));
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
