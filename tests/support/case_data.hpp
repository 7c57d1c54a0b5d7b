// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/context.hpp"
#include "support/case.hpp"
#include "support/device_matrix.hpp"
#include "support/host_matrix.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace sgemm_test {

/// A case's operands on the host and on the device.
class CaseData {
public:
    CaseData(const TestDevice& device, const Case& test_case, Guards guards = Guards::around);

    /// Context::gemm(), which takes no PlanOptions: the case's are not looked at.
    libsgemm::Event gemm(const libsgemm::Context& library, cl_command_queue queue,
                         const std::vector<cl_event>& wait_list = {}) const;
    libsgemm::Event enqueue(const libsgemm::Plan& plan, cl_command_queue queue,
                            const std::vector<cl_event>& wait_list = {}) const;

    /// Waits for the queue and holds C against the reference, and everything else against what it
    /// was. Failures list the first wrong elements.
    ::testing::AssertionResult verify(cl_command_queue queue);
    /// Waits for the queue and checks that C, A and B hold what they held at first.
    ::testing::AssertionResult untouched(cl_command_queue queue);
    /// Waits for the queue; C's buffer, guards included.
    std::vector<float> result(cl_command_queue queue);

    const Case& test_case() const { return case_; }
    libsgemm::Matrix a() const { return device_a_.matrix(); }
    libsgemm::Matrix b() const { return device_b_.matrix(); }
    libsgemm::Matrix c() const { return device_c_.matrix(); }
    const HostMatrix& host_a() const { return a_; }
    const HostMatrix& host_b() const { return b_; }
    const HostMatrix& host_c() const { return c_; }

private:
    Case case_;
    HostMatrix a_, b_, c_;
    DeviceMatrix device_a_, device_b_, device_c_;
};

/// The plan of a case: its options, with the alignment that its offsets have.
libsgemm::Plan plan_case(const libsgemm::Context& library, const Case& test_case);

/// Plans, runs and verifies a case; a forced kernel must be the one that runs.
::testing::AssertionResult runs_right(const TestDevice& device, const libsgemm::Context& library,
                                      const Case& test_case, Guards guards = Guards::around);
::testing::AssertionResult runs_right(const TestDevice& device, const Case& test_case);

/// Runs the plan of a case twice: results are right and have the same bits.
::testing::AssertionResult repeats(const TestDevice& device, const libsgemm::Context& library,
                                   const Case& test_case);

} // namespace sgemm_test
