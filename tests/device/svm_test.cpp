// SPDX-License-Identifier: Apache-2.0
// Matrices in shared virtual memory, coarse and fine grain, alone and beside buffers.
#include "sgemm/multi_device.hpp"
#include "sgemm/sgemm.h"
#include "support/case_data.hpp"
#include "support/compare.hpp"
#include "support/kernel_variants.hpp"
#include "support/test_device.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

namespace sgemm_test {
namespace {

/// Shared virtual memory, as long as this object.
class SvmMemory {
public:
    SvmMemory(const TestDevice& device, cl_svm_mem_flags flags, const HostMatrix& host)
        : device_(device), is_fine_((flags & CL_MEM_SVM_FINE_GRAIN_BUFFER) != 0),
          bytes_(host.image().size() * sizeof(float)),
          memory_(static_cast<float*>(clSVMAlloc(device.context(), flags, bytes_, 0))) {
        map(CL_MAP_WRITE);
        std::memcpy(memory_, host.image().data(), bytes_);
        unmap();
    }
    ~SvmMemory() {
        clFinish(device_.queue());
        clSVMFree(device_.context(), memory_);
    }
    SvmMemory(const SvmMemory&) = delete;
    SvmMemory& operator=(const SvmMemory&) = delete;

    float* get() const { return memory_; }
    std::vector<float> contents() const {
        map(CL_MAP_READ);
        std::vector<float> result(memory_, memory_ + bytes_ / sizeof(float));
        unmap();
        return result;
    }

private:
    void map(cl_map_flags flags) const {
        if (memory_ == nullptr) {
            throw std::bad_alloc();
        }
        if (!is_fine_) {
            check_status(clEnqueueSVMMap(device_.queue(), CL_TRUE, flags, memory_, bytes_, 0,
                                         nullptr, nullptr),
                         "clEnqueueSVMMap");
        }
    }
    void unmap() const {
        if (!is_fine_) {
            check_status(clEnqueueSVMUnmap(device_.queue(), memory_, 0, nullptr, nullptr),
                         "clEnqueueSVMUnmap");
            check_status(clFinish(device_.queue()), "clFinish");
        }
    }

    const TestDevice& device_;
    bool is_fine_;
    std::size_t bytes_;
    float* memory_;
};

class Svm : public DeviceTest {
protected:
    cl_device_svm_capabilities capabilities() const {
        cl_device_svm_capabilities result = 0;
        clGetDeviceInfo(device().handle().device, CL_DEVICE_SVM_CAPABILITIES, sizeof result,
                        &result, nullptr);
        return result;
    }
    /// The kinds of allocations that the device has.
    std::vector<cl_svm_mem_flags> kinds() const {
        std::vector<cl_svm_mem_flags> result;
        if ((capabilities() & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER) != 0) {
            result.push_back(CL_MEM_READ_WRITE);
        }
        if ((capabilities() & CL_DEVICE_SVM_FINE_GRAIN_BUFFER) != 0) {
            result.push_back(CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER);
        }
        return result;
    }

    Case make_case(const Form& form, float beta) const {
        Case c = plain_case(45, 35, 25);
        set_form(c, form);
        spread(c.problem, {1, 2, 3});
        c.offset_a = 5;
        c.offset_c = 16;
        c.beta = beta;
        return c;
    }
    static HostMatrix host(const Storage& storage, std::int64_t offset, bool poisoned,
                           std::uint64_t seed) {
        return {storage, offset, poisoned ? Values::all_nan : Values::uniform, seed};
    }

    /// The result in SVM against the reference, everything around it against what it was.
    static void expect_right(const Case& c, const HostMatrix& a, const HostMatrix& b,
                             const HostMatrix& before, const std::vector<float>& image) {
        const Reference reference = reference_gemm(c.alpha, a, b, c.beta, before);
        EXPECT_EQ(
            difference_from_reference(reference, c.problem.k, before, image, Exactness::bounded),
            "")
            << c;
        const std::vector<bool> mask = before.element_mask();
        for (std::size_t i = 0; i < image.size(); ++i) {
            ASSERT_TRUE(mask[i] || same_bits(image[i], before.image()[i])) << i;
        }
    }
};

TEST_F(Svm, EveryFormAndGrainIsRight) {
    if (kinds().empty()) {
        GTEST_SKIP() << "the device has no shared virtual memory";
    }
    for (const cl_svm_mem_flags kind : kinds()) {
        for (const Form& form : all_forms()) {
            for (const float beta : {0.0F, 0.5F}) {
                const Case c = make_case(form, beta);
                const ProblemStorage storage = storage_of(c.problem);
                const HostMatrix a = host(storage.a, c.offset_a, false, 1);
                const HostMatrix b = host(storage.b, c.offset_b, false, 2);
                const HostMatrix to = host(storage.c, c.offset_c, beta == 0, 3);
                const SvmMemory svm_a(device(), kind, a);
                const SvmMemory svm_b(device(), kind, b);
                const SvmMemory svm_c(device(), kind, to);
                library()
                    .gemm(queue(), c.problem, c.alpha,
                          libsgemm::svm_matrix(svm_a.get(), c.offset_a),
                          libsgemm::svm_matrix(svm_b.get() + c.offset_b), c.beta,
                          libsgemm::svm_matrix(svm_c.get(), c.offset_c))
                    .wait();
                expect_right(c, a, b, to, svm_c.contents());
            }
        }
    }
}

TEST_F(Svm, MixesWithBuffersAndPasses) {
    if (kinds().empty()) {
        GTEST_SKIP() << "the device has no shared virtual memory";
    }
    Case c = make_case(all_forms()[3], 0.5F);
    c.options.kernel = "06_register_tiles_2d"; // copies both operands, and C
    const CaseData data(device(), c);          // B is its buffer
    const SvmMemory svm_a(device(), kinds().front(), data.host_a());
    const SvmMemory svm_c(device(), kinds().front(), data.host_c());
    plan_case(library(), c)
        .enqueue(queue(), c.alpha, libsgemm::svm_matrix(svm_a.get(), c.offset_a), data.b(), c.beta,
                 libsgemm::svm_matrix(svm_c.get(), c.offset_c))
        .wait();
    expect_right(c, data.host_a(), data.host_b(), data.host_c(), svm_c.contents());
}

/// Kernel objects are used again, also of one program for A and for B, and with workspace in the
/// place of C.
TEST_F(Svm, TakesTurnsWithBuffers) {
    if (kinds().empty()) {
        GTEST_SKIP() << "the device has no shared virtual memory";
    }
    for (const std::size_t form : {std::size_t{1}, std::size_t{3}}) { // NT: `pad` for both operands
        for (const std::int64_t extent : {64, 45}) {                  // whole tiles, then copies
            Case c = make_case(all_forms()[form], 0.5F);
            c.problem.m = c.problem.n = c.problem.k = extent;
            spread(c.problem, {0, 0, 0});
            c.options.kernel = "06_register_tiles_2d";
            const libsgemm::Plan plan = plan_case(library(), c);
            for (unsigned turn = 0; turn < 9; ++turn) { // all eight sets, then the first again
                const auto is_pointer = [turn](unsigned place) {
                    return (turn * 5 >> place) % 2 == 1;
                };
                CaseData data(device(), c);
                const SvmMemory svm_a(device(), kinds().front(),
                                      data.host_a()); // gone with this iteration
                const SvmMemory svm_b(device(), kinds().front(), data.host_b());
                const SvmMemory svm_c(device(), kinds().front(), data.host_c());
                plan.enqueue(
                        queue(), c.alpha,
                        is_pointer(0) ? libsgemm::svm_matrix(svm_a.get(), c.offset_a) : data.a(),
                        is_pointer(1) ? libsgemm::svm_matrix(svm_b.get(), c.offset_b) : data.b(),
                        c.beta,
                        is_pointer(2) ? libsgemm::svm_matrix(svm_c.get(), c.offset_c) : data.c())
                    .wait();
                expect_right(c, data.host_a(), data.host_b(), data.host_c(),
                             is_pointer(2) ? svm_c.contents() : data.result(queue()));
            }
        }
    }
}

TEST_F(Svm, ThroughTheCInterface) {
    if (kinds().empty()) {
        GTEST_SKIP() << "the device has no shared virtual memory";
    }
    sgemm_context context = nullptr;
    ASSERT_EQ(sgemm_create_context(device().context(), device().handle().device, nullptr, &context),
              SGEMM_SUCCESS);
    const std::unique_ptr<sgemm_context_state, decltype(&sgemm_release_context)> owned(
        context, sgemm_release_context);
    const Case c = plain_case(20, 30, 10);
    const CaseData data(device(), c);
    const SvmMemory svm_a(device(), kinds().front(), data.host_a());
    const SvmMemory svm_b(device(), kinds().front(), data.host_b());
    const SvmMemory svm_c(device(), kinds().front(), data.host_c());
    sgemm_problem problem = SGEMM_PROBLEM_INIT;
    problem.m = 20;
    problem.n = 30;
    problem.k = 10;
    cl_event done = nullptr;
    ASSERT_EQ(sgemm_gemm_svm(context, queue(), &problem, c.alpha, svm_a.get(), svm_b.get(), c.beta,
                             svm_c.get(), 0, nullptr, &done),
              SGEMM_SUCCESS);
    libsgemm::Event(done).wait();
    expect_right(c, data.host_a(), data.host_b(), data.host_c(), svm_c.contents());
}

/// The whole problem by one of them: OpenCL has no sub-buffers of such memory.
TEST_F(Svm, OneOfSeveralDevicesComputes) {
    cl_device_id one = device().handle().device;
    const libsgemm::MultiDevice group(device().context(), {one, one});
    const std::vector<cl_command_queue> queues{queue(), queue()};
    if (kinds().empty()) {
        const Case c = plain_case(8, 8, 8);
        const std::vector<float> memory(100);
        const libsgemm::Matrix any = libsgemm::svm_matrix(memory.data());
        EXPECT_THROW(group.gemm(queues, c.problem, 1, any, any, 0, any), libsgemm::ArgumentError);
        GTEST_SKIP() << "the device has no shared virtual memory";
    }
    for (const float beta : {0.0F, 0.5F}) {
        const Case c = make_case(all_forms()[5], beta);
        const CaseData data(device(), c); // A and B are its buffers
        const HostMatrix to = host(storage_of(c.problem).c, c.offset_c, beta == 0, 3);
        const SvmMemory svm_c(device(), kinds().front(), to);
        for (int time = 0; time < (beta == 0 ? 2 : 1); ++time) {
            group
                .gemm(queues, c.problem, c.alpha, data.a(), data.b(), c.beta,
                      libsgemm::svm_matrix(svm_c.get(), c.offset_c))
                .wait();
        }
        expect_right(c, data.host_a(), data.host_b(), to, svm_c.contents());
        EXPECT_THROW(group.gemm(queues, c.problem, c.alpha, {}, data.b(), c.beta,
                                libsgemm::svm_matrix(svm_c.get(), c.offset_c)),
                     libsgemm::ArgumentError);
    }
}

TEST_F(Svm, BadPointersAreRefused) {
    const Case c = plain_case(8, 8, 8);
    const CaseData data(device(), c);
    const std::vector<float> memory(400);
    const auto refused = [&](const libsgemm::Matrix& a, const libsgemm::Matrix& to,
                             const char* argument) {
        try {
            library().gemm(queue(), c.problem, 1, a, data.b(), 0, to);
            ADD_FAILURE() << "no error about " << argument;
        } catch (const libsgemm::ArgumentError& error) {
            EXPECT_EQ(error.argument(), argument) << error.what();
        }
    };
    if (capabilities() == 0) {
        refused(libsgemm::svm_matrix(memory.data()), data.c(), "A.svm");
        return;
    }
    refused({data.a().buffer, 0, memory.data()}, data.c(), "A.svm");
    const void* const odd = reinterpret_cast<const char*>(memory.data()) + 2;
    refused({nullptr, 0, odd}, data.c(), "A.svm");
    refused(libsgemm::svm_matrix(memory.data()), libsgemm::svm_matrix(memory.data() + 40), "C");
    refused(libsgemm::svm_matrix(memory.data(), -1), data.c(), "A.offset");
}

} // namespace
} // namespace sgemm_test
