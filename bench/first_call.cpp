// SPDX-License-Identifier: Apache-2.0
//
// What a process pays until its first product is there:
//   sgemm-bench-first-call M N K [started]        prints "CONTEXT FIRST SECOND BUILT LOADED START"
// CONTEXT: making the library's Context; FIRST and SECOND: a call until the device is done; START:
// where `started` asks for it, a kernel that does nothing, built and run before all that: FIRST is
// then without what the platform does once; all in milliseconds. BUILT and LOADED: programs from
// source and from the disk cache. bench/first-call runs it.
#include "sgemm/sgemm.hpp"
#include "support/standard_streams.hpp"

#include <array>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string_view>

namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

void check(cl_int status, const char* call) {
    if (status != CL_SUCCESS) {
        throw libsgemm::OpenClError(call, status);
    }
}

cl_mem make_matrix(cl_context context, std::int64_t rows, std::int64_t columns) {
    cl_int status = CL_SUCCESS;
    const auto bytes = static_cast<std::size_t>(rows * columns) * sizeof(float);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, nullptr, &status);
    check(status, "clCreateBuffer");
    return buffer;
}

/// What a platform does once for a context: PoCL reads its own functions (10 MB) when the first
/// program is built.
void start_compiler(cl_context context, cl_device_id device, cl_command_queue queue) {
    const char* text = "kernel void nothing(void) {}";
    cl_int status = CL_SUCCESS;
    cl_program program = clCreateProgramWithSource(context, 1, &text, nullptr, &status);
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, "", nullptr, nullptr), "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, "nothing", &status);
    check(status, "clCreateKernel");
    const std::size_t one = 1;
    check(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &one, &one, 0, nullptr, nullptr),
          "clEnqueueNDRangeKernel");
    check(clFinish(queue), "clFinish");
}

/// Handles end with the process.
void run(const libsgemm::Problem& problem, bool started) {
    cl_device_id device = libsgemm::select_device().device;
    cl_int status = CL_SUCCESS;
    cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
    check(status, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
    check(status, "clCreateCommandQueue");
    const std::array matrices{libsgemm::Matrix{make_matrix(context, problem.m, problem.k), 0},
                              libsgemm::Matrix{make_matrix(context, problem.k, problem.n), 0},
                              libsgemm::Matrix{make_matrix(context, problem.m, problem.n), 0}};

    double start_ms = 0.0;
    if (started) {
        const auto begin = Clock::now();
        start_compiler(context, device, queue);
        start_ms = milliseconds_since(begin);
    }
    const auto start = Clock::now();
    const libsgemm::Context library(context, device);
    std::cout << milliseconds_since(start);
    for (int call = 0; call < 2; ++call) {
        const auto begin = Clock::now();
        library.gemm(queue, problem, 1.0F, matrices[0], matrices[1], 0.0F, matrices[2]).wait();
        std::cout << ' ' << milliseconds_since(begin);
    }
    const libsgemm::ContextStatistics statistics = library.statistics();
    std::cout << ' ' << statistics.programs_built << ' ' << statistics.programs_loaded << ' '
              << start_ms << '\n';
}

int status_of(int argc, char** argv) {
    try {
        const bool started = argc == 5 && std::string_view(argv[4]) == "started";
        if (argc != 4 && !started) {
            throw std::invalid_argument("arguments: M N K [started]");
        }
        libsgemm::Problem problem;
        problem.m = std::strtoll(argv[1], nullptr, 10);
        problem.n = std::strtoll(argv[2], nullptr, 10);
        problem.k = std::strtoll(argv[3], nullptr, 10);
        run(problem, started);
        return 0;
    } catch (const std::exception& error) {
        std::cerr << "sgemm-bench-first-call: " << error.what() << '\n';
        return 1;
    }
}

} // namespace

int main(int argc, char** argv) {
    libsgemm::support::hold_standard_streams();
    return libsgemm::support::status_after_output("sgemm-bench-first-call", status_of(argc, argv));
}
