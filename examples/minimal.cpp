// SPDX-License-Identifier: Apache-2.0
// The smallest whole program: C = A * B on the default device.
#define CL_HPP_TARGET_OPENCL_VERSION 200
#define CL_HPP_ENABLE_EXCEPTIONS
#include <CL/opencl.hpp>
#include <iostream>
#include <sgemm/opencl_hpp.hpp>

int main() try {
    const cl::Device device(libsgemm::select_device().device, true);
    const cl::Context opencl(device);
    const cl::CommandQueue queue(opencl, device);
    const libsgemm::Context context = libsgemm::make_context(opencl, device);

    // Column-major, nothing transposed, leading dimensions tight.
    const libsgemm::Problem problem(300, 200, 100);
    std::vector<float> a(30'000, 2.0F), b(20'000, 0.5F), c(60'000);
    const cl::Buffer a_buffer(opencl, a.begin(), a.end(), true);
    const cl::Buffer b_buffer(opencl, b.begin(), b.end(), true);
    const cl::Buffer c_buffer(opencl, CL_MEM_READ_WRITE, c.size() * sizeof(float));

    const cl::Event done =
        libsgemm::gemm(context, queue, problem, 1.0F, a_buffer, b_buffer, 0.0F, c_buffer);
    done.wait();
    cl::copy(queue, c_buffer, c.begin(), c.end());

    const bool right = c.front() == 100.0F && c.back() == 100.0F;
    std::cout << (right ? "OK\n" : "wrong\n");
    return right ? 0 : 1;
} catch (const std::exception& error) {
    std::cerr << "minimal: " << error.what() << '\n';
    return 1;
}
