// SPDX-License-Identifier: Apache-2.0
// The header for programs that use OpenCL's C++ bindings: each call, with buffers and matrices.
#if __has_include(<CL/opencl.hpp>)
#define CL_HPP_TARGET_OPENCL_VERSION 200
#include <CL/opencl.hpp>
//
#include "sgemm/opencl_hpp.hpp"
#include "support/test_device.hpp"

#include <vector>

namespace sgemm_test {
namespace {

/// Square matrices of whole numbers, two behind each other; C begins as ones.
class OpenClHpp : public DeviceTest {
protected:
    static constexpr std::int64_t extent = 4;
    static constexpr std::size_t size = extent * extent;

    void SetUp() override {
        DeviceTest::SetUp();
        if (IsSkipped() || HasFatalFailure()) {
            return;
        }
        opencl_ = cl::Context(device().context(), true);
        commands_ = cl::CommandQueue(queue(), true);
        std::vector<float> values;
        for (std::size_t i = 0; i < 2 * size; ++i) {
            values.push_back(static_cast<float>(i * 5 % 7) - 3);
        }
        values_ = values;
        a_ =
            cl::Buffer(opencl_, CL_MEM_COPY_HOST_PTR, values.size() * sizeof(float), values.data());
        std::vector<float> ones(2 * size, 1);
        c_ = cl::Buffer(opencl_, CL_MEM_COPY_HOST_PTR, ones.size() * sizeof(float), ones.data());
    }

    /// Of product number i, alpha * A * A + beta.
    void expect(std::size_t i, float alpha, float beta) const {
        std::vector<float> c(2 * size);
        commands_.enqueueReadBuffer(c_, CL_TRUE, 0, c.size() * sizeof(float), c.data());
        for (std::size_t row = 0; row < extent; ++row) {
            for (std::size_t column = 0; column < extent; ++column) {
                float sum = 0;
                for (std::size_t p = 0; p < extent; ++p) {
                    sum += values_[i * size + p * extent + row] *
                           values_[i * size + column * extent + p];
                }
                EXPECT_EQ(c[i * size + column * extent + row], alpha * sum + beta)
                    << row << ' ' << column;
            }
        }
    }

    cl::Context opencl_;
    cl::CommandQueue commands_;
    cl::Buffer a_, c_;
    std::vector<float> values_;
    const libsgemm::Problem problem_{extent, extent, extent};
};

TEST_F(OpenClHpp, GemmTakesBuffersMatricesAndPackedOperands) {
    const struct : cl::Buffer { // as cl::BufferGL is one
    } derived{a_};
    libsgemm::gemm(library(), commands_, problem_, 2, a_, derived, 3, c_).wait();
    expect(0, 2, 3);
    const auto second = static_cast<std::int64_t>(size);
    const cl::Event done =
        libsgemm::gemm(library(), commands_, problem_, 1, {a_(), second},
                       libsgemm::matrix(a_, second), 0, libsgemm::matrix(c_, second));
    expect(1, 1, 0);
    const libsgemm::PackedMatrix packed =
        libsgemm::pack(library(), commands_, problem_, libsgemm::Operand::a, a_, {done});
    EXPECT_EQ(libsgemm::gemm(library(), commands_, problem_, -1, packed, a_, 0, c_, {done},
                             libsgemm::Completion::in_queue)(),
              nullptr);
    expect(0, -1, 0);
}

TEST_F(OpenClHpp, BatchesPlansAndDevices) {
    const auto second = static_cast<std::int64_t>(size);
    const libsgemm::MatrixBatch a = libsgemm::matrix_batch(a_, {0, second});
    const libsgemm::MatrixBatch c = libsgemm::matrix_batch(c_, {0, second});
    libsgemm::gemm_batch(library(), commands_, problem_, 1, a, a, 0, c).wait();
    expect(1, 1, 0);
    libsgemm::gemm_batch(library(), commands_, problem_, {1, 2}, a, a, {0, 0}, c).wait();
    expect(0, 1, 0);
    expect(1, 2, 0);
    libsgemm::enqueue(library().plan(problem_), commands_, 3, a_, a_, 0, c_).wait();
    expect(0, 3, 0);
    const libsgemm::MultiDevice devices =
        libsgemm::make_multi_device(opencl_, {cl::Device(device().handle().device, true)});
    libsgemm::gemm(devices, {commands_}, problem_, 4, a_, a_, 0, c_).wait();
    expect(0, 4, 0);
}

TEST_F(OpenClHpp, TheQueueFindsItsContext) {
    using libsgemm::tight;
    constexpr auto no = libsgemm::Transpose::no;
    libsgemm::gemm(commands_, libsgemm::Layout::column_major, no, no, extent, extent, extent, 5, a_,
                   0, tight, a_, 0, tight, 0, c_, 0, tight)
        .wait();
    expect(0, 5, 0);
    EXPECT_EQ(libsgemm::context_of(commands_).opencl_context(), opencl_());
    libsgemm::release_kept_contexts();
}

} // namespace
} // namespace sgemm_test
#endif
