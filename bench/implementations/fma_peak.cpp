// SPDX-License-Identifier: Apache-2.0
//
// The top of the axis: as many fused multiply-adds as the product has, and nothing else.
#include "implementations/makers.hpp"

#include <algorithm>
#include <cmath>

namespace libsgemm::bench {
namespace {

// Sums that depend on nothing but themselves, enough to hide an fma's latency and few enough for
// registers. They start from different values: equal ones the compiler computes once.
constexpr const char* source = R"(
#define CONCAT_(x, y) x##y
#define CONCAT(x, y) CONCAT_(x, y)
#if WIDTH == 1
typedef float floatW;
#else
typedef CONCAT(float, WIDTH) floatW;
#endif
kernel void fma_peak(global float* out, long steps) {
    floatW sums[SUMS];
    const float start = (float)get_global_id(0);
#pragma unroll
    for (int i = 0; i < SUMS; ++i)
        sums[i] = (floatW)(start + i);
    const floatW x = (floatW)(out[0]), y = (floatW)(out[1]);
    for (long step = 0; step < steps; ++step)
#pragma unroll
        for (int i = 0; i < SUMS; ++i)
            sums[i] = fma(sums[i], x, y);
    floatW total = sums[0];
#pragma unroll
    for (int i = 1; i < SUMS; ++i)
        total += sums[i];
    // Never true, which no compiler knows.
    if (steps < 0)
        out[2] = ((float*)&total)[0];
}
)";

constexpr int sums = 12;

/// How the device is filled.
struct Launch {
    int width = 1;
    std::size_t local = 1;
    std::size_t groups = 1;
};

Launch launch_for(const DeviceTraits& device) {
    const auto units = static_cast<std::size_t>(device.compute_units);
    if (device.type == DeviceType::cpu) {
        return {std::max(1, device.native_vector_width), 1, 16 * units};
    }
    return {1, 256, 64 * units};
}

class FmaPeakRunner : public Runner {
public:
    FmaPeakRunner(const OpenClSession& session, cl_kernel kernel, const Launch& launch,
                  double flops)
        : session_(session), kernel_(kernel), launch_(launch) {
        const double per_step =
            2.0 * sums * launch.width * static_cast<double>(launch.local * launch.groups);
        steps_ = std::max<cl_long>(1, std::llround(flops / per_step));
    }

    void enqueue() override {
        const std::size_t global = launch_.local * launch_.groups;
        require_opencl(clSetKernelArg(kernel_, 1, sizeof steps_, &steps_), "clSetKernelArg");
        require_opencl(clEnqueueNDRangeKernel(session_.queue(), kernel_, 1, nullptr, &global,
                                              &launch_.local, 0, nullptr, nullptr),
                       "clEnqueueNDRangeKernel");
    }
    void finish() override { session_.finish(); }
    void write_c(const std::vector<float>&) override {}
    void read_c(std::vector<float>&) override {}
    bool multiplies() const override { return false; }
    std::string label() const override { return "fused multiply-adds in registers, no memory"; }

private:
    const OpenClSession& session_;
    cl_kernel kernel_;
    Launch launch_;
    cl_long steps_ = 1;
};

class FmaPeak : public Implementation {
public:
    explicit FmaPeak(const OpenClSession& session)
        : Implementation("fma-peak"), session_(session),
          launch_(launch_for(session.device().traits)) {
        cl_int status = CL_SUCCESS;
        const char* text = source;
        program_.reset(clCreateProgramWithSource(session.context(), 1, &text, nullptr, &status));
        require_opencl(status, "clCreateProgramWithSource");
        const std::string options =
            "-DWIDTH=" + std::to_string(launch_.width) + " -DSUMS=" + std::to_string(sums);
        require_opencl(
            clBuildProgram(program_.get(), 0, nullptr, options.c_str(), nullptr, nullptr),
            "clBuildProgram");
        kernel_.reset(clCreateKernel(program_.get(), "fma_peak", &status));
        require_opencl(status, "clCreateKernel");
        float factors[] = {0.5F, 0.25F, 0.0F};
        values_.reset(clCreateBuffer(session.context(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                     sizeof factors, factors, &status));
        require_opencl(status, "clCreateBuffer");
        cl_mem values = values_.get();
        require_opencl(clSetKernelArg(kernel_.get(), 0, sizeof values, &values), "clSetKernelArg");
    }

    std::unique_ptr<Runner> prepare(const Workload& workload) override {
        return std::make_unique<FmaPeakRunner>(session_, kernel_.get(), launch_,
                                               workload.shape.flops());
    }

private:
    const OpenClSession& session_;
    Launch launch_;
    Owned<cl_program, clReleaseProgram> program_;
    Owned<cl_kernel, clReleaseKernel> kernel_;
    Owned<cl_mem, clReleaseMemObject> values_;
};

} // namespace

Implementations make_fma_peak(Environment& environment) {
    Implementations made;
    made.push_back(std::make_unique<FmaPeak>(environment.opencl_session()));
    return made;
}

} // namespace libsgemm::bench
