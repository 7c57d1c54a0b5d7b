// SPDX-License-Identifier: Apache-2.0
//
// What a process pays until its first product is there:
//   sgemm-bench-first-call M N K        prints "CONTEXT FIRST SECOND BUILT LOADED"
// CONTEXT: making the library's Context; FIRST and SECOND: a call until the device is done; all in
// milliseconds. BUILT and LOADED: programs from source and from the disk cache. bench/first-call runs it.
#include "sgemm/sgemm.hpp"

#include <array>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <stdexcept>

namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

void check(cl_int status, const char* call) {
    if (status != CL_SUCCESS) {
        throw sgemm::OpenClError(call, status);
    }
}

cl_mem make_matrix(cl_context context, std::int64_t rows, std::int64_t columns) {
    cl_int status = CL_SUCCESS;
    const auto bytes = static_cast<std::size_t>(rows * columns) * sizeof(float);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, nullptr, &status);
    check(status, "clCreateBuffer");
    return buffer;
}

/// Handles end with the process.
void run(const sgemm::Problem& problem) {
    cl_device_id device = sgemm::select_device().device;
    cl_int status = CL_SUCCESS;
    cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
    check(status, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
    check(status, "clCreateCommandQueue");
    const std::array matrices{sgemm::Matrix{make_matrix(context, problem.m, problem.k), 0},
                              sgemm::Matrix{make_matrix(context, problem.k, problem.n), 0},
                              sgemm::Matrix{make_matrix(context, problem.m, problem.n), 0}};

    const auto start = Clock::now();
    const sgemm::Context library(context, device);
    std::cout << milliseconds_since(start);
    for (int call = 0; call < 2; ++call) {
        const auto begin = Clock::now();
        library.gemm(queue, problem, 1.0F, matrices[0], matrices[1], 0.0F, matrices[2]).wait();
        std::cout << ' ' << milliseconds_since(begin);
    }
    const sgemm::ContextStatistics statistics = library.statistics();
    std::cout << ' ' << statistics.programs_built << ' ' << statistics.programs_loaded << '\n';
}

} // namespace

int main(int argc, char** argv) {
    try {
        if (argc != 4) {
            throw std::invalid_argument("arguments: M N K");
        }
        sgemm::Problem problem;
        problem.m = std::strtoll(argv[1], nullptr, 10);
        problem.n = std::strtoll(argv[2], nullptr, 10);
        problem.k = std::strtoll(argv[3], nullptr, 10);
        run(problem);
        return 0;
    } catch (const std::exception& error) {
        std::cerr << "sgemm-bench-first-call: " << error.what() << '\n';
        return 1;
    }
}
