// SPDX-License-Identifier: Apache-2.0
// Plain C handles and C++17: what an installed libsgemm asks of a program.
#include <iostream>
#include <sgemm/sgemm.hpp>
#include <vector>

namespace {

bool multiply(cl_context context, cl_command_queue queue, cl_device_id device) {
    const std::vector<float> a = {1, 2, 3, 4}; // by columns: 1 3
    const std::vector<float> b = {5, 6, 7, 8}; //             2 4
    const std::vector<float> expected = {23, 34, 31, 46};
    std::vector<float> c(4);
    constexpr std::size_t bytes = 4 * sizeof(float);

    const auto upload = [&](const std::vector<float>& values) {
        cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, nullptr, nullptr);
        clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, bytes, values.data(), 0, nullptr, nullptr);
        return buffer;
    };
    cl_mem buffers[] = {upload(a), upload(b), upload(c)};

    libsgemm::Problem problem;
    problem.m = problem.n = problem.k = 2;
    const libsgemm::Context library(context, device);
    const libsgemm::Event done =
        library.gemm(queue, problem, 1.0F, {buffers[0]}, {buffers[1]}, 0.0F, {buffers[2]});
    done.wait();
    clEnqueueReadBuffer(queue, buffers[2], CL_TRUE, 0, bytes, c.data(), 0, nullptr, nullptr);
    for (cl_mem buffer : buffers)
        clReleaseMemObject(buffer);
    return c == expected;
}

} // namespace

int main() try {
    cl_device_id device = libsgemm::select_device().device;
    cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, nullptr, nullptr);
    const bool right = multiply(context, queue, device);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    std::cout << "libsgemm " << libsgemm::version() << (right ? ": OK\n" : ": wrong\n");
    return right ? 0 : 1;
} catch (const libsgemm::Error& error) {
    std::cerr << "consumer: " << error.what() << '\n';
    return 1;
}
