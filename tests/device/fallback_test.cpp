// SPDX-License-Identifier: Apache-2.0
// A kernel that does not build, or not as large as needed, is reported and the next candidate runs.
#include "catalog/kernel_catalog.hpp"
#include "context/core.hpp"
#include "device/passes.hpp"
#include "support/log_collector.hpp"
#include "support/temporary_file.hpp"

namespace sgemm_test {
namespace {

using libsgemm::catalog::KernelCatalog;
using libsgemm::catalog::KernelEntry;

/// The library's naive kernel and a planted one that a table praises above all.
class Fallback : public DeviceTest {
protected:
    static constexpr const char* planted_name = "planted";

    /// A kernel whose source demands defines that it does not get.
    static KernelEntry does_not_build() {
        KernelEntry entry = libsgemm::catalog::kernel_catalog().naive();
        entry.name = planted_name;
        entry.parameters.clear();
        entry.tile = [](const libsgemm::catalog::Parameters&) {
            return libsgemm::catalog::TileShape();
        };
        return entry;
    }
    /// A kernel that builds, but not under the name that the catalogue says.
    static KernelEntry has_another_name() {
        KernelEntry entry = libsgemm::catalog::kernel_catalog().naive();
        entry.name = planted_name;
        entry.function = "no_such_function";
        return entry;
    }
    static KernelEntry has_no_source() {
        KernelEntry entry = libsgemm::catalog::kernel_catalog().naive();
        entry.name = planted_name;
        entry.source = "no/such/file.cl";
        return entry;
    }

    std::shared_ptr<libsgemm::detail::Core> make_core(const KernelCatalog& catalog) {
        libsgemm::ContextOptions options = log_.options();
        options.table_file = table_.path();
        return std::make_shared<libsgemm::detail::Core>(device().context(),
                                                        device().handle().device, options, catalog);
    }
    void run(const libsgemm::detail::Core& core) {
        CaseData data(device(), case_);
        const libsgemm::validate::Matrices matrices{data.a(), data.b(), data.c()};
        core.gemm(case_.problem, {queue(), case_.alpha, case_.beta, matrices, no_events_});
        EXPECT_TRUE(data.verify(queue()));
    }

    LogCollector log_;
    Case case_ = plain_case(45, 35, 25);

private:
    const std::vector<cl_event> no_events_;
    const TemporaryFile table_{"fallback.toml",
                               "[[kernel]]\nname = \"planted\"\nmodel = { efficiency = 1000 }\n"};
};

TEST_F(Fallback, BrokenKernelsGiveWayToTheNaiveOneAndAreReported) {
    for (const KernelEntry& planted : {does_not_build(), has_another_name(), has_no_source()}) {
        const KernelCatalog catalog({libsgemm::catalog::kernel_catalog().naive(), planted});
        const auto core = make_core(catalog);
        run(*core);
        EXPECT_TRUE(log_.has(libsgemm::LogLevel::warning, planted_name)) << planted.source;
        const auto plan = core->plan(case_.problem, {});
        EXPECT_EQ(plan->value.kernel, &catalog.naive());
        EXPECT_NE(core->describe(*plan).find("fell back"), std::string::npos);
    }
}

TEST_F(Fallback, TheBuildLogIsReportedWithTheFileName) {
    const KernelCatalog catalog({libsgemm::catalog::kernel_catalog().naive(), does_not_build()});
    run(*make_core(catalog));
    EXPECT_TRUE(log_.has(libsgemm::LogLevel::warning, std::string(does_not_build().source)));
}

TEST_F(Fallback, AFailedBuildIsNotRepeated) {
    const KernelCatalog catalog({libsgemm::catalog::kernel_catalog().naive(), does_not_build()});
    const auto core = make_core(catalog);
    run(*core);
    const std::uint64_t built = core->statistics().programs_built;
    case_ = plain_case(46, 36, 26);
    run(*core);
    EXPECT_EQ(core->statistics().programs_built, built);
}

TEST_F(Fallback, AForcedKernelThatDoesNotBuildIsAnError) {
    const KernelCatalog catalog({libsgemm::catalog::kernel_catalog().naive(), does_not_build()});
    const auto core = make_core(catalog);
    libsgemm::ExpertPlanOptions options;
    options.kernel = planted_name;
    try {
        core->plan(case_.problem, options);
        FAIL() << "no error";
    } catch (const libsgemm::BuildError& error) {
        EXPECT_EQ(error.kernel(), planted_name);
        EXPECT_NE(error.build_log().find("LOCAL_M"), std::string::npos) << error.build_log();
    }
    EXPECT_EQ(core->statistics().kernels_enqueued, 0U);
}

TEST_F(Fallback, WithoutAnyWorkingKernelTheErrorReachesTheCaller) {
    KernelEntry broken = does_not_build();
    const KernelCatalog catalog({broken});
    const auto core = make_core(catalog);
    EXPECT_THROW(core->plan(case_.problem, {}), libsgemm::BuildError);
}

} // namespace
} // namespace sgemm_test
