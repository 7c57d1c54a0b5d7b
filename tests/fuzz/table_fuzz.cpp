// SPDX-License-Identifier: Apache-2.0
// Any text is a table or a ConfigurationError, the same under any locale; any table can be planned
// with.
#include "fuzz/bytes.hpp"
#include "plan/planner.hpp"
#include "problem/problem.hpp"
#include "sgemm/error.hpp"
#include "support/fake_device.hpp"
#include "tables/coefficients.hpp"
#include "tables/device_table.hpp"

#include <string>
#include <string_view>

namespace {

void plan_with(const libsgemm::tables::DeviceTable& table) {
    const libsgemm::DeviceTraits device = sgemm_test::fake_device();
    libsgemm::Problem problem;
    problem.m = 100;
    problem.n = 64;
    problem.k = 33;
    const auto checked = libsgemm::validate::check_problem(problem);
    const auto ranking = libsgemm::planning::rank_plans(
        checked.canonical, {}, {device, table, libsgemm::catalog::kernel_catalog()});
    for (const auto& plan : ranking.plans) {
        sgemm_fuzz::require(plan.kernel != nullptr && !plan.steps.empty());
    }
}

/// All numbers of a table as they would be written, or why it is none.
std::string text_of(std::string_view text) {
    try {
        const auto table = libsgemm::tables::parse_table(text, "fuzz.toml");
        std::string written = libsgemm::tables::machine_text(table.machine, 6);
        for (const auto& row : table.rows) {
            written += row.parameters.to_string() + libsgemm::tables::model_text(row.model, 6);
        }
        return written;
    } catch (const libsgemm::ConfigurationError& error) {
        return error.what();
    }
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    sgemm_fuzz::require_same_in_any_locale([&] { return text_of(text); });
    try {
        const auto table = libsgemm::tables::parse_table(text, "fuzz.toml");
        sgemm_fuzz::require(table.origin == "fuzz.toml");
        constexpr std::size_t most_rows = 8; // planning is the slow part
        if (table.rows.size() <= most_rows) {
            plan_with(table);
        }
    } catch (const libsgemm::ConfigurationError& error) {
        sgemm_fuzz::require(std::string_view(error.what()).substr(0, 9) == "fuzz.toml");
    } catch (const libsgemm::UnsupportedError&) { // every row, and the naive kernel, is disabled
        return 0;
    }
    return 0;
}
