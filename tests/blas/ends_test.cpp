// SPDX-License-Identifier: Apache-2.0
// SGEMM where a device must not be touched: in a process forked while OpenCL starts, and in
// destructors that run late. The traces are what ctest checks.
#include "doors/blas/entry_points.hpp"
#include "sgemm/opencl.hpp"

#include <array>
#include <cstdio>
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

bool multiplies() {
    const std::array<float, 4> ones{1, 1, 1, 1};
    std::array<float, 4> c{};
    cblas_sgemm(102, 111, 111, 2, 2, 2, 1.0F, ones.data(), 2, ones.data(), 2, 0.0F, c.data(), 2);
    return c == std::array<float, 4>{2, 2, 2, 2};
}

/// Made before main(), so that it goes after what the first call has registered.
struct Late {
    ~Late() { std::fprintf(stderr, "late: %s\n", multiplies() ? "right" : "wrong"); }
} late;

void multiply_in_child() {
    const pid_t child = fork();
    if (child == 0) {
        constexpr unsigned patience = 20;
        alarm(patience);
        _exit(multiplies() ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    std::fprintf(stderr, "child: %s\n", status == 0 ? "right" : "wrong");
}

} // namespace

/// Stands before OpenCL's own: the device is being started here.
extern "C" __attribute__((visibility("default"))) cl_context
clCreateContext(const cl_context_properties* properties, cl_uint num_devices,
                const cl_device_id* devices,
                void(CL_CALLBACK* notify)(const char*, const void*, size_t, void*), void* data,
                cl_int* errcode_ret) {
    static bool has_forked = false;
    if (!has_forked) {
        has_forked = true;
        multiply_in_child();
    }
    void* const original = dlsym(RTLD_NEXT, "clCreateContext");
    return reinterpret_cast<decltype(clCreateContext)*>(original)(properties, num_devices, devices,
                                                                  notify, data, errcode_ret);
}

int main() {
    return multiplies() ? 0 : 1;
}
