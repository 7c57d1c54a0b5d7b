// SPDX-License-Identifier: Apache-2.0
//
// What a warm call costs its caller, device work aside:
//   sgemm-bench-host [OP/MxNxK ...]        the device is that of $SGEMM_DEVICE
// For each shape the median time until gemm() has returned, without an event
// (Completion::in_queue), beside that of the driver's own calls for as many launches: kernels that
// do nothing, with arguments of the same kinds, all of them set anew, of the same ranges. The
// device is idle before each; on a CPU, whose threads would take the caller's place, launches wait
// for an event of the program's until the time is taken.
#include "execute/numbers.hpp"
#include "format.hpp"
#include "judge/operands.hpp"
#include "judge/problem.hpp"
#include "judge/shape.hpp"
#include "opencl_session.hpp"
#include "plan/planner.hpp"
#include "problem/problem.hpp"
#include "sgemm/sgemm.hpp"
#include "support/standard_streams.hpp"
#include "tables/device_table.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using libsgemm::bench::Owned;
using libsgemm::bench::require_opencl;
using libsgemm::judge::Shape;
using libsgemm::planning::Argument;
using libsgemm::planning::PlanValue;
using libsgemm::planning::Step;
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
Kernel make_idle_kernel(const libsgemm::bench::OpenClSession& session, const Step& step) {
    std::string members;
    std::string buffers;
    for (std::size_t i = 0; i < step.arguments.size(); ++i) {
        const Argument::Kind kind = step.arguments[i].kind;
        const std::string name = 'x' + std::to_string(i);
        if (is_memory(kind)) {
            buffers += ", global float* " + name;
        } else {
            members += (is_scalar(kind) ? "float " : "long ") + name + "; ";
        }
    }
    const std::string source = "typedef struct { " + members +
                               "} Numbers;\nkernel void idle(Numbers numbers" + buffers + ") {}";
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
    IdleLaunches(const libsgemm::bench::OpenClSession& session, std::vector<Step> steps,
                 cl_mem memory)
        : session_(session), steps_(std::move(steps)), memory_(memory) {
        std::transform(steps_.begin(), steps_.end(), std::back_inserter(kernels_),
                       [&](const Step& step) { return make_idle_kernel(session, step); });
    }

    void run(const std::vector<cl_event>& wait_list) const {
        for (std::size_t i = 0; i < steps_.size(); ++i) {
            launch(kernels_[i].get(), steps_[i], i == 0 ? wait_list : std::vector<cl_event>());
        }
    }

private:
    void launch(cl_kernel kernel, const Step& step, const std::vector<cl_event>& wait_list) const {
        set_arguments(kernel, step);
        require_opencl(
            clEnqueueNDRangeKernel(session_.queue(), kernel, 3, nullptr, step.range.global.data(),
                                   step.range.local.data(), static_cast<cl_uint>(wait_list.size()),
                                   wait_list.empty() ? nullptr : wait_list.data(), nullptr),
            "clEnqueueNDRangeKernel");
    }

    void set_arguments(cl_kernel kernel, const Step& step) const {
        libsgemm::execute::Numbers numbers;
        cl_uint index = 1;
        for (const Argument& argument : step.arguments) {
            if (is_memory(argument.kind)) {
                require_opencl(clSetKernelArg(kernel, index++, sizeof memory_, &memory_),
                               "clSetKernelArg");
            } else if (is_scalar(argument.kind)) {
                numbers.append(cl_float{1});
            } else {
                numbers.append(cl_long{1});
            }
        }
        require_opencl(clSetKernelArg(kernel, 0, numbers.size(), numbers.data()), "clSetKernelArg");
    }

    const libsgemm::bench::OpenClSession& session_;
    std::vector<Step> steps_;
    std::vector<Kernel> kernels_;
    cl_mem memory_;
};

constexpr std::int64_t widest = 16; // elements: offset zero is aligned to all that counts

/// As the library plans it where no kernel and no precision is set in the environment.
PlanValue plan_of(const libsgemm::bench::OpenClSession& session, const libsgemm::Problem& problem) {
    auto canonical = libsgemm::validate::check_problem(problem).canonical;
    canonical.a.offset_alignment = canonical.b.offset_alignment = canonical.c.offset_alignment =
        widest;
    const auto& traits = session.device().traits;
    std::string complaint; // the Context tells it
    const auto table = libsgemm::tables::usual_table(traits, complaint);
    return libsgemm::planning::rank_plans(canonical, {},
                                          {traits, table, libsgemm::catalog::kernel_catalog()})
        .plans.front();
}

/// Throws unless the library has the same passes for the call, of the same parameters and predicted
/// time.
void require_same_plan(const libsgemm::Context& library, const libsgemm::Problem& problem,
                       const PlanValue& plan) {
    const libsgemm::Plan made = library.plan(problem);
    std::vector<std::string> passes;
    std::transform(plan.steps.begin(), plan.steps.end(), std::back_inserter(passes),
                   [](const Step& step) { return step.build.name; });
    const std::map<std::string, int> parameters(plan.parameters.begin(), plan.parameters.end());
    if (made.passes() != passes || made.parameters() != parameters ||
        made.predicted_seconds() != plan.predicted_seconds) {
        throw std::runtime_error(
            "the call has another plan than the table's: is a kernel or a precision set in the "
            "environment, or timing at first use?");
    }
}

/// What launches wait for on a CPU; nothing elsewhere.
class Gate {
public:
    explicit Gate(const libsgemm::bench::OpenClSession& session) {
        if (session.device().traits.type == libsgemm::DeviceType::cpu) {
            cl_int status = CL_SUCCESS;
            event_.reset(clCreateUserEvent(session.context(), &status));
            require_opencl(status, "clCreateUserEvent");
            wait_list_ = {event_.get()};
        }
    }
    ~Gate() {
        if (event_) {
            clSetUserEventStatus(event_.get(), CL_COMPLETE);
        }
    }
    Gate(const Gate&) = delete;
    Gate& operator=(const Gate&) = delete;

    const std::vector<cl_event>& wait_list() const { return wait_list_; }

private:
    Event event_;
    std::vector<cl_event> wait_list_;
};

using Work = std::function<void(const std::vector<cl_event>& wait_list)>;

/// Until the work is enqueued; it is done when this returns.
double seconds_of(const libsgemm::bench::OpenClSession& session, const Work& work) {
    std::chrono::duration<double> taken{};
    {
        const Gate gate(session);
        const auto start = std::chrono::steady_clock::now();
        work(gate.wait_list());
        taken = std::chrono::steady_clock::now() - start;
    }
    session.finish();
    return taken.count();
}

double median(std::vector<double> times) {
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    return *middle;
}

void measure(const libsgemm::bench::OpenClSession& session, const libsgemm::Context& library,
             const Shape& shape) {
    const libsgemm::Problem problem = libsgemm::judge::to_problem(shape);
    PlanValue plan = plan_of(session, problem);
    require_same_plan(library, problem, plan);
    const std::size_t launches = plan.steps.size();
    const auto call = [&](const std::vector<cl_event>& wait_list) {
        library.gemm(session.queue(), problem, 1.0F, {session.a(), 0}, {session.b(), 0}, 0.0F,
                     {session.c(), 0}, wait_list, libsgemm::Completion::in_queue);
    };
    call({}); // warm
    const IdleLaunches idle(session, std::move(plan.steps), session.c());
    std::vector<double> calls, drivers;
    session.finish();
    for (int i = 0; i < repetitions; ++i) { // alternating
        calls.push_back(seconds_of(session, call));
        drivers.push_back(seconds_of(session, [&](const auto& wait_list) { idle.run(wait_list); }));
    }
    using libsgemm::bench::format_seconds;
    const double call_seconds = median(calls), driver_seconds = median(drivers);
    std::cout << "| " << libsgemm::judge::shape_name(shape) << " | " << launches << " | "
              << format_seconds(call_seconds) << " | " << format_seconds(driver_seconds) << " | "
              << std::setprecision(3) << (call_seconds - driver_seconds) * 1e6 << " us |"
              << std::endl;
}

void run(const std::vector<Shape>& shapes) {
    libsgemm::bench::OpenClSession session("");
    libsgemm::bench::Operands operands(shapes, 1);
    session.upload(operands);
    libsgemm::ContextOptions options;
    options.plan.offset_alignment = widest; // of plan()
    const libsgemm::Context library(session.context(), session.device().device, options);
    std::cout << session.device().traits.name << ", driver "
              << session.device().traits.driver_version << ", medians of " << repetitions << "\n\n"
              << "| shape | launches | call | driver's calls | difference |\n"
              << "|---|---|---|---|---|\n";
    for (const Shape& shape : shapes) {
        measure(session, library, shape);
    }
}

int status_of(int argc, char** argv) {
    try {
        std::vector<std::string> names(argv + 1, argv + argc);
        if (names.empty()) {
            names = {"NN/64x64x64",    "NN/256x256x256", "NN/512x512x512",
                     "NN/513x513x513", "TN/1000x1x1000", "NN/64x64x4096"};
        }
        std::vector<Shape> shapes;
        std::transform(names.begin(), names.end(), std::back_inserter(shapes),
                       libsgemm::judge::parse_shape_name);
        run(shapes);
        return 0;
    } catch (const libsgemm::judge::UsageError& error) {
        std::cerr << "sgemm-bench-host: " << error.what()
                  << "\nusage: sgemm-bench-host [OP/MxNxK ...], such as NN/64x64x64\n";
        return 2;
    } catch (const std::exception& error) {
        std::cerr << "sgemm-bench-host: " << error.what() << '\n';
        return 1;
    }
}

} // namespace

int main(int argc, char** argv) {
    libsgemm::support::hold_standard_streams();
    return libsgemm::support::status_after_output("sgemm-bench-host", status_of(argc, argv));
}
