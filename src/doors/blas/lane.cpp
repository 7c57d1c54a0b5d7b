// SPDX-License-Identifier: Apache-2.0
#include "doors/blas/lane.hpp"

#include "device/make.hpp"

#include <algorithm>
#include <array>

namespace libsgemm::blas {
namespace {

/// A stored matrix on the host, and how it lies on the device: columns begin at multiples of 16
/// floats, which the widest loads ask for.
struct Transfer {
    std::int64_t rows, columns, ld;

    std::int64_t device_ld() const { return (rows + 15) / 16 * 16; }
    std::size_t floats() const { return static_cast<std::size_t>(device_ld() * columns); }
    bool is_one_piece() const { return ld == device_ld(); }
    /// Elements from the first to the last one on the host.
    std::size_t host_bytes() const { return bytes(ld * (columns - 1) + rows); }
    std::array<std::size_t, 3> region() const {
        return {bytes(rows), static_cast<std::size_t>(columns), 1};
    }
    static std::size_t bytes(std::int64_t floats) {
        return static_cast<std::size_t>(floats) * sizeof(float);
    }
};

constexpr std::array<std::size_t, 3> origin{0, 0, 0};

void write(cl_command_queue queue, cl_mem to, const float* from, const Transfer& t) {
    if (t.is_one_piece()) {
        device::check(
            clEnqueueWriteBuffer(queue, to, CL_FALSE, 0, t.host_bytes(), from, 0, nullptr, nullptr),
            "clEnqueueWriteBuffer");
        return;
    }
    device::check(clEnqueueWriteBufferRect(queue, to, CL_FALSE, origin.data(), origin.data(),
                                           t.region().data(), Transfer::bytes(t.device_ld()), 0,
                                           Transfer::bytes(t.ld), 0, from, 0, nullptr, nullptr),
                  "clEnqueueWriteBufferRect");
}

/// Waits. What lies between C's columns on the host is not touched. An in-order queue would do
/// without `done`, but then would not tell of a kernel that failed.
void read(cl_command_queue queue, cl_mem from, float* to, const Transfer& t, cl_event done) {
    if (t.is_one_piece() && t.ld == t.rows) {
        device::check(
            clEnqueueReadBuffer(queue, from, CL_TRUE, 0, t.host_bytes(), to, 1, &done, nullptr),
            "clEnqueueReadBuffer");
        return;
    }
    device::check(clEnqueueReadBufferRect(queue, from, CL_TRUE, origin.data(), origin.data(),
                                          t.region().data(), Transfer::bytes(t.device_ld()), 0,
                                          Transfer::bytes(t.ld), 0, to, 1, &done, nullptr),
                  "clEnqueueReadBufferRect");
}

/// As read(), but the host's memory changes only once nothing can fail any more.
void read_by_mapping(cl_command_queue queue, cl_mem from, float* to, const Transfer& t,
                     cl_event done) {
    cl_int status = CL_SUCCESS;
    void* const mapped = clEnqueueMapBuffer(queue, from, CL_TRUE, CL_MAP_READ, 0,
                                            t.floats() * sizeof(float), 1, &done, nullptr, &status);
    device::check(status, "clEnqueueMapBuffer");
    for (std::int64_t j = 0; j < t.columns; ++j) {
        std::copy_n(static_cast<const float*>(mapped) + j * t.device_ld(), t.rows, to + j * t.ld);
    }
    clEnqueueUnmapMemObject(queue, from, mapped, 0, nullptr, nullptr); // C is there in any case
}

Problem problem_of(const GemmCall& call, const Transfer& a, const Transfer& b, const Transfer& c) {
    const auto transpose = [](bool yes) { return yes ? Transpose::yes : Transpose::no; };
    Problem problem(call.m, call.n, call.k);
    problem.transpose_a = transpose(call.transpose_a);
    problem.transpose_b = transpose(call.transpose_b);
    problem.lda = a.device_ld();
    problem.ldb = b.device_ld();
    problem.ldc = c.device_ld();
    return problem;
}

} // namespace

cl_mem GrowingBuffer::with_room_for(cl_context context, std::size_t floats) {
    if (floats > floats_) {
        buffer_ = {}; // first: the device may not have room for both
        floats_ = 0;
        cl_int status = CL_SUCCESS;
        buffer_ = device::BufferHandle(
            clCreateBuffer(context, CL_MEM_READ_WRITE, floats * sizeof(float), nullptr, &status));
        device::check(status, "clCreateBuffer");
        floats_ = floats;
    }
    return buffer_.get();
}

Lane::Lane(const Context& library)
    : library_(library),
      queue_(device::make_queue(library.opencl_context(), library.opencl_device())) {}

void Lane::multiply(const GemmCall& call) {
    try {
        enqueue(call);
    } catch (...) {
        clFinish(queue_.get()); // copies may still read the caller's memory
        throw;
    }
}

void Lane::enqueue(const GemmCall& call) {
    const Transfer a =
        call.transpose_a ? Transfer{call.k, call.m, call.lda} : Transfer{call.m, call.k, call.lda};
    const Transfer b =
        call.transpose_b ? Transfer{call.n, call.k, call.ldb} : Transfer{call.k, call.n, call.ldb};
    const Transfer c{call.m, call.n, call.ldc};
    cl_command_queue queue = queue_.get();
    cl_context context = library_.opencl_context();
    cl_mem a_buffer = a_.with_room_for(context, a.floats());
    cl_mem b_buffer = b_.with_room_for(context, b.floats());
    cl_mem c_buffer = c_.with_room_for(context, c.floats());
    write(queue, a_buffer, call.a, a);
    write(queue, b_buffer, call.b, b);
    if (call.beta != 0) {
        write(queue, c_buffer, call.c, c);
    }
    const Event done = library_.gemm(queue, problem_of(call, a, b, c), call.alpha, {a_buffer},
                                     {b_buffer}, call.beta, {c_buffer});
    if (call.beta == 0) {
        read(queue, c_buffer, call.c, c, done.get());
    } else {
        read_by_mapping(queue, c_buffer, call.c, c, done.get()); // another try needs the old C
    }
}

} // namespace libsgemm::blas
