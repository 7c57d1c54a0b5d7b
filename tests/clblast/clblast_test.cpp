// SPDX-License-Identifier: Apache-2.0
// The CLBlast drop-in by its C functions: values, codes, events. No CLBlast stands behind it here.
#include "sgemm/device.hpp"
#include "support/opencl_handles.hpp"

#include <cstddef>
#include <cstdlib>
#include <exception>
#include <gtest/gtest.h>
#include <string>
#include <vector>

extern "C" {
int CLBlastSgemm(int layout, int a_transpose, int b_transpose, std::size_t m, std::size_t n,
                 std::size_t k, float alpha, cl_mem a, std::size_t a_offset, std::size_t a_ld,
                 cl_mem b, std::size_t b_offset, std::size_t b_ld, float beta, cl_mem c,
                 std::size_t c_offset, std::size_t c_ld, cl_command_queue* queue, cl_event* event);
int CLBlastSgemmBatched(int layout, int a_transpose, int b_transpose, std::size_t m, std::size_t n,
                        std::size_t k, const float* alphas, cl_mem a, const std::size_t* a_offsets,
                        std::size_t a_ld, cl_mem b, const std::size_t* b_offsets, std::size_t b_ld,
                        const float* betas, cl_mem c, const std::size_t* c_offsets,
                        std::size_t c_ld, std::size_t batch_count, cl_command_queue* queue,
                        cl_event* event);
int CLBlastSgemmStridedBatched(int layout, int a_transpose, int b_transpose, std::size_t m,
                               std::size_t n, std::size_t k, float alpha, cl_mem a,
                               std::size_t a_offset, std::size_t a_ld, std::size_t a_stride,
                               cl_mem b, std::size_t b_offset, std::size_t b_ld,
                               std::size_t b_stride, float beta, cl_mem c, std::size_t c_offset,
                               std::size_t c_ld, std::size_t c_stride, std::size_t batch_count,
                               cl_command_queue* queue, cl_event* event);
}

namespace sgemm_test {
namespace {

constexpr int row_major = 101;
constexpr int column_major = 102;
constexpr int no = 111;
constexpr int yes = 112;
constexpr int conjugate = 113;
constexpr float untouched = -77;

/// Matrices of 8 x 8 elements, one behind the other, of small whole numbers: sums are exact.
class ClblastTest : public ::testing::Test {
protected:
    static constexpr std::size_t extent = 8;
    static constexpr std::size_t count = 3 * extent * extent;

    void SetUp() override {
        try {
            handle_ = libsgemm::select_device();
        } catch (const std::exception& error) {
            const char* required = std::getenv("SGEMM_REQUIRE_DEVICE");
            ASSERT_FALSE(required != nullptr && std::string(required) == "1") << error.what();
            GTEST_SKIP() << error.what();
        }
        cl_int status = CL_SUCCESS;
        context_.reset(clCreateContext(nullptr, 1, &handle_.device, nullptr, nullptr, &status));
        check_status(status, "clCreateContext");
        queue_owner_.reset(clCreateCommandQueue(context_.get(), handle_.device, 0, &status));
        check_status(status, "clCreateCommandQueue");
        queue_ = queue_owner_.get();
        for (std::size_t i = 0; i < count; ++i) {
            a_.push_back(static_cast<float>(i * 7 % 11) - 5);
            b_.push_back(static_cast<float>(i * 5 % 13) - 6);
        }
        a_buffer_ = make_buffer(a_);
        b_buffer_ = make_buffer(b_);
        c_buffer_ = make_buffer(std::vector<float>(count, untouched));
    }

    Owned<cl_mem> make_buffer(std::vector<float> values) const {
        cl_int status = CL_SUCCESS;
        Owned<cl_mem> buffer(clCreateBuffer(context_.get(), CL_MEM_COPY_HOST_PTR,
                                            values.size() * sizeof(float), values.data(), &status));
        check_status(status, "clCreateBuffer");
        return buffer;
    }

    std::vector<float> result() const {
        std::vector<float> c(count);
        check_status(clEnqueueReadBuffer(queue_, c_buffer_.get(), CL_TRUE, 0, count * sizeof(float),
                                         c.data(), 0, nullptr, nullptr),
                     "clEnqueueReadBuffer");
        return c;
    }

    /// Element (row, column) of op(A) * op(B), all of 8 x 8 and tight, of the matrices at `offset`.
    float product(int layout, int ta, int tb, std::size_t row, std::size_t column,
                  std::size_t offset = 0) const {
        const auto at = [&](const std::vector<float>& matrix, bool is_transposed, std::size_t i,
                            std::size_t j) {
            const bool by_rows = (layout == row_major) != is_transposed;
            return matrix[offset + (by_rows ? i * extent + j : j * extent + i)];
        };
        float sum = 0;
        for (std::size_t p = 0; p < extent; ++p) {
            sum += at(a_, ta != no, row, p) * at(b_, tb != no, p, column);
        }
        return sum;
    }

    int gemm(std::size_t m, std::size_t n, std::size_t k, std::size_t lda, std::size_t ldb,
             std::size_t ldc) {
        return CLBlastSgemm(column_major, no, no, m, n, k, 1, a_buffer_.get(), 0, lda,
                            b_buffer_.get(), 0, ldb, 0, c_buffer_.get(), 0, ldc, &queue_, nullptr);
    }

    libsgemm::DeviceHandle handle_;
    Owned<cl_context> context_;
    Owned<cl_command_queue> queue_owner_;
    cl_command_queue queue_ = nullptr;
    std::vector<float> a_, b_;
    Owned<cl_mem> a_buffer_, b_buffer_, c_buffer_;
};

TEST_F(ClblastTest, EveryLayoutAndTransposeIsRight) {
    for (const int layout : {row_major, column_major}) {
        for (const int ta : {no, yes, conjugate}) {
            for (const int tb : {no, yes, conjugate}) {
                cl_event event = nullptr;
                ASSERT_EQ(CLBlastSgemm(layout, ta, tb, extent, extent, extent, 2, a_buffer_.get(),
                                       0, extent, b_buffer_.get(), 0, extent, 0, c_buffer_.get(), 0,
                                       extent, &queue_, &event),
                          0);
                const Owned<cl_event> done(event);
                ASSERT_EQ(clWaitForEvents(1, &event), CL_SUCCESS);
                const std::vector<float> c = result();
                for (std::size_t i = 0; i < extent; ++i) {
                    for (std::size_t j = 0; j < extent; ++j) {
                        ASSERT_EQ(c[layout == row_major ? i * extent + j : j * extent + i],
                                  2 * product(layout, ta, tb, i, j))
                            << layout << ' ' << ta << ' ' << tb << ' ' << i << ' ' << j;
                    }
                }
            }
        }
    }
}

TEST_F(ClblastTest, BatchesHaveAnAlphaAndABetaForEachProduct) {
    constexpr std::size_t size = extent * extent;
    const float alphas[] = {1, -2, 1};
    const float betas[] = {0, 1, 0};
    const std::size_t offsets[] = {0, size, 2 * size};
    cl_event event = nullptr;
    ASSERT_EQ(CLBlastSgemmBatched(column_major, no, yes, extent, extent, extent, alphas,
                                  a_buffer_.get(), offsets, extent, b_buffer_.get(), offsets,
                                  extent, betas, c_buffer_.get(), offsets, extent, 3, &queue_,
                                  &event),
              0);
    const Owned<cl_event> done(event);
    ASSERT_EQ(clWaitForEvents(1, &event), CL_SUCCESS);
    const std::vector<float> c = result();
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t e = 0; e < size; ++e) {
            const float expected =
                alphas[i] * product(column_major, no, yes, e % extent, e / extent, i * size);
            ASSERT_EQ(c[i * size + e], expected + betas[i] * untouched) << i << ' ' << e;
        }
    }
}

TEST_F(ClblastTest, StridedBatchesNeedNoEvent) {
    constexpr std::size_t size = extent * extent;
    ASSERT_EQ(CLBlastSgemmStridedBatched(row_major, no, no, extent, extent, extent, 1,
                                         a_buffer_.get(), 0, extent, size, b_buffer_.get(), 0,
                                         extent, size, 0, c_buffer_.get(), 0, extent, size, 3,
                                         &queue_, nullptr),
              0);
    const std::vector<float> c = result();
    for (std::size_t i = 0; i < 3; ++i) {
        ASSERT_EQ(c[i * size + 3 * extent + 5], product(row_major, no, no, 3, 5, i * size));
    }
}

TEST_F(ClblastTest, WrongArgumentsHaveClblastsCodesAndTouchNothing) {
    EXPECT_EQ(gemm(0, 8, 8, 8, 8, 8), -1017);
    EXPECT_EQ(gemm(8, 8, 0, 8, 8, 8), -1017);
    EXPECT_EQ(gemm(8, 8, 8, 7, 8, 8), -1016);
    EXPECT_EQ(gemm(8, 8, 8, 8, 7, 8), -1015);
    EXPECT_EQ(gemm(8, 8, 8, 8, 8, 7), -1014);
    EXPECT_EQ(gemm(8, 8, 100, 8, 100, 8), -1011) << "A is too small";
    EXPECT_EQ(gemm(8, 100, 8, 8, 8, 8), -1010) << "B is too small";
    EXPECT_EQ(gemm(8, 8, 8, 8, 8, 100), -1009) << "C is too small";
    const auto with = [&](cl_mem a, cl_mem b, cl_mem c, cl_command_queue* queue) {
        return CLBlastSgemm(column_major, no, no, 8, 8, 8, 1, a, 0, 8, b, 0, 8, 0, c, 0, 8, queue,
                            nullptr);
    };
    EXPECT_EQ(with(nullptr, b_buffer_.get(), c_buffer_.get(), &queue_), -1022);
    EXPECT_EQ(with(a_buffer_.get(), nullptr, c_buffer_.get(), &queue_), -1021);
    EXPECT_EQ(with(a_buffer_.get(), b_buffer_.get(), nullptr, &queue_), -1020);
    cl_command_queue none = nullptr;
    EXPECT_EQ(with(a_buffer_.get(), b_buffer_.get(), c_buffer_.get(), &none), -36);
    EXPECT_EQ(CLBlastSgemmStridedBatched(column_major, no, no, 8, 8, 8, 1, a_buffer_.get(), 0, 8,
                                         64, b_buffer_.get(), 0, 8, 64, 0, c_buffer_.get(), 0, 8,
                                         64, 0, &queue_, nullptr),
              -2049);
    EXPECT_EQ(result(), std::vector<float>(count, untouched));
}

TEST_F(ClblastTest, WhatOnlyClblastCanDoIsNotImplementedWithoutIt) {
    ::testing::internal::CaptureStderr();
    const int status = CLBlastSgemmStridedBatched(
        column_major, no, no, 8, 8, 8, 1, a_buffer_.get(), 0, 4, 0, b_buffer_.get(), 0, 8, 0, 0,
        c_buffer_.get(), 0, 8, 64, 1, &queue_, nullptr); // columns of A overlap
    EXPECT_EQ(status, -1024);
    EXPECT_NE(::testing::internal::GetCapturedStderr().find("there is no CLBlast"),
              std::string::npos);
    EXPECT_EQ(result(), std::vector<float>(count, untouched));
}

} // namespace
} // namespace sgemm_test
