// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/handles.hpp"
#include "judge/shape.hpp"

#include <cstdint>
#include <vector>

namespace libsgemm::tune {

/// A, B and C of trials: buffers that grow as shapes need, A and B with random contents that the
/// host knows. Equal in every process: trials are repeatable.
class Operands {
public:
    Operands(device::ContextHandle context, cl_command_queue queue);

    /// Makes room for a shape. Throws OpenClError.
    void require(const judge::Shape& shape);
    /// Fills the front of C, gaps included.
    void write_c(const std::vector<float>& host);
    void read_c(std::vector<float>& host) const;

    cl_mem a() const { return a_.buffer.get(); }
    cl_mem b() const { return b_.buffer.get(); }
    cl_mem c() const { return c_.buffer.get(); }
    const float* host_a() const { return a_.host.data(); }
    const float* host_b() const { return b_.host.data(); }

private:
    struct Matrix {
        device::BufferHandle buffer;
        std::vector<float> host;
        std::size_t elements = 0;
    };
    void grow(Matrix& matrix, std::int64_t elements, std::uint64_t seed, bool filled);

    device::ContextHandle context_;
    cl_command_queue queue_;
    Matrix a_, b_, c_;
};

} // namespace libsgemm::tune
