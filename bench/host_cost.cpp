// SPDX-License-Identifier: Apache-2.0
//
// What a warm call costs its caller, device work aside:
//   sgemm-bench-host [OP/MxNxK ...]        the device is that of $SGEMM_DEVICE
// For each shape the median time until gemm() has returned and its event is released, beside that of the
// driver's own calls for as many launches: kernels that do nothing, with arguments of the same kinds, all of them
// set anew, of the same ranges, and an event of the last. The device is idle before each; on a CPU, whose threads would
// take the caller's place, launches wait for an event of the program's until the time is taken.
#include "format.hpp"
#include "opencl_session.hpp"
#include "plan/planner.hpp"
#include "sgemm/sgemm.hpp"
#include "shape.hpp"
#include "tables/device_table.hpp"
#include "validate/problem.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <functional>
#include <iomanip>
#include <iostream>

namespace {

using sgemm::bench::Owned;
using sgemm::bench::require_opencl;
using sgemm::bench::Shape;
using sgemm::planning::Argument;
using sgemm::planning::Step;
using Buffer = Owned<cl_mem, clReleaseMemObject>;
using Event = Owned<cl_event, clReleaseEvent>;
using Kernel = Owned<cl_kernel, clReleaseKernel>;
using Program = Owned<cl_program, clReleaseProgram>;

constexpr int repetitions = 301;

bool is_memory(Argument::Kind kind) {
    return kind == Argument::Kind::buffer_a || kind == Argument::Kind::buffer_b ||
           kind == Argument::Kind::buffer_c || kind == Argument::Kind::workspace ||
           kind == Argument::Kind::counters;
}

bool is_scalar(Argument::Kind kind) {
    return kind == Argument::Kind::alpha || kind == Argument::Kind::beta ||
           kind == Argument::Kind::one || kind == Argument::Kind::zero;
}

/// As many arguments as a step's kernel has, of the same kinds, and no work.
Kernel make_idle_kernel(const sgemm::bench::OpenClSession& session, const Step& step) {
    std::string parameters;
    for (std::size_t i = 0; i < step.arguments.size(); ++i) {
        const Argument::Kind kind = step.arguments[i].kind;
        parameters += (i == 0 ? "" : ", ") +
                      std::string(is_memory(kind)   ? "global float* x"
                                  : is_scalar(kind) ? "float x"
                                                    : "long x") +
                      std::to_string(i);
    }
    const std::string source = "kernel void idle(" + parameters + ") {}";
    const char* text = source.c_str();
    cl_int status = CL_SUCCESS;
    const Program program(clCreateProgramWithSource(session.context(), 1, &text, nullptr, &status));
    require_opencl(status, "clCreateProgramWithSource");
    require_opencl(clBuildProgram(program.get(), 1, &session.device().device, "", nullptr, nullptr),
                   "clBuildProgram");
    Kernel kernel(clCreateKernel(program.get(), "idle", &status));
    require_opencl(status, "clCreateKernel");
    return kernel;
}

/// The driver's calls for a plan's launches.
class IdleLaunches {
public:
    IdleLaunches(const sgemm::bench::OpenClSession& session, std::vector<Step> steps, cl_mem memory)
        : session_(session), steps_(std::move(steps)), memory_(memory) {
        std::transform(steps_.begin(), steps_.end(), std::back_inserter(kernels_),
                       [&](const Step& step) { return make_idle_kernel(session, step); });
    }

    void run(const std::vector<cl_event>& wait_list) const {
        Event last;
        for (std::size_t i = 0; i < steps_.size(); ++i) {
            last = launch(kernels_[i].get(), steps_[i],
                          i == 0 ? wait_list : std::vector<cl_event>(), i + 1 == steps_.size());
        }
    }

private:
    Event launch(cl_kernel kernel, const Step& step, const std::vector<cl_event>& wait_list,
                 bool wants_event) const {
        for (std::size_t i = 0; i < step.arguments.size(); ++i) {
            set(kernel, static_cast<cl_uint>(i), step.arguments[i].kind);
        }
        cl_event event = nullptr;
        require_opencl(clEnqueueNDRangeKernel(session_.queue(), kernel, 3, nullptr,
                                              step.range.global.data(), step.range.local.data(),
                                              static_cast<cl_uint>(wait_list.size()),
                                              wait_list.empty() ? nullptr : wait_list.data(),
                                              wants_event ? &event : nullptr),
                       "clEnqueueNDRangeKernel");
        return Event(event);
    }

    void set(cl_kernel kernel, cl_uint index, Argument::Kind kind) const {
        const cl_long number = 1;
        const cl_float scalar = 1;
        const cl_int status =
            is_memory(kind)   ? clSetKernelArg(kernel, index, sizeof memory_, &memory_)
            : is_scalar(kind) ? clSetKernelArg(kernel, index, sizeof scalar, &scalar)
                              : clSetKernelArg(kernel, index, sizeof number, &number);
        require_opencl(status, "clSetKernelArg");
    }

    const sgemm::bench::OpenClSession& session_;
    std::vector<Step> steps_;
    std::vector<Kernel> kernels_;
    cl_mem memory_;
};

sgemm::Problem problem_of(const Shape& shape) {
    sgemm::Problem problem;
    problem.m = shape.m;
    problem.n = shape.n;
    problem.k = shape.k;
    problem.transpose_a = shape.transpose_a ? sgemm::Transpose::yes : sgemm::Transpose::no;
    problem.transpose_b = shape.transpose_b ? sgemm::Transpose::yes : sgemm::Transpose::no;
    return problem;
}

/// As the library plans it for buffers at offset zero.
std::vector<Step> steps_of(const sgemm::bench::OpenClSession& session,
                           const sgemm::Problem& problem) {
    auto canonical = sgemm::validate::check_problem(problem).canonical;
    constexpr int widest = 16;
    canonical.a.offset_alignment = canonical.b.offset_alignment = canonical.c.offset_alignment =
        widest;
    const auto table = sgemm::tables::built_in_table(session.device().traits);
    return sgemm::planning::rank_plans(
               canonical, {}, {session.device().traits, table, sgemm::catalog::kernel_catalog()})
        .plans.front()
        .steps;
}

Buffer make_buffer(const sgemm::bench::OpenClSession& session, std::int64_t rows,
                   std::int64_t columns) {
    const std::vector<float> zeros(static_cast<std::size_t>(rows * columns));
    cl_int status = CL_SUCCESS;
    Buffer buffer(clCreateBuffer(session.context(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                 zeros.size() * sizeof(float), const_cast<float*>(zeros.data()),
                                 &status));
    require_opencl(status, "clCreateBuffer");
    return buffer;
}

using Work = std::function<void(const std::vector<cl_event>& wait_list)>;

/// Until the work is enqueued; it is done when this returns.
double seconds_of(const sgemm::bench::OpenClSession& session, const Work& work) {
    std::vector<cl_event> wait_list;
    Event gate;
    if (session.device().traits.type == sgemm::DeviceType::cpu) {
        cl_int status = CL_SUCCESS;
        gate.reset(clCreateUserEvent(session.context(), &status));
        require_opencl(status, "clCreateUserEvent");
        wait_list = {gate.get()};
    }
    const auto start = std::chrono::steady_clock::now();
    work(wait_list);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    if (gate) {
        require_opencl(clSetUserEventStatus(gate.get(), CL_COMPLETE), "clSetUserEventStatus");
    }
    session.finish();
    return taken.count();
}

double median(std::vector<double> times) {
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    return *middle;
}

void measure(const sgemm::bench::OpenClSession& session, const sgemm::Context& library,
             const Shape& shape) {
    const sgemm::Problem problem = problem_of(shape);
    const Buffer a = make_buffer(session, shape.m, shape.k);
    const Buffer b = make_buffer(session, shape.k, shape.n);
    const Buffer c = make_buffer(session, shape.m, shape.n);
    const auto call = [&](const std::vector<cl_event>& wait_list) {
        library.gemm(session.queue(), problem, 1.0F, {a.get(), 0}, {b.get(), 0}, 0.0F, {c.get(), 0},
                     wait_list);
    };
    const auto before = library.statistics().kernels_enqueued;
    call({});
    const auto launches = library.statistics().kernels_enqueued - before;
    std::vector<Step> steps = steps_of(session, problem);
    if (steps.size() != launches) {
        throw std::runtime_error("the call has another plan than was planned for it");
    }
    const IdleLaunches idle(session, std::move(steps), c.get());
    std::vector<double> calls, drivers;
    session.finish();
    for (int i = 0; i < repetitions; ++i) { // in turn
        calls.push_back(seconds_of(session, call));
        drivers.push_back(seconds_of(session, [&](const auto& wait_list) { idle.run(wait_list); }));
    }
    using sgemm::bench::format_seconds;
    const double call_seconds = median(calls), driver_seconds = median(drivers);
    std::cout << "| " << sgemm::bench::shape_name(shape) << " | " << launches << " | "
              << format_seconds(call_seconds) << " | " << format_seconds(driver_seconds) << " | "
              << std::setprecision(3) << (call_seconds - driver_seconds) * 1e6 << " us |"
              << std::endl;
}

int run(const std::vector<std::string>& names) {
    const char* const selector = std::getenv("SGEMM_DEVICE");
    const sgemm::bench::OpenClSession session(selector == nullptr ? "" : selector);
    const sgemm::Context library(session.context(), session.device().device);
    std::cout << session.device().traits.name << ", driver "
              << session.device().traits.driver_version << ", medians of " << repetitions << "\n\n"
              << "| shape | launches | call | driver's calls | difference |\n"
              << "|---|---|---|---|---|\n";
    for (const std::string& name : names) {
        measure(session, library, sgemm::bench::parse_shape_name(name));
    }
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    try {
        const std::vector<std::string> given(argv + 1, argv + argc);
        return run(given.empty() ? std::vector<std::string>{"NN/64x64x64", "NN/256x256x256",
                                                            "NN/512x512x512", "NN/513x513x513",
                                                            "TN/1000x1x1000", "NN/64x64x4096"}
                                 : given);
    } catch (const std::exception& error) {
        std::cerr << "sgemm-bench-host: " << error.what() << '\n';
        return 1;
    }
}
