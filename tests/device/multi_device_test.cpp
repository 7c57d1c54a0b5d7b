// SPDX-License-Identifier: Apache-2.0
// One problem on several devices. Where there is one only, its sub-devices.
#include "sgemm/multi_device.hpp"
#include "support/case_data.hpp"
#include "support/compare.hpp"
#include "support/kernel_variants.hpp"
#include "support/sub_devices.hpp"
#include "support/temporary_file.hpp"
#include "support/test_device.hpp"

#include <algorithm>
#include <memory>
#include <numeric>

namespace sgemm_test {
namespace {

class MultiDeviceTest : public DeviceTest {
protected:
    void SetUp() override {
        DeviceTest::SetUp();
        if (IsSkipped() || HasFatalFailure()) {
            return;
        }
        find_devices();
        if (devices_.size() < 2) {
            GTEST_SKIP() << "there is one device, and it cannot be divided";
        }
        cl_int status = CL_SUCCESS;
        context_.reset(clCreateContext(nullptr, static_cast<cl_uint>(devices_.size()),
                                       devices_.data(), nullptr, nullptr, &status));
        check_status(status, "clCreateContext");
        for (cl_device_id part : devices_) {
            queues_.emplace_back(clCreateCommandQueue(context_.get(), part, 0, &status));
            check_status(status, "clCreateCommandQueue");
            raw_queues_.push_back(queues_.back().get());
        }
    }
    /// All devices of the platform, or the parts of the only one; three are enough.
    void find_devices() {
        constexpr std::size_t most = 3;
        for (const sgemm::DeviceHandle& other : sgemm::list_devices()) {
            if (other.platform == device().handle().platform) {
                devices_.push_back(other.device);
            }
        }
        if (devices_.size() < 2) {
            devices_.clear();
            parts_ = divide(device().handle().device, most);
            for (const auto& part : parts_) {
                devices_.push_back(part.get());
            }
        }
        devices_.resize(std::min(most, devices_.size()));
    }
    void TearDown() override {
        queues_.clear();
        context_.reset();
        parts_.clear();
    }

    Owned<cl_mem> upload(const HostMatrix& host, std::size_t front = 0) const {
        cl_int status = CL_SUCCESS;
        std::vector<float> image(front, guard_value);
        image.insert(image.end(), host.image().begin(), host.image().end());
        Owned<cl_mem> buffer(clCreateBuffer(context_.get(),
                                            CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                            image.size() * sizeof(float), image.data(), &status));
        check_status(status, "clCreateBuffer");
        return buffer;
    }

    /// Runs a case on all devices and compares. Whether more than one had a share.
    bool run(const sgemm::MultiDevice& group, const Case& c) {
        const ProblemStorage storage = storage_of(c.problem);
        const HostMatrix a(storage.a, c.offset_a, Values::uniform, 1);
        const HostMatrix b(storage.b, c.offset_b, Values::uniform, 2);
        const HostMatrix before(storage.c, c.offset_c,
                                c.beta == 0 ? Values::all_nan : Values::uniform, 3);
        const auto buffer_a = upload(a);
        const auto buffer_b = upload(b);
        const auto buffer_c = upload(before);
        const sgemm::Event done =
            group.gemm(raw_queues_, c.problem, c.alpha, {buffer_a.get(), c.offset_a},
                       {buffer_b.get(), c.offset_b}, c.beta, {buffer_c.get(), c.offset_c});
        std::vector<float> image(before.image().size());
        const cl_event after = done.get();
        check_status(clEnqueueReadBuffer(raw_queues_[0], buffer_c.get(), CL_TRUE, 0,
                                         image.size() * sizeof(float), image.data(), 1, &after,
                                         nullptr),
                     "clEnqueueReadBuffer");
        const Reference reference = reference_gemm(c.alpha, a, b, c.beta, before);
        EXPECT_EQ(
            difference_from_reference(reference, c.problem.k, before, image, Exactness::bounded),
            "")
            << c;
        const std::vector<bool> mask = before.element_mask();
        for (std::size_t i = 0; i < image.size(); ++i) {
            if (!mask[i] && !same_bits(image[i], before.image()[i])) {
                ADD_FAILURE() << "element " << i << " is not C's and was written: " << c;
                break;
            }
        }
        const auto shares = group.shares(c.problem, c.offset_c);
        return std::count_if(shares.begin(), shares.end(),
                             [](const auto& share) { return share.count > 0; }) > 1;
    }

    std::vector<Owned<cl_device_id>> parts_; ///< of the only device; released last
    std::vector<cl_device_id> devices_;
    Owned<cl_context> context_;
    std::vector<Owned<cl_command_queue>> queues_;
    std::vector<cl_command_queue> raw_queues_;
};

/// A driver that moves matrices so slowly that nobody would share must do so rightly all the same.
sgemm::ContextOptions options_where_sharing_is_free(const TemporaryFile& table,
                                                    const sgemm::DeviceTraits& traits) {
    sgemm::ContextOptions options;
    if (traits.vendor_key == "nvidia") {
        options.table_file = table.path();
    }
    return options;
}
constexpr const char* free_sharing = R"(
description = "NVIDIA GPUs as if they shared memory"
rows_from = "nvidia-h200.toml"
[machine]
launch_us = 3
bandwidth_gbs = 400
flops_per_cycle_per_unit = 256
)";

TEST_F(MultiDeviceTest, MatricesThatMoveTooSlowlyAreNotShared) {
    const TemporaryFile table("slow.toml", std::string(free_sharing) + "sharing_gbs = 0.001\n");
    sgemm::ContextOptions options;
    options.table_file = table.path();
    const sgemm::MultiDevice group(context_.get(), devices_, options);
    EXPECT_FALSE(run(group, plain_case(224, 288, 96)));
}

TEST_F(MultiDeviceTest, LargeProblemsAreSharedAndRightInEveryForm) {
    const TemporaryFile table("free.toml", free_sharing);
    const sgemm::MultiDevice group(context_.get(), devices_,
                                   options_where_sharing_is_free(table, device().handle().traits));
    // On a GPU sharing pays later, and the reference takes longer.
    const bool is_cpu = device().handle().traits.type == sgemm::DeviceType::cpu;
    const Extents extents = is_cpu ? Extents{224, 288, 96} : Extents{2048, 2048, 512};
    for (std::size_t i = 0; i < all_forms().size(); i += is_cpu ? 1 : 5) {
        Case c = plain_case(extents.m, extents.n, extents.k);
        set_form(c, all_forms()[i]);
        c.beta = 0.5F;
        EXPECT_TRUE(run(group, c)) << c;
        spread(c.problem, {3, 5, 4});
        c.offset_a = 3;
        c.offset_b = 7;
        c.offset_c = 12; // the first part starts where no sub-buffer may
        c.beta = 0;
        run(group, c);
    }
    for (std::size_t i = 0; i < devices_.size(); ++i) {
        EXPECT_GT(group.statistics(i).kernels_enqueued, 0U) << "device " << i;
    }
}

TEST_F(MultiDeviceTest, BatchesAreSharedByProducts) {
    const TemporaryFile table("free.toml", free_sharing);
    const sgemm::MultiDevice group(context_.get(), devices_,
                                   options_where_sharing_is_free(table, device().handle().traits));
    const bool is_cpu = device().handle().traits.type == sgemm::DeviceType::cpu;
    Case c = is_cpu ? plain_case(96, 96, 96) : plain_case(512, 512, 512);
    c.problem.batch_count = 8;
    EXPECT_TRUE(run(group, c));
    c.problem.batch_stride_a = 0;
    set_form(c, all_forms()[5]);
    c.beta = 1;
    EXPECT_TRUE(run(group, c));
}

TEST_F(MultiDeviceTest, SharesMakeUpTheProblem) {
    const sgemm::MultiDevice group(context_.get(), devices_);
    for (const std::int64_t n : {1, 17, 300, 1000}) {
        sgemm::Problem problem = plain_case(200, n, 200).problem;
        const auto shares = group.shares(problem);
        ASSERT_EQ(shares.size(), devices_.size());
        std::int64_t next = 0;
        for (const sgemm::DeviceShare& share : shares) {
            EXPECT_EQ(share.first, next);
            next += share.count;
        }
        EXPECT_EQ(next, n);
    }
}

TEST_F(MultiDeviceTest, SmallOrUnalignedOrEmptyProblemsAreOneDevices) {
    const sgemm::MultiDevice group(context_.get(), devices_);
    Case c = plain_case(32, 200, 100);
    c.problem.ldc = 32;
    c.offset_c = 5; // no column is aligned: cannot be cut
    EXPECT_FALSE(run(group, c));
    c = plain_case(5, 6, 7);
    run(group, c);
    c = plain_case(200, 300, 0);
    c.beta = 0.5F;
    run(group, c);
    c = plain_case(0, 30, 10);
    const HostMatrix nothing(storage_of(plain_case(8, 8, 8).problem).c, 0, Values::uniform, 1);
    const auto buffer = upload(nothing);
    group.gemm(raw_queues_, c.problem, 1, {buffer.get()}, {buffer.get()}, 0, {buffer.get()}).wait();
}

TEST_F(MultiDeviceTest, BadArgumentsAreRefused) {
    EXPECT_THROW(sgemm::MultiDevice(context_.get(), {}), sgemm::ArgumentError);
    const sgemm::MultiDevice group(context_.get(), devices_);
    const Case c = plain_case(100, 100, 100);
    EXPECT_THROW(group.gemm({raw_queues_[0]}, c.problem, 1, {}, {}, 0, {}), sgemm::ArgumentError);
    EXPECT_THROW(group.gemm(raw_queues_, c.problem, 1, {}, {}, 0, {}), sgemm::ArgumentError);
    std::vector<cl_command_queue> exchanged(raw_queues_.rbegin(), raw_queues_.rend());
    EXPECT_THROW(group.gemm(exchanged, c.problem, 1, {}, {}, 0, {}), sgemm::ArgumentError);
    EXPECT_EQ(group.statistics(0).kernels_enqueued, 0U);
}

} // namespace
} // namespace sgemm_test
