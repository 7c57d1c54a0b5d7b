// SPDX-License-Identifier: Apache-2.0
// BLAS corner cases that concern the call, whichever kernel runs.
#include "device/kernel_fixture.hpp"
#include "support/case_data.hpp"
#include "support/compare.hpp"

#include <utility>

namespace sgemm_test {
namespace {

class Semantics : public DeviceTest {
protected:
    std::uint64_t kernels_enqueued() const { return library().statistics().kernels_enqueued; }
};

TEST_F(Semantics, EmptyProductsTouchNothing) {
    for (const Extents& extents : {Extents{0, 5, 6}, Extents{5, 0, 6}, Extents{0, 0, 0}}) {
        Case c = plain_case(extents.m, extents.n, extents.k);
        c.beta = 2.0F;
        CaseData data(device(), c);
        const std::uint64_t before = kernels_enqueued();
        data.gemm(library(), queue()).wait();
        EXPECT_EQ(kernels_enqueued(), before);
        EXPECT_TRUE(data.untouched(queue()));
    }
}

TEST_F(Semantics, AnEmptyBatchTouchesNothing) {
    Case c = plain_case(4, 5, 6);
    CaseData data(device(), c);
    libsgemm::Problem none = c.problem;
    none.batch_count = 0;
    library().gemm(queue(), none, 1.0F, data.a(), data.b(), 0.0F, data.c()).wait();
    EXPECT_TRUE(data.untouched(queue()));
}

TEST_F(Semantics, EmptyProductsNeedNoBuffers) {
    const libsgemm::Problem empty = plain_case(0, 5, 6).problem;
    const std::uint64_t before = kernels_enqueued();
    EXPECT_NO_THROW(library().gemm(queue(), empty, 1.0F, {}, {}, 0.0F, {}).wait());
    EXPECT_EQ(kernels_enqueued(), before);
}

TEST_F(Semantics, KZeroScalesC) {
    for (const Form& form : all_forms()) {
        for (const float beta : {0.0F, 1.0F, -1.5F}) {
            Case c = plain_case(37, 21, 0);
            set_form(c, form);
            spread(c.problem, {0, 0, 3});
            c.offset_c = 5;
            c.beta = beta;
            ASSERT_TRUE(runs_right(device(), c));
        }
    }
}

TEST_F(Semantics, AlphaOrKZeroNeedsNoAOrB) {
    for (const std::int64_t k : {0, 9}) {
        Case c = plain_case(19, 23, k);
        c.alpha = k == 0 ? 1.0F : 0.0F;
        c.beta = 0.5F;
        CaseData data(device(), c);
        library().gemm(queue(), c.problem, c.alpha, {}, {}, c.beta, data.c()).wait();
        EXPECT_TRUE(data.verify(queue()));
    }
}

TEST_F(Semantics, ScaledBatchesKeepTheirGaps) {
    Case c = plain_case(7, 5, 3);
    c.problem.batch_count = 4;
    spread(c.problem, {0, 0, 2}, 6);
    c.alpha = 0.0F;
    c.beta = -1.0F;
    EXPECT_TRUE(runs_right(device(), c));
}

TEST_F(Semantics, TightStridesAreTheSmallestLegalOnes) {
    for (const Form& form : all_forms()) {
        Case c = plain_case(13, 8, 21);
        set_form(c, form);
        c.problem.batch_count = 3; // all leading dimensions and strides stay `tight`
        ASSERT_TRUE(runs_right(device(), c));
    }
}

/// One row, one column, one step: elements side by side, which the library may take for a line of
/// either index.
TEST_F(Semantics, VectorsMayLieAlongEitherIndex) {
    for (const Form& form : all_forms()) {
        for (const Extents& extents :
             {Extents{1, 70, 45}, Extents{70, 1, 45}, Extents{40, 50, 1}, Extents{1, 1, 33}}) {
            for (const std::int64_t stride : {libsgemm::tight, std::int64_t{0}, std::int64_t{3}}) {
                Case c = plain_case(extents.m, extents.n, extents.k);
                set_form(c, form);
                c.problem.batch_count = 3;
                c.problem.batch_stride_a = stride; // matrices that are read may overlap
                c.problem.batch_stride_b = stride;
                ASSERT_TRUE(runs_right(device(), c));
                c.options.parts_k = 2;
                c.options.repack = libsgemm::Repack::always;
                ASSERT_TRUE(runs_right(device(), library(), c));
            }
        }
    }
}

TEST_F(Semantics, BatchesMayBeLargerThanAGridDimension) {
    // Many devices take at most 65535 work-groups in the second and third dimension.
    Case c = plain_case(2, 2, 2);
    c.problem.batch_count = 70000;
    EXPECT_TRUE(runs_right(device(), c));
}

TEST_F(Semantics, MatricesMayBeLargerThanAGridDimension) {
    constexpr std::int64_t many = 65536 * 17;
    for (const libsgemm::Layout layout :
         {libsgemm::Layout::column_major, libsgemm::Layout::row_major}) {
        Case c = plain_case(2, many, 1);
        c.problem.layout = layout;
        EXPECT_TRUE(runs_right(device(), c));
        std::swap(c.problem.m, c.problem.n);
        EXPECT_TRUE(runs_right(device(), c));
    }
}

TEST_F(Semantics, StridesOfASingleProductDoNotMatter) {
    Case c = plain_case(13, 8, 21);
    c.problem.batch_stride_a = -7;
    c.problem.batch_stride_c = 0;
    EXPECT_TRUE(runs_right(device(), c));
}

/// A, B and C as blocks of one matrix with a common leading dimension, as LAPACK uses them.
class Blocks : public DeviceTest {
protected:
    static constexpr std::int64_t ld = 96;
    static constexpr std::int64_t at(std::int64_t row, std::int64_t column) {
        return row + column * ld;
    }
    HostMatrix whole_{Storage{ld, 90, 1, ld, 1, 0}, 0, Values::uniform, 11};
    libsgemm::Problem problem_ = [] {
        libsgemm::Problem p = plain_case(30, 28, 33).problem;
        p.lda = p.ldb = p.ldc = ld;
        return p;
    }();
};

TEST_F(Blocks, ProductOfBlocksOfOneMatrixLeavesTheRestAlone) {
    const ProblemStorage storage = storage_of(problem_);
    // A and C share columns: their address ranges interleave without a common element.
    const HostMatrix a(storage.a, at(0, 2), whole_.image());
    const HostMatrix b(storage.b, at(5, 50), whole_.image());
    const HostMatrix c(storage.c, at(31, 10), whole_.image());
    for (const std::string& kernel : {std::string(), kernel_names().front()}) {
        DeviceMatrix buffer(device(), c);
        const cl_mem mem = buffer.matrix().buffer;
        libsgemm::ExpertPlanOptions options;
        options.kernel = kernel;
        library()
            .plan(problem_, options)
            .enqueue(queue(), -1.0F, {mem, a.offset()}, {mem, b.offset()}, 1.0F, buffer.matrix());
        buffer.download(queue());
        EXPECT_EQ(difference_outside("C", c, buffer), "");
        EXPECT_EQ(difference_from_reference(reference_gemm(-1.0F, a, b, 1.0F, c), problem_.k, c,
                                            buffer.image(), Exactness::bounded),
                  "");
    }
}

TEST_F(Blocks, OneSharedElementIsRefused) {
    DeviceMatrix buffer(device(), whole_);
    const cl_mem mem = buffer.matrix().buffer;
    const auto call = [&](std::int64_t a, std::int64_t b, std::int64_t c) {
        library().gemm(queue(), problem_, 1.0F, {mem, a}, {mem, b}, 1.0F, {mem, c});
    };
    const std::int64_t b = at(0, 62);
    EXPECT_NO_THROW(call(at(0, 0), b, at(30, 0)));
    EXPECT_THROW(call(at(0, 0), b, at(29, 0)), libsgemm::ArgumentError);
    EXPECT_THROW(call(at(0, 0), b, at(29, 32)), libsgemm::ArgumentError);
    EXPECT_NO_THROW(call(at(0, 0), b, at(29, 33)));
    EXPECT_THROW(call(at(0, 0), b, at(32, 62)), libsgemm::ArgumentError);
    EXPECT_NO_THROW(call(at(0, 0), b, at(33, 62)));
}

/// OpenCL aligns the memory that it allocates; what the caller lends may start at any float.
TEST_F(Semantics, BuffersInTheCallersMemoryMayStartAnywhere) {
    constexpr std::size_t n = 64;
    std::vector<float> memory[3];
    std::vector<Owned<cl_mem>> buffers;
    for (std::vector<float>& floats : memory) {
        for (std::size_t i = 0; i <= n * n; ++i) {
            floats.push_back(static_cast<float>((i * 7 + floats.capacity()) % 5) - 2.0F);
        }
        cl_int status = CL_SUCCESS;
        buffers.emplace_back(clCreateBuffer(device().context(),
                                            CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
                                            n * n * sizeof(float), floats.data() + 1, &status));
        check_status(status, "clCreateBuffer");
    }
    std::vector<float> expected(n * n);
    for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t p = 0; p < n; ++p) {
                expected[j * n + i] += memory[0][1 + p * n + i] * memory[1][1 + j * n + p];
            }
        }
    }
    libsgemm::Problem problem;
    problem.m = problem.n = problem.k = static_cast<std::int64_t>(n);
    const auto expect_right = [&](const std::string& how) {
        std::vector<float> result(n * n);
        check_status(clEnqueueReadBuffer(queue(), buffers[2].get(), CL_TRUE, 0,
                                         n * n * sizeof(float), result.data(), 0, nullptr, nullptr),
                     "clEnqueueReadBuffer");
        EXPECT_EQ(result, expected) << how;
    };
    library().gemm(queue(), problem, 1.0F, {buffers[0].get()}, {buffers[1].get()}, 0.0F,
                   {buffers[2].get()});
    expect_right("auto");
    for (const std::string& kernel : kernel_names()) {
        const auto& entry = *libsgemm::catalog::kernel_catalog().find(kernel);
        if (!libsgemm::kernel_obstacles(kernel, device().handle().traits).empty() ||
            !entry.tile(entry.defaults()).takes_k(problem.k)) {
            continue;
        }
        libsgemm::ExpertPlanOptions options;
        options.kernel = kernel;
        library()
            .plan(problem, options)
            .enqueue(queue(), 1.0F, {buffers[0].get()}, {buffers[1].get()}, 0.0F,
                     {buffers[2].get()});
        expect_right(kernel);
    }
}

/// Operands whose last elements lie past 2^31 elements, in one buffer that is never filled.
TEST_F(Semantics, IndicesPast2To31AreNotCutOff) {
    constexpr std::int64_t far = (std::int64_t{1} << 31) + 1000;
    constexpr std::int64_t bytes = (far + 100000) * 4;
    const libsgemm::DeviceTraits& traits = device().handle().traits;
    if (traits.max_allocation_bytes < bytes) {
        GTEST_SKIP() << "the device allocates at most " << traits.max_allocation_bytes << " bytes";
    }
    cl_int status = CL_SUCCESS;
    const Owned<cl_mem> huge(clCreateBuffer(device().context(), CL_MEM_READ_WRITE,
                                            static_cast<std::size_t>(bytes), nullptr, &status));
    check_status(status, "clCreateBuffer");
    const Case c = plain_case(40, 30, 20);
    const ProblemStorage storage = storage_of(c.problem);
    const HostMatrix a(storage.a, 0, Values::uniform, 1);
    const HostMatrix b(storage.b, 0, Values::uniform, 2);
    const HostMatrix result(storage.c, 0, Values::all_nan, 3);
    const auto place = [&](const HostMatrix& matrix, std::int64_t offset) {
        check_status(clEnqueueWriteBuffer(queue(), huge.get(), CL_TRUE,
                                          static_cast<std::size_t>(offset) * sizeof(float),
                                          matrix.image().size() * sizeof(float),
                                          matrix.image().data(), 0, nullptr, nullptr),
                     "clEnqueueWriteBuffer");
        return libsgemm::Matrix{huge.get(), offset};
    };
    const libsgemm::Matrix far_a = place(a, far);
    const libsgemm::Matrix far_b = place(b, far + 5000);
    const libsgemm::Matrix far_c = place(result, far + 10000);
    library().gemm(queue(), c.problem, 1.0F, far_a, far_b, 0.0F, far_c).wait();
    std::vector<float> image(result.image().size());
    check_status(clEnqueueReadBuffer(queue(), huge.get(), CL_TRUE,
                                     static_cast<std::size_t>(far_c.offset) * sizeof(float),
                                     image.size() * sizeof(float), image.data(), 0, nullptr,
                                     nullptr),
                 "clEnqueueReadBuffer");
    EXPECT_EQ(difference_from_reference(reference_gemm(1.0F, a, b, 0.0F, result), c.problem.k,
                                        result, image, Exactness::bounded),
              "");
}

} // namespace
} // namespace sgemm_test
