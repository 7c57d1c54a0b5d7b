// SPDX-License-Identifier: Apache-2.0
#include "tune/worker/operands.hpp"

#include "judge/operands.hpp"

#include <utility>

namespace libsgemm::tune {

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
        judge::extend(matrix.host, count, seed);
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
