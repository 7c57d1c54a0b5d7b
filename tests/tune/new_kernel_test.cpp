// SPDX-License-Identifier: Apache-2.0
// "One file and one entry": a kernel that only this program knows is listed, planned, verified and
// tuned as the library's own are.
#include "context/core.hpp"
#include "new_kernel.hpp"
#include "print.hpp"
#include "support/case_data.hpp"
#include "support/kernel_variants.hpp"
#include "support/temporary_file.hpp"
#include "support/test_device.hpp"
#include "tune/fit/table_writer.hpp"
#include "tune/search/tuner.hpp"

#include <algorithm>
#include <sstream>
#include <string>

namespace sgemm_test {
namespace {

using libsgemm::catalog::KernelEntry;

libsgemm::tune::Shape few_columns() {
    return libsgemm::judge::make_shape("NN", 256, 24, 64);
}
libsgemm::tune::Shape many_columns() {
    return libsgemm::judge::make_shape("NN", 64, 96, 64);
}

/// The naive kernel at its worst.
libsgemm::tables::DeviceTable slow_table() {
    libsgemm::tables::DeviceTable table;
    // Less of a low peak than any machine does, however busy it is.
    table.machine.flops_per_cycle_per_unit = 1;
    libsgemm::tables::KernelModel naive;
    naive.efficiency = 1e-6;
    table.rows.push_back({std::string(catalog_with_new_kernel().naive().name), {}, naive});
    table.rows.back().parameters.set("local_m", 1);
    table.rows.back().parameters.set("local_n", 1);
    return table;
}

class NewKernelTest : public DeviceTest {
protected:
    const KernelEntry& kernel() const { return catalog_with_new_kernel().entries().back(); }
    std::string name() const { return std::string(kernel().name); }

    std::shared_ptr<libsgemm::detail::Core> make_core(const std::string& table,
                                                      const std::string& forced = {}) {
        const TemporaryFile file("new_kernel.toml", table);
        libsgemm::ContextOptions options;
        options.plan.kernel = forced;
        options.table_file = file.path();
        return std::make_shared<libsgemm::detail::Core>(
            device().context(), device().handle().device, options, catalog_with_new_kernel());
    }
    /// A table that praises it.
    std::string praise() const {
        return "[[kernel]]\nname = \"" + name() + "\"\nmodel = { efficiency = 1000 }\n";
    }
    std::vector<libsgemm::tune::Task> tasks() const {
        return libsgemm::tune::make_tasks(catalog_with_new_kernel(), {},
                                          {{"both", {few_columns(), many_columns()}}}, slow_table(),
                                          device().handle().traits);
    }
};

TEST_F(NewKernelTest, IsListed) {
    const auto all = libsgemm::catalog::list(catalog_with_new_kernel());
    ASSERT_EQ(all.size(), 2U);
    std::ostringstream text;
    info::print_kernel(all.back(), text);
    for (const char* part : {"columns\n", "new/columns.cl, SHA-256 0123456789abcdef",
                             "A m-major, B either", "any size", "rows = 1 (ROWS:"}) {
        EXPECT_NE(text.str().find(part), std::string::npos) << part << " in\n" << text.str();
    }
    EXPECT_EQ(libsgemm::kernels().size(),
              libsgemm::catalog::list(libsgemm::catalog::kernel_catalog()).size());
}

TEST_F(NewKernelTest, IsPlannedAsItsEntrySays) {
    const auto core = make_core(praise());
    Case c = plain_case(45, 35, 25);
    const auto in_place = core->plan(c.problem, {});
    EXPECT_EQ(in_place->value.kernel, &kernel());
    EXPECT_EQ(in_place->value.steps.size(), 1U);
    set_form(c,
             {libsgemm::Layout::column_major, libsgemm::Transpose::yes, libsgemm::Transpose::yes});
    const auto with_pass = core->plan(c.problem, {});
    EXPECT_EQ(with_pass->value.kernel, &kernel());
    EXPECT_EQ(with_pass->value.steps.size(), 2U) << "A must be m-major, B need not be n-major";
    libsgemm::ExpertPlanOptions options;
    options.kernel = name();
    options.parameters["rows"] = 4;
    EXPECT_EQ(core->plan(c.problem, options)->value.parameters["rows"], 4);
    options.parameters["rows"] = 65;
    EXPECT_THROW(core->plan(c.problem, options), libsgemm::UnsupportedError);
}

TEST_F(NewKernelTest, ComputesWhatBlasSays) {
    const auto core = make_core(praise(), name());
    for (std::size_t form = 0; form < all_forms().size(); ++form) {
        for (const Extents& extents :
             tile_extents(kernel().tile(kernel().defaults()), form, all_forms().size())) {
            Case c = plain_case(extents.m, extents.n, extents.k);
            set_form(c, all_forms()[form]);
            c.beta = 0.5F;
            c.options.kernel = name();
            ASSERT_EQ(core->plan(c.problem, c.options)->value.kernel, &kernel());
            CaseData data(device(), c);
            const libsgemm::validate::Matrices matrices{data.a(), data.b(), data.c()};
            core->gemm(c.problem, {queue(), c.alpha, c.beta, matrices, {}});
            ASSERT_TRUE(data.verify(queue()));
        }
    }
}

TEST_F(NewKernelTest, IsTunedForTheProductsThatItSuits) {
    const auto all = tasks();
    const auto own = std::ranges::find(all, &kernel(), &libsgemm::tune::Task::kernel);
    ASSERT_NE(own, all.end());
    ASSERT_EQ(own->shapes.shapes.size(), 1U);
    EXPECT_EQ(own->shapes.shapes.front().n, few_columns().n);
}

TEST_F(NewKernelTest, IsFoundByTheTunerAndTakenByCallsFromThenOn) {
    libsgemm::tune::TunerOptions options;
    options.budget_seconds = 600; // it ends when all is measured
    options.classes = {{"few columns", {few_columns()}}};
    options.kernels = {name()};
    options.verifiers = 2;
    const TemporaryFile file("new_kernel.jsonl", "");
    libsgemm::tune::Journal journal(file.path());
    libsgemm::tune::Tuner tuner(
        device().handle(), catalog_with_new_kernel(),
        {{"/proc/self/exe", "worker_of_new_kernel", device().handle().selector}}, journal,
        slow_table(), options);
    const libsgemm::tune::TuningOutcome outcome = tuner.run();
    const auto row =
        std::ranges::find(outcome.table.rows, name(), &libsgemm::tables::TableRow::kernel);
    ASSERT_NE(row, outcome.table.rows.end());
    EXPECT_EQ(row->source, "0123456789abcdef");
    EXPECT_FALSE(row->verified.empty());
    EXPECT_GE(journal.records().size(), 3U) << "each number of rows";

    const auto core = make_core(libsgemm::tune::table_text(outcome.table, "of a test"));
    const Case c = plain_case(few_columns().m, few_columns().n, few_columns().k);
    EXPECT_EQ(core->plan(c.problem, {})->value.kernel, &kernel());
}

} // namespace
} // namespace sgemm_test
