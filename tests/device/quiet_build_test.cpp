// SPDX-License-Identifier: Apache-2.0
// Compilers warn of nothing in the kernels, neither in their log nor, as some do, on the program's
// standard error. To mean something it needs a platform that compiles each time
// (tests/registration.cmake).
#include "catalog/kernel_catalog.hpp"
#include "compile/program_cache.hpp"
#include "device/kernel_fixture.hpp"
#include "support/log_collector.hpp"
#include "support/text.hpp"

namespace sgemm_test {
namespace {

using libsgemm::EdgeStrategy;

class QuietBuild : public DeviceTest, public ::testing::WithParamInterface<std::string> {
protected:
    /// Whether there is such a plan, which is compiled.
    static bool compile(const libsgemm::Context& context, const Case& c) {
        try {
            context.plan(c.problem, c.options);
        } catch (const libsgemm::UnsupportedError&) {
            return false;
        }
        return true;
    }

    /// Forms and edges, one after the other; separate passes with half of them.
    static int compile_all(const libsgemm::Context& context, Case c) {
        int compiled = 0;
        for (std::size_t i = 0; i < 4; ++i) {
            set_form(c, all_forms()[i]);
            for (const EdgeStrategy edges :
                 {EdgeStrategy::none, EdgeStrategy::padding, EdgeStrategy::guarded,
                  EdgeStrategy::pointer_shift, EdgeStrategy::extension}) {
                c.options.edges = edges;
                c.options.pre_passes =
                    i % 2 == 0 ? libsgemm::PrePassStyle::fused : libsgemm::PrePassStyle::separate;
                compiled += compile(context, c) ? 1 : 0;
            }
        }
        c.options.edges = EdgeStrategy::automatic;
        c.options.split_k = 3;
        return compiled + (compile(context, c) ? 1 : 0);
    }
};

std::vector<std::string> names_of_all_kernels() {
    std::vector<std::string> names;
    for (const libsgemm::KernelInfo& kernel : libsgemm::kernels()) {
        names.push_back(kernel.name);
    }
    return names;
}

TEST_P(QuietBuild, HasNoWarnings) {
    const auto& entry = *libsgemm::catalog::kernel_catalog().find(GetParam());
    const libsgemm::DeviceTraits& traits = device().handle().traits;
    if (!libsgemm::kernel_obstacles(GetParam(), traits).empty()) {
        return; // other tests see that it is refused
    }
    LogCollector log;
    const libsgemm::Context context = device().make_library(log.options());
    int compiled = 0;
    ::testing::internal::CaptureStderr();
    for (const auto& parameters : {entry.defaults(), small_parameters(entry, traits)}) {
        const auto tile = entry.tile(parameters);
        Case c = plain_case(2 * tile.m + 3, 2 * tile.n + 5, tile.some_k(8 * tile.k + 7));
        c.problem.precision = entry.precision;
        c.options = forced(entry, parameters);
        compiled += compile_all(context, c);
    }
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
    EXPECT_GT(compiled, 0);
    for (const std::string& said : log.behind(std::string(libsgemm::compile::compiler_said))) {
        EXPECT_EQ(libsgemm::support::to_lower(said).find("warning"), std::string::npos) << said;
    }
}

INSTANTIATE_TEST_SUITE_P(Kernels, QuietBuild, ::testing::ValuesIn(names_of_all_kernels()),
                         kernel_test_name);

} // namespace
} // namespace sgemm_test
