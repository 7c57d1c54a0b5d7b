// SPDX-License-Identifier: Apache-2.0
#include "tune/worker/operands.hpp"

#include <algorithm>
#include <utility>

namespace libsgemm::tune {
namespace {

/// Multiples of 2^-23 in [-1, 1): a product is zero or at least 2^-46, so that nothing becomes
/// subnormal on the way and the error bound needs no absolute term.
void append_values(std::vector<float>& values, std::size_t count, std::uint64_t seed) {
    values.reserve(count);
    // splitmix64 (public domain): element i depends on seed and i only, so that a matrix that grows
    // keeps its front.
    for (std::size_t i = values.size(); i < count; ++i) {
        std::uint64_t x = seed + (i + 1) * 0x9e3779b97f4a7c15U;
        x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
        x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
        x ^= x >> 31U;
        const auto whole = static_cast<std::int64_t>(x >> 40U) - (std::int64_t{1} << 23U);
        values.push_back(static_cast<float>(whole) * 0x1p-23F);
    }
}

} // namespace

Operands::Operands(device::ContextHandle context, cl_command_queue queue)
    : context_(std::move(context)), queue_(queue) {}

void Operands::require(const judge::Shape& shape) {
    grow(a_, shape.elements_a(), 1, true);
    grow(b_, shape.elements_b(), 2, true);
    grow(c_, shape.elements_c(), 3, false);
}

void Operands::grow(Matrix& matrix, std::int64_t elements, std::uint64_t seed, bool filled) {
    const auto count = static_cast<std::size_t>(elements);
    if (count <= matrix.elements) {
        return;
    }
    matrix.buffer = {}; // before the larger one: both may not fit
    matrix.elements = 0;
    cl_int status = CL_SUCCESS;
    matrix.buffer = device::BufferHandle(
        clCreateBuffer(context_.get(), CL_MEM_READ_WRITE, count * sizeof(float), nullptr, &status));
    device::check(status, "clCreateBuffer");
    if (filled) {
        append_values(matrix.host, count, seed);
        device::check(clEnqueueWriteBuffer(queue_, matrix.buffer.get(), CL_TRUE, 0,
                                           count * sizeof(float), matrix.host.data(), 0, nullptr,
                                           nullptr),
                      "clEnqueueWriteBuffer");
    }
    matrix.elements = count;
}

void Operands::write_c(const std::vector<float>& host) {
    device::check(clEnqueueWriteBuffer(queue_, c_.buffer.get(), CL_TRUE, 0,
                                       host.size() * sizeof(float), host.data(), 0, nullptr,
                                       nullptr),
                  "clEnqueueWriteBuffer");
}

void Operands::read_c(std::vector<float>& host) const {
    device::check(clEnqueueReadBuffer(queue_, c_.buffer.get(), CL_TRUE, 0,
                                      host.size() * sizeof(float), host.data(), 0, nullptr,
                                      nullptr),
                  "clEnqueueReadBuffer");
}

} // namespace libsgemm::tune
