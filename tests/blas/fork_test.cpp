// SPDX-License-Identifier: Apache-2.0
// fork() while another thread has begun the drop-in's start and not ended it: the host's BLAS is
// being loaded (slow_host.cpp), or the device looked for. The start goes on when the child has
// ended, so that nothing depends on time. The traces are what ctest checks.
#include "doors/blas/entry_points.hpp"
#include "sgemm/opencl.hpp"

#include <array>
#include <cstdio>
#include <dlfcn.h>
#include <latch>
#include <mutex>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace {

std::latch has_begun{1};
std::latch may_go_on{1};

bool multiplies() {
    const std::array<float, 4> a{1, 2, 3, 4};
    const std::array<float, 4> b{5, 6, 7, 8};
    std::array<float, 4> c{};
    cblas_sgemm(102, 111, 111, 2, 2, 2, 1.0F, a.data(), 2, b.data(), 2, 0.0F, c.data(), 2);
    return c == std::array<float, 4>{23, 34, 31, 46};
}

void report(const char* who, bool right) {
    std::fprintf(stderr, "%s: %s\n", who, right ? "right" : "wrong");
}

/// Whether one ends, with the right numbers; so does its own child.
bool multiplies_in_child(int generations) {
    const pid_t child = fork();
    if (child == 0) {
        constexpr unsigned patience = 60; // seconds; whoever hangs is ended
        alarm(patience);
        const bool right = multiplies() && multiplies();
        _exit(right && (generations == 1 || multiplies_in_child(generations - 1)) ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status == 0;
}

} // namespace

/// Called by what starts.
extern "C" __attribute__((visibility("default"))) void wait_for_test() {
    has_begun.count_down();
    may_go_on.wait();
}

/// Stands before OpenCL's own.
extern "C" __attribute__((visibility("default"))) cl_int
clGetPlatformIDs(cl_uint entries, cl_platform_id* platforms, cl_uint* count) {
    static std::once_flag once;
    std::call_once(once, wait_for_test);
    void* const original = dlsym(RTLD_NEXT, "clGetPlatformIDs");
    return reinterpret_cast<decltype(clGetPlatformIDs)*>(original)(entries, platforms, count);
}

int main() {
    bool right = false;
    std::thread starting([&] { right = multiplies(); });
    has_begun.wait();
    report("child", multiplies_in_child(2));
    may_go_on.count_down();
    starting.join();
    report("parent", right && multiplies());
    report("later child", multiplies_in_child(2));
    return 0;
}
