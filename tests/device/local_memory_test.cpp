// SPDX-License-Identifier: Apache-2.0
// A kernel's local arrays take what the catalogue says: by that plans leave out what a device has
// no room for.
#include "catalog/passes.hpp"
#include "compile/program_cache.hpp"
#include "device/kernel_fixture.hpp"
#include "plan/passes.hpp"
#include "support/main_step.hpp"

#include <algorithm>
#include <memory>

namespace sgemm_test {
namespace {

using libsgemm::catalog::Parameters;

constexpr Form as_they_lie{libsgemm::Layout::column_major, libsgemm::Transpose::no,
                           libsgemm::Transpose::no};
constexpr Form transposed{libsgemm::Layout::column_major, libsgemm::Transpose::yes,
                          libsgemm::Transpose::yes};

/// Of a kernel's arrays, as the OpenCL implementation counts them.
std::int64_t bytes_of(const libsgemm::planning::KernelBuild& build, const TestDevice& device) {
    const libsgemm::support::Log log({}, false);
    libsgemm::compile::ProgramCache programs(
        libsgemm::device::ContextHandle::retained(device.context()), device.handle().device,
        device.handle().traits, log, libsgemm::catalog::find_source);
    const std::shared_ptr<const libsgemm::compile::Program> program = programs.get(build);
    const libsgemm::compile::Program::Lease kernel(*program);
    cl_ulong bytes = 0;
    check_status(clGetKernelWorkGroupInfo(kernel.get(), device.handle().device,
                                          CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes, nullptr),
                 "clGetKernelWorkGroupInfo");
    return static_cast<std::int64_t>(bytes);
}

/// Whether the OpenCL implementation does: this kernel has arrays on any device.
bool counts_arrays(const TestDevice& device) {
    static const bool counts = [&] {
        libsgemm::ExpertPlanOptions options;
        options.kernel = "02_local_memory_tiles";
        const Case c = plain_case(64, 64, 64);
        return bytes_of(main_build(c.problem, options, device.handle().traits), device) > 1;
    }();
    return counts;
}

/// NVIDIA's driver counts a byte more, and then to the next address at which the largest array may
/// stand.
std::int64_t padding(const TestDevice& device) {
    return device.handle().traits.has_nvidia_ptx ? 1024 : 0;
}

class LocalMemory : public KernelTest {
protected:
    /// Of whole tiles: none is extended, which takes more.
    libsgemm::planning::KernelBuild build_of(const Parameters& chosen, const Form& form) const {
        const libsgemm::catalog::TileShape t = entry().tile(chosen);
        const int k = std::min(2 * t.k, t.most_k); // a whole step, at least
        Case c = plain_case(2 * t.m, 3 * t.n, k);
        set_form(c, form);
        return main_build(c.problem, forced(entry(), chosen), device().handle().traits);
    }
};

// In the two forms that differ most: operands as they lie, and both transposed.
TEST_P(LocalMemory, IsWhatTheCatalogueSaysOrLess) {
    if (refused()) {
        return;
    }
    if (!counts_arrays(device())) {
        GTEST_SKIP() << "arrays of a kernel are not counted here (PoCL 5)";
    }
    for (const Parameters& chosen : {parameters(), entry().defaults()}) {
        if (!libsgemm::catalog::can_run(entry(), chosen, device().handle().traits)) {
            continue;
        }
        const std::int64_t said = entry().tile(chosen).local_memory_bytes;
        std::int64_t most = 0;
        for (const Form& form : {as_they_lie, transposed}) {
            most = std::max(most, bytes_of(build_of(chosen, form), device()));
        }
        EXPECT_LE(most, said + padding(device()));
        EXPECT_GE(most, said - said / 8) << "plans leave the kernel out where there is room for it";
    }
}

SGEMM_FOR_EVERY_KERNEL(LocalMemory);

class LocalMemoryOfPasses : public DeviceTest {};

TEST_F(LocalMemoryOfPasses, IsWhatTheCatalogueSaysOrLess) {
    for (const libsgemm::catalog::PassEntry& pass :
         libsgemm::catalog::passes(device().handle().traits)) {
        const std::int64_t bytes = bytes_of(libsgemm::planning::build_of(pass), device());
        EXPECT_LE(bytes, pass.local_memory_bytes + padding(device())) << pass.name;
    }
}

} // namespace
} // namespace sgemm_test
