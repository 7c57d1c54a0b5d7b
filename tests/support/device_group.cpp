// SPDX-License-Identifier: Apache-2.0
#include "support/device_group.hpp"

#include "support/case_data.hpp"
#include "support/compare.hpp"
#include "support/device_matrix.hpp"
#include "support/storage.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace sgemm_test {

DeviceGroupRunner::DeviceGroupRunner(const std::vector<cl_device_id>& devices) {
    cl_int status = CL_SUCCESS;
    context_.reset(clCreateContext(nullptr, static_cast<cl_uint>(devices.size()), devices.data(),
                                   nullptr, nullptr, &status));
    check_status(status, "clCreateContext");
    for (cl_device_id device : devices) {
        queues_.emplace_back(clCreateCommandQueue(context(), device, 0, &status));
        check_status(status, "clCreateCommandQueue");
        raw_queues_.push_back(queues_.back().get());
    }
}

Owned<cl_mem> DeviceGroupRunner::upload(const HostMatrix& host) const {
    return sgemm_test::upload(context(), host.image());
}

bool DeviceGroupRunner::run(const libsgemm::MultiDevice& group, const Case& c,
                            libsgemm::Completion completion) const {
    const ProblemStorage storage = storage_of(c.problem);
    const HostMatrix a(storage.a, c.offset_a, Values::uniform, 1);
    const HostMatrix b(storage.b, c.offset_b, Values::uniform, 2);
    const HostMatrix before(storage.c, c.offset_c, c.beta == 0 ? Values::all_nan : Values::uniform,
                            3);
    const auto buffer_a = upload(a);
    const auto buffer_b = upload(b);
    const auto buffer_c = upload(before);
    const libsgemm::Event done = group.gemm(
        queues(), c.problem, c.alpha, {buffer_a.get(), c.offset_a}, {buffer_b.get(), c.offset_b},
        c.beta, {buffer_c.get(), c.offset_c}, {}, completion);
    EXPECT_EQ(done.get() != nullptr, completion == libsgemm::Completion::event);
    done.wait();
    std::vector<float> image(before.image().size());
    const cl_event after = done.get();
    const cl_uint events = after != nullptr ? 1 : 0;
    check_status(clEnqueueReadBuffer(queues()[0], buffer_c.get(), CL_TRUE, 0,
                                     image.size() * sizeof(float), image.data(), events,
                                     events > 0 ? &after : nullptr, nullptr),
                 "clEnqueueReadBuffer");
    const Reference reference = reference_gemm(c.alpha, a, b, c.beta, before);
    EXPECT_EQ(difference_from_reference(reference, c.problem.k, before, image, Exactness::bounded),
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

} // namespace sgemm_test
