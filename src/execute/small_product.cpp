// SPDX-License-Identifier: Apache-2.0
#include "execute/small_product.hpp"

#include "device/make.hpp"
#include "device/query.hpp"
#include "execute/executor.hpp"
#include "support/text_stream.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace libsgemm::execute {
namespace {

using validate::CanonicalProblem;

constexpr float alpha = 1.5F;
constexpr float beta = -0.5F;

/// Odd multiples of 2^-24 between -1 and 1, from a multiplicative congruential generator.
std::vector<float> numbers(std::int64_t count, std::uint64_t state) {
    std::vector<float> values(static_cast<std::size_t>(count));
    for (float& value : values) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        value = static_cast<float>(static_cast<std::int64_t>(state >> 40U) * 2 + 1 - (1 << 24)) *
                0x1p-24F;
    }
    return values;
}

device::BufferHandle upload(const Runtime& runtime, std::vector<float>& values) {
    cl_int status = CL_SUCCESS;
    device::BufferHandle buffer(
        clCreateBuffer(runtime.context.get(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                       values.size() * sizeof(float), values.data(), &status));
    device::check(status, "clCreateBuffer");
    return buffer;
}

/// Elements from one to the next along mn, and along k.
struct Strides {
    std::int64_t mn = 1;
    std::int64_t k = 1;
};

Strides strides_of(const validate::Operand& operand) {
    return operand.major == validate::Major::mn ? Strides{1, operand.ld} : Strides{operand.ld, 1};
}

std::int64_t elements_of(const validate::Operand& operand, std::int64_t mn, std::int64_t k) {
    return operand.ld * (operand.major == validate::Major::mn ? k : mn);
}

/// The matrices, with something everywhere between their lines.
struct Data {
    std::vector<float> a, b, c;
};

Data make_data(const CanonicalProblem& p) {
    return {numbers(elements_of(p.a, p.m, p.k), 1), numbers(elements_of(p.b, p.n, p.k), 2),
            numbers(p.c.ld * p.n, 3)};
}

/// Larger than what FP32 emulation takes.
constexpr float unfit = 0x1p100F;
/// Larger than the others by more than what emulation leaves room for that scales a row by its
/// beginning.
constexpr float outgrown_value = 0x1p8F;

double at(const std::vector<float>& values, std::int64_t index) {
    return static_cast<double>(values[static_cast<std::size_t>(index)]);
}

struct Element {
    double value = 0;
    double magnitude = 0;
};

Element expected(const CanonicalProblem& problem, const Data& data, std::int64_t i,
                 std::int64_t j) {
    const Strides a = strides_of(problem.a);
    const Strides b = strides_of(problem.b);
    Element sum;
    for (std::int64_t p = 0; p < problem.k; ++p) {
        const double product = at(data.a, i * a.mn + p * a.k) * at(data.b, j * b.mn + p * b.k);
        sum.value += product;
        sum.magnitude += std::fabs(product);
    }
    const double old = static_cast<double>(beta) * at(data.c, j * problem.c.ld + i);
    return {static_cast<double>(alpha) * sum.value + old,
            static_cast<double>(alpha) * sum.magnitude + std::fabs(old)};
}

/// What a plan makes of C.
std::vector<float> compute(const Runtime& runtime, const planning::PlanValue& plan,
                           const compile::Programs& programs, Data& data) {
    const device::BufferHandle a = upload(runtime, data.a);
    const device::BufferHandle b = upload(runtime, data.b);
    const device::BufferHandle c = upload(runtime, data.c);
    const device::QueueHandle queue = device::make_queue(runtime.context.get(), runtime.device);
    execute::WorkspacePool pool(runtime.context);
    const std::vector<cl_event> none;
    execute::execute(plan, programs,
                     {queue.get(), alpha, beta, {{a.get(), 0}, {b.get(), 0}, {c.get(), 0}}, none},
                     pool);
    std::vector<float> result(data.c.size());
    device::check(clEnqueueReadBuffer(queue.get(), c.get(), CL_TRUE, 0,
                                      result.size() * sizeof(float), result.data(), 0, nullptr,
                                      nullptr),
                  "clEnqueueReadBuffer");
    return result;
}

/// What is wrong at the element i of a line of C, as long as ld.
std::string fault_at(const CanonicalProblem& problem, double terms, const Data& data, double got,
                     std::int64_t i, std::int64_t j) {
    if (i >= problem.m) {
        return got == at(data.c, j * problem.c.ld + i)
                   ? std::string()
                   : "its self-test wrote behind column " + std::to_string(j) + " of C";
    }
    const Element element = expected(problem, data, i, j);
    if (std::fabs(got - element.value) <= terms * 0x1p-24 * element.magnitude) {
        return {};
    }
    support::TextWriter text;
    text << "its self-test gave " << got << " for C(" << i << ", " << j << ") = " << element.value;
    return text.str();
}

std::string try_with(Data& data, const Runtime& runtime, const CanonicalProblem& problem,
                     const planning::PlanValue& plan, const compile::Programs& programs) {
    const std::vector<float> result = compute(runtime, plan, programs, data);
    for (std::int64_t j = 0; j < problem.n; ++j) {
        for (std::int64_t i = 0; i < problem.c.ld; ++i) {
            std::string fault =
                fault_at(problem, plan.bound_terms, data, at(result, j * problem.c.ld + i), i, j);
            if (!fault.empty()) {
                return fault;
            }
        }
    }
    return {};
}

} // namespace

std::string fault_of_small_product(const Runtime& runtime, const CanonicalProblem& problem,
                                   const planning::PlanValue& plan,
                                   const compile::Programs& programs) {
    Data data = make_data(problem);
    std::string fault = try_with(data, runtime, problem, plan, programs);
    if (fault.empty() && plan.precision != Precision::strict) {
        // The last step of the last row outgrows scales that earlier steps ask for.
        const Strides a = strides_of(problem.a);
        data.a[static_cast<std::size_t>((problem.m - 1) * a.mn + (problem.k - 1) * a.k)] =
            outgrown_value;
        fault = try_with(data, runtime, problem, plan, programs);
    }
    if (fault.empty() && plan.precision != Precision::strict) {
        data.a.front() = unfit;
        fault = try_with(data, runtime, problem, plan, programs);
    }
    return fault;
}

} // namespace libsgemm::execute
