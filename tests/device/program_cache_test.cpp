// SPDX-License-Identifier: Apache-2.0
// What cannot be built here is a BuildError that says why, each time it is asked for; nothing else
// breaks.
#include "compile/program_cache.hpp"
#include "sgemm/error.hpp"
#include "support/fake_device.hpp"
#include "support/main_step.hpp"
#include "support/test_device.hpp"

#include <optional>
#include <string>

namespace sgemm_test {
namespace {

using libsgemm::planning::KernelBuild;

constexpr libsgemm::catalog::EmbeddedSource nothing_in_it{"nothing.cl", "// no kernel\n", "hash"};

class Programs : public DeviceTest {
protected:
    void SetUp() override {
        DeviceTest::SetUp();
        if (!IsSkipped() && !HasFatalFailure()) {
            programs_.emplace(libsgemm::device::ContextHandle::retained(device().context()),
                              device().handle().device, device().handle().traits, log_, find);
        }
    }

    static KernelBuild build_of(const char* kernel, const libsgemm::DeviceTraits& traits) {
        libsgemm::Problem problem;
        problem.m = problem.n = problem.k = 64;
        libsgemm::ExpertPlanOptions options;
        options.kernel = kernel;
        return main_build(problem, options, traits);
    }

    /// The message of the error, which the second call repeats without another build.
    std::string error_of(const KernelBuild& build) {
        std::string first;
        for (int call = 0; call < 2; ++call) {
            std::string message;
            try {
                programs_->get(build);
                ADD_FAILURE() << build.name << " was built";
            } catch (const libsgemm::BuildError& error) {
                message = error.what();
            }
            EXPECT_EQ(call == 0 ? message : first, message);
            first = message;
        }
        EXPECT_EQ(programs_->built(), 0U);
        return first;
    }
    static bool holds(const std::string& text, const char* part) {
        return text.find(part) != std::string::npos;
    }
    bool is_nvidia() const { return device().handle().traits.has_nvidia_ptx; }

    libsgemm::support::Log log_{{}, false};
    std::optional<libsgemm::compile::ProgramCache> programs_;

private:
    static const libsgemm::catalog::EmbeddedSource* find(std::string_view path) {
        return path == nothing_in_it.path ? &nothing_in_it : libsgemm::catalog::find_source(path);
    }
};

TEST_F(Programs, AreBuiltOnce) {
    const KernelBuild naive = build_of("01_naive", device().handle().traits);
    EXPECT_EQ(programs_->get(naive), programs_->get(naive));
    EXPECT_EQ(programs_->built(), 1U);
}

TEST_F(Programs, ThatNobodyWroteAreNamed) {
    KernelBuild build = build_of("01_naive", device().handle().traits);
    build.source = "no/such/file.cl";
    EXPECT_THROW(programs_->get(build), libsgemm::BuildError);
}

TEST_F(Programs, WithoutTheirFunctionAreBuildErrors) {
    KernelBuild build = build_of("01_naive", device().handle().traits);
    build.source = nothing_in_it.path;
    EXPECT_TRUE(holds(error_of(build), "clCreateKernel"));
}

TEST_F(Programs, ThatLackADefineSayWhich) {
    KernelBuild build = build_of("01_naive", device().handle().traits);
    build.defines = {};
    EXPECT_TRUE(holds(error_of(build), build.source.c_str()));
}

TEST_F(Programs, InPtxThatLackADefineSayWhich) {
    KernelBuild build = build_of("ptx_01_naive", fake_nvidia_device());
    build.defines = {};
    EXPECT_TRUE(holds(error_of(build), "ptx_01_naive"));
}

TEST_F(Programs, InPtxAreRefusedByOtherDevices) {
    if (is_nvidia()) {
        GTEST_SKIP() << "this device takes PTX";
    }
    const std::string error = error_of(build_of("ptx_01_naive", fake_nvidia_device()));
    EXPECT_TRUE(holds(error, "ptx_01_naive")) << error;
}

TEST_F(Programs, ForOneArchitectureAreRefusedByOtherDevices) {
    if (is_nvidia()) {
        GTEST_SKIP() << "this device may be of that architecture";
    }
    KernelBuild build = build_of("01_naive", device().handle().traits);
    build.architecture_specific = true;
    const std::string error = error_of(build);
    EXPECT_TRUE(holds(error, "no PTX for sm_90")) << error;
}

TEST_F(Programs, TakeALimitOfRegistersOnNvidiaAlone) {
    KernelBuild build = build_of("01_naive", device().handle().traits);
    build.max_registers = 64;
    EXPECT_TRUE(holds(libsgemm::compile::build_options(build, fake_nvidia_device()),
                      "-cl-nv-maxrregcount=64 "));
    EXPECT_FALSE(holds(libsgemm::compile::build_options(build, fake_device()), "maxrregcount"));
}

} // namespace
} // namespace sgemm_test
