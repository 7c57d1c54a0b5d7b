// SPDX-License-Identifier: Apache-2.0
#include "support/case_data.hpp"

#include "support/compare.hpp"

#include <algorithm>
#include <exception>

namespace sgemm_test {
namespace {

/// What beta == 0 must not let through: where C is not to be read it holds NaN.
Values values_of_c(const Case& c) {
    return c.beta == 0.0F ? Values::all_nan : c.values;
}

/// With values "all NaN" only A and B are.
Values values_or_uniform(Values values) {
    return values == Values::all_nan ? Values::uniform : values;
}

std::uint64_t seed_of(const Case& c, std::uint64_t operand) {
    return (base_seed() + c.seed) * 3 + operand;
}

HostMatrix host_c(const Case& c) {
    const Values values = c.beta == 0.0F ? values_of_c(c) : values_or_uniform(c.values);
    return {storage_of(c.problem).c, c.offset_c, values, seed_of(c, 2)};
}

::testing::AssertionResult failure(const Case& c, const std::string& what) {
    return ::testing::AssertionFailure() << what << "case: " << c << '\n'
                                         << "again: " << repro_line();
}

} // namespace

CaseData::CaseData(const TestDevice& device, const Case& test_case, Guards guards)
    : case_(test_case),
      a_(storage_of(case_.problem).a, case_.offset_a, case_.values, seed_of(case_, 0)),
      b_(storage_of(case_.problem).b, case_.offset_b, case_.values, seed_of(case_, 1)),
      c_(sgemm_test::host_c(case_)), device_a_(device, a_, guards), device_b_(device, b_, guards),
      device_c_(device, c_, guards) {}

libsgemm::Event CaseData::gemm(const libsgemm::Context& library, cl_command_queue queue,
                               const std::vector<cl_event>& wait_list) const {
    return library.gemm(queue, case_.problem, case_.alpha, a(), b(), case_.beta, c(), wait_list);
}

libsgemm::Event CaseData::enqueue(const libsgemm::Plan& plan, cl_command_queue queue,
                                  const std::vector<cl_event>& wait_list) const {
    return plan.enqueue(queue, case_.alpha, a(), b(), case_.beta, c(), wait_list);
}

::testing::AssertionResult CaseData::verify(cl_command_queue queue) {
    device_a_.download(queue);
    device_b_.download(queue);
    device_c_.download(queue);
    const Exactness exactness =
        case_.values == Values::small_integers ? Exactness::exact : Exactness::bounded;
    const std::string wrong =
        difference_outside("C", c_, device_c_) + difference_anywhere("A", a_, device_a_) +
        difference_anywhere("B", b_, device_b_) +
        difference_from_reference(reference_gemm(case_.alpha, a_, b_, case_.beta, c_),
                                  case_.problem.k, c_, device_c_.image(), exactness);
    return wrong.empty() ? ::testing::AssertionSuccess() : failure(case_, wrong);
}

::testing::AssertionResult CaseData::untouched(cl_command_queue queue) {
    device_a_.download(queue);
    device_b_.download(queue);
    device_c_.download(queue);
    const std::string wrong = difference_anywhere("A", a_, device_a_) +
                              difference_anywhere("B", b_, device_b_) +
                              difference_anywhere("C", c_, device_c_);
    return wrong.empty() ? ::testing::AssertionSuccess() : failure(case_, wrong);
}

std::vector<float> CaseData::result(cl_command_queue queue) {
    device_c_.download(queue);
    return device_c_.image();
}

libsgemm::Plan plan_case(const libsgemm::Context& library, const Case& test_case) {
    libsgemm::ExpertPlanOptions options = test_case.options;
    options.offset_alignment = offset_alignment(test_case);
    return library.plan(test_case.problem, options);
}

::testing::AssertionResult runs_right(const TestDevice& device, const libsgemm::Context& library,
                                      const Case& test_case, Guards guards) {
    try {
        CaseData data(device, test_case, guards);
        const libsgemm::Plan plan = plan_case(library, test_case);
        const std::string& forced = test_case.options.kernel;
        if (!forced.empty() && !plan.kernel().empty() && plan.kernel() != forced) {
            return failure(test_case, "kernel " + plan.kernel() + " runs instead\n");
        }
        device.local_memory_poison().apply(device.queue());
        data.enqueue(plan, device.queue());
        const ::testing::AssertionResult result = data.verify(device.queue());
        return result ? result
                      : ::testing::AssertionFailure() << result.message() << '\n'
                                                      << plan.describe();
    } catch (const std::exception& error) {
        return failure(test_case, std::string("threw: ") + error.what() + '\n');
    }
}

::testing::AssertionResult repeats(const TestDevice& device, const libsgemm::Context& library,
                                   const Case& test_case) {
    const libsgemm::Plan plan = plan_case(library, test_case);
    std::vector<float> results[2];
    for (auto& result : results) {
        CaseData data(device, test_case);
        data.enqueue(plan, device.queue());
        if (auto right = data.verify(device.queue()); !right) {
            return right;
        }
        result = data.result(device.queue());
    }
    return std::equal(results[0].begin(), results[0].end(), results[1].begin(), same_bits)
               ? ::testing::AssertionSuccess()
               : failure(test_case, "the same plan gave other bits\n");
}

::testing::AssertionResult runs_right(const TestDevice& device, const Case& test_case) {
    return runs_right(device, device.library(), test_case);
}

} // namespace sgemm_test
