// SPDX-License-Identifier: Apache-2.0
// The CLBlast drop-in by its C and C++ functions: values, codes, events, with no CLBlast
// behind it, and with one.
#include "sgemm/clblast.h"
#include "sgemm/device.hpp"
#include "support/opencl_handles.hpp"

#include <array>
#include <cstddef>
#include <cstdlib>
#include <dlfcn.h>
#include <exception>
#include <filesystem>
#include <gtest/gtest.h>
#include <link.h>
#include <random>
#include <string>
#include <vector>

namespace sgemm_test {
namespace {

constexpr auto row_major = CLBlastLayoutRowMajor;
constexpr auto column_major = CLBlastLayoutColMajor;
constexpr auto no = CLBlastTransposeNo;
constexpr auto yes = CLBlastTransposeYes;
constexpr auto conjugate = CLBlastTransposeConjugate;
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
    float product(CLBlastLayout layout, CLBlastTranspose ta, CLBlastTranspose tb, std::size_t row,
                  std::size_t column, std::size_t offset = 0) const {
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

    CLBlastStatusCode gemm(std::size_t m, std::size_t n, std::size_t k, std::size_t lda,
                           std::size_t ldb, std::size_t ldc) {
        return CLBlastSgemm(column_major, no, no, m, n, k, 1, a_buffer_.get(), 0, lda,
                            b_buffer_.get(), 0, ldb, 0, c_buffer_.get(), 0, ldc, &queue_, nullptr);
    }

    /// Each column of A begins in the one before.
    static constexpr std::size_t overlapping = 4;
    CLBlastStatusCode multiply_overlapping_columns() {
        const float one = 1;
        const float zero = 0;
        const std::size_t offset = 0;
        return CLBlastSgemmBatched(column_major, no, no, 8, 8, 8, &one, a_buffer_.get(), &offset,
                                   overlapping, b_buffer_.get(), &offset, 8, &zero, c_buffer_.get(),
                                   &offset, 8, 1, &queue_, nullptr);
    }

    libsgemm::DeviceHandle handle_;
    Owned<cl_context> context_;
    Owned<cl_command_queue> queue_owner_;
    cl_command_queue queue_ = nullptr;
    std::vector<float> a_, b_;
    Owned<cl_mem> a_buffer_, b_buffer_, c_buffer_;
};

TEST_F(ClblastTest, EveryLayoutAndTransposeIsRight) {
    for (const auto layout : {row_major, column_major}) {
        for (const auto ta : {no, yes, conjugate}) {
            for (const auto tb : {no, yes, conjugate}) {
                cl_event event = nullptr;
                ASSERT_EQ(CLBlastSgemm(layout, ta, tb, extent, extent, extent, 2, a_buffer_.get(),
                                       0, extent, b_buffer_.get(), 0, extent, 0, c_buffer_.get(), 0,
                                       extent, &queue_, &event),
                          CLBlastSuccess);
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
              CLBlastSuccess);
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

TEST_F(ClblastTest, TheTemplatesAreTheSameInTheLibrarysNamespace) {
    namespace clblast = libsgemm::clblast;
    std::size_t bytes = 1;
    EXPECT_EQ(clblast::GemmTempBufferSize<float>(clblast::Layout::kRowMajor,
                                                 clblast::Transpose::kNo, clblast::Transpose::kYes,
                                                 8, 8, 8, 0, 8, 0, 8, 0, 8, &queue_, bytes),
              clblast::StatusCode::kSuccess);
    EXPECT_EQ(bytes, 0U);
    EXPECT_EQ(clblast::Gemm(clblast::Layout::kRowMajor, clblast::Transpose::kNo,
                            clblast::Transpose::kYes, 8, 8, 8, 3.0F, a_buffer_.get(), 0, 8,
                            b_buffer_.get(), 0, 8, 0.0F, c_buffer_.get(), 0, 8, &queue_),
              clblast::StatusCode::kSuccess);
    EXPECT_EQ(result()[3 * extent + 5], 3 * product(row_major, no, yes, 3, 5));
}

TEST_F(ClblastTest, StridedBatchesNeedNoEvent) {
    constexpr std::size_t size = extent * extent;
    ASSERT_EQ(CLBlastSgemmStridedBatched(row_major, no, no, extent, extent, extent, 1,
                                         a_buffer_.get(), 0, extent, size, b_buffer_.get(), 0,
                                         extent, size, 0, c_buffer_.get(), 0, extent, size, 3,
                                         &queue_, nullptr),
              CLBlastSuccess);
    const std::vector<float> c = result();
    for (std::size_t i = 0; i < 3; ++i) {
        ASSERT_EQ(c[i * size + 3 * extent + 5], product(row_major, no, no, 3, 5, i * size));
    }
}

TEST_F(ClblastTest, WrongArgumentsHaveClblastsCodesAndTouchNothing) {
    EXPECT_EQ(gemm(0, 8, 8, 8, 8, 8), CLBlastInvalidDimension);
    EXPECT_EQ(gemm(8, 8, 0, 8, 8, 8), CLBlastInvalidDimension);
    EXPECT_EQ(gemm(8, 8, 8, 7, 8, 8), CLBlastInvalidLeadDimA);
    EXPECT_EQ(gemm(8, 8, 8, 8, 7, 8), CLBlastInvalidLeadDimB);
    EXPECT_EQ(gemm(8, 8, 8, 8, 8, 7), CLBlastInvalidLeadDimC);
    EXPECT_EQ(gemm(8, 8, 100, 8, 100, 8), CLBlastInsufficientMemoryA) << "A is too small";
    EXPECT_EQ(gemm(8, 100, 8, 8, 8, 8), CLBlastInsufficientMemoryB) << "B is too small";
    EXPECT_EQ(gemm(8, 8, 8, 8, 8, 100), CLBlastInsufficientMemoryC) << "C is too small";
    const auto with = [&](cl_mem a, cl_mem b, cl_mem c, cl_command_queue* queue) {
        return CLBlastSgemm(column_major, no, no, 8, 8, 8, 1, a, 0, 8, b, 0, 8, 0, c, 0, 8, queue,
                            nullptr);
    };
    EXPECT_EQ(with(nullptr, b_buffer_.get(), c_buffer_.get(), &queue_), CLBlastInvalidMatrixA);
    EXPECT_EQ(with(a_buffer_.get(), nullptr, c_buffer_.get(), &queue_), CLBlastInvalidMatrixB);
    EXPECT_EQ(with(a_buffer_.get(), b_buffer_.get(), nullptr, &queue_), CLBlastInvalidMatrixC);
    cl_command_queue none = nullptr;
    EXPECT_EQ(with(a_buffer_.get(), b_buffer_.get(), c_buffer_.get(), &none),
              CLBlastInvalidCommandQueue);
    EXPECT_EQ(with(a_buffer_.get(), b_buffer_.get(), c_buffer_.get(), nullptr),
              CLBlastInvalidCommandQueue);
    std::size_t bytes = 1;
    EXPECT_EQ(
        CLBlastSGemmTempBufferSize(column_major, no, no, 8, 8, 8, 0, 8, 0, 8, 0, 8, &none, &bytes),
        CLBlastInvalidCommandQueue);
    EXPECT_EQ(bytes, 1U);
    const auto strided = [&](std::size_t lda, std::size_t ldc, std::size_t stride_b,
                             std::size_t batch_count) {
        return CLBlastSgemmStridedBatched(column_major, no, no, 8, 8, 8, 1, a_buffer_.get(), 0, lda,
                                          64, b_buffer_.get(), 0, 8, stride_b, 0, c_buffer_.get(),
                                          0, ldc, 64, batch_count, &queue_, nullptr);
    };
    EXPECT_EQ(strided(8, 7, 64, 3), CLBlastInvalidLeadDimC);
    EXPECT_EQ(strided(4, 8, 64, 3), CLBlastInvalidLeadDimA);
    EXPECT_EQ(strided(8, 8, 65, 3), CLBlastInsufficientMemoryB) << "the third one";
    EXPECT_EQ(strided(8, 8, 64, 0), CLBlastInvalidBatchCount);
    const float ones[] = {1, 1};
    const std::size_t offsets[] = {0, 64};
    const std::size_t too_far[] = {129, 0};
    const auto batched = [&](const std::size_t* a_offsets, const std::size_t* c_offsets) {
        return CLBlastSgemmBatched(column_major, no, no, 8, 8, 8, ones, a_buffer_.get(), a_offsets,
                                   8, b_buffer_.get(), offsets, 8, ones, c_buffer_.get(), c_offsets,
                                   8, 2, &queue_, nullptr);
    };
    EXPECT_EQ(batched(too_far, offsets), CLBlastInsufficientMemoryA);
    EXPECT_EQ(batched(offsets, too_far), CLBlastInsufficientMemoryC);
    EXPECT_EQ(result(), std::vector<float>(count, untouched));
}

/// Nor is the drop-in CLBlast where it is installed as that.
TEST_F(ClblastTest, WhatOnlyClblastCanDoIsNotImplementedWithoutIt) {
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(multiply_overlapping_columns(), CLBlastNotImplemented);
    EXPECT_NE(::testing::internal::GetCapturedStderr().find("there is no CLBlast"),
              std::string::npos);
    EXPECT_EQ(result(), std::vector<float>(count, untouched));
}

/// With CLBlast in the process, loaded so that no other library sees it.
class BesideClblast : public ClblastTest {
protected:
    void SetUp() override {
        ClblastTest::SetUp();
        clblast_ = dlopen("libclblast.so.1", RTLD_LAZY | RTLD_LOCAL);
        if (clblast_ == nullptr && !IsSkipped()) {
            GTEST_SKIP() << dlerror();
        }
    }

    /// CLBlast's function of the same name.
    template <class Function>
    Function* real(Function* own) const {
        Dl_info info{};
        EXPECT_NE(dladdr(reinterpret_cast<void*>(own), &info), 0);
        return reinterpret_cast<Function*>(dlsym(clblast_, info.dli_sname));
    }

    /// The name of its file, which ends with its version: CLBlast has no function that tells it.
    std::string file() const {
        link_map* library = nullptr;
        EXPECT_EQ(dlinfo(clblast_, RTLD_DI_LINKMAP, &library), 0) << dlerror();
        return library == nullptr ? "" : std::filesystem::canonical(library->l_name).filename();
    }

    void* clblast_ = nullptr;
};

TEST_F(BesideClblast, WhatOnlyItCanDoIsLeftToIt) {
    EXPECT_EQ(multiply_overlapping_columns(), CLBlastSuccess);
    float sum = 0;
    for (std::size_t p = 0; p < extent; ++p) {
        sum += a_[p * overlapping + 3] * b_[5 * extent + p];
    }
    EXPECT_EQ(result()[5 * extent + 3], sum);
}

/// Every call is wrong, since C's buffer is too small for any, and many are in other ways, too.
/// Which of several mistakes a call is told of may be another with any version of CLBlast.
TEST_F(BesideClblast, WrongCallsHaveTheSameCodes) {
    const std::string compared = "libclblast.so.1.5.3";
    if (file() != compared) {
        GTEST_SKIP() << file() << ": the order of checks is that of " << compared;
    }
    namespace clblast = libsgemm::clblast;
    auto* const gemm = real(clblast::Gemm<float>);
    auto* const gemm_batched = real(clblast::GemmBatched<float>);
    auto* const gemm_strided_batched = real(clblast::GemmStridedBatched<float>);
    ASSERT_NE(gemm, nullptr);
    ASSERT_NE(gemm, &clblast::Gemm<float>);
    std::mt19937 random(1);
    const auto below = [&](std::size_t end) { return random() % end; };
    const float ones[] = {1, 1};
    const Owned<cl_mem> small = make_buffer({0});
    for (int i = 0; i < 3000; ++i) {
        const auto size = [&] { return below(12) == 0 ? 0 : 2 + below(7); };
        const std::size_t m = size();
        const std::size_t n = size();
        const std::size_t k = size();
        const auto ld = [&] { return below(5) == 0 ? below(9) : 8; };
        const std::size_t lda = ld();
        const std::size_t ldb = ld();
        const std::size_t ldc = ld();
        const auto offsets = [&] {
            return std::array{below(9) == 0 ? below(300) : 0, below(9) == 0 ? below(300) : 64};
        };
        const auto at_a = offsets();
        const auto at_b = offsets();
        const std::size_t at_c[] = {below(3), 64};
        const auto or_null = [&](cl_mem buffer) { return below(15) == 0 ? nullptr : buffer; };
        cl_mem a = or_null(a_buffer_.get());
        cl_mem b = or_null(b_buffer_.get());
        cl_mem c = or_null(small.get());
        const auto layout = static_cast<clblast::Layout>(101 + below(2));
        const auto ta = static_cast<clblast::Transpose>(111 + below(3));
        const auto tb = static_cast<clblast::Transpose>(111 + below(3));
        const std::size_t products = below(3);
        const auto same = [&](auto* own, auto* clblasts, auto... arguments) {
            const clblast::StatusCode code = own(arguments...);
            EXPECT_EQ(code, clblasts(arguments...)) << i;
            EXPECT_NE(code, clblast::StatusCode::kSuccess) << i;
        };
        same(clblast::Gemm<float>, gemm, layout, ta, tb, m, n, k, 1.0F, a, at_a[0], lda, b, at_b[0],
             ldb, 0.0F, c, at_c[0], ldc, &queue_, nullptr, nullptr);
        same(clblast::GemmBatched<float>, gemm_batched, layout, ta, tb, m, n, k, ones, a,
             at_a.data(), lda, b, at_b.data(), ldb, ones, c, at_c, ldc, products, &queue_, nullptr);
        same(clblast::GemmStridedBatched<float>, gemm_strided_batched, layout, ta, tb, m, n, k,
             1.0F, a, at_a[0], lda, at_a[1], b, at_b[0], ldb, at_b[1], 0.0F, c, at_c[0], ldc,
             at_c[1], products, &queue_, nullptr);
    }
}

} // namespace
} // namespace sgemm_test
