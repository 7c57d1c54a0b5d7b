// SPDX-License-Identifier: Apache-2.0
#include "support/atomic_file.hpp"
#include "support/text_stream.hpp"
#include "tables/coefficients.hpp"
#include "tables/device_table.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>

namespace libsgemm::tables {
namespace {

/// A value that a table may say and that no other field has.
template <class Model>
double some_value(const Coefficient<Model>& c, std::size_t i) {
    const bool is_whole = std::holds_alternative<std::int64_t Model::*>(c.member);
    const auto [least, most] = c.bounds;
    const double within =
        least + (std::min(most, least + 4.0) - least) * (0.25 + static_cast<double>(i) / 128);
    return is_whole ? std::min(most, static_cast<double>(3 + i)) : within;
}

template <class Model>
Model with_all_coefficients(std::span<const Coefficient<Model>> coefficients) {
    Model model;
    for (std::size_t i = 0; i < coefficients.size(); ++i) {
        coefficients[i].set(model, some_value(coefficients[i], i));
    }
    for (std::size_t i = 0; i < coefficients.size(); ++i) {
        const double value = some_value(coefficients[i], i);
        EXPECT_NEAR(coefficients[i].get(model), value, 1e-9 * value)
            << "its member has two keys: " << coefficients[i].key;
    }
    return model;
}

template <class Model>
void expect_same(std::span<const Coefficient<Model>> coefficients, const Model& a, const Model& b) {
    for (const Coefficient<Model>& c : coefficients) {
        EXPECT_NEAR(c.get(a), c.get(b), 1e-9 * c.get(a)) << c.key;
    }
}

std::string table_of(const std::string& machine, const std::string& model) {
    return "description = \"a table\"\n[machine]\n" + machine +
           "[[kernel]]\nname = \"01_naive\"\nmodel = { " + model + " }\n";
}

constexpr int all_digits = 17;

/// Members are eight bytes each: one that has no key would be lost whenever a table is written.
TEST(Coefficients, AreAllMembers) {
    EXPECT_EQ(machine_coefficients().size() * sizeof(double), sizeof(MachineModel));
    EXPECT_EQ(kernel_coefficients().size() * sizeof(double), sizeof(KernelModel));
}

TEST(Coefficients, AreReadBackAsTheyWereWritten) {
    const auto machine = with_all_coefficients(machine_coefficients());
    auto model = with_all_coefficients(kernel_coefficients());
    model.groups_per_unit = 5; // the most that lone_group_speedup may be
    const DeviceTable table = parse_table(
        table_of(machine_text(machine, all_digits), model_text(model, all_digits)), "test");
    expect_same(machine_coefficients(), machine, table.machine);
    expect_same(kernel_coefficients(), model, table.rows.at(0).model);
}

TEST(Coefficients, OfAPlainModelAreReadBack) {
    MachineModel machine;
    machine.bandwidth = 50e9; // that of transpositions is its own
    KernelModel model;
    model.guarded_narrow = 0.5; // that of B is zero
    const DeviceTable table =
        parse_table(table_of(machine_text(machine, 4), model_text(model, 4)), "test");
    expect_same(machine_coefficients(), machine, table.machine);
    expect_same(kernel_coefficients(), model, table.rows.at(0).model);
    EXPECT_EQ(model_text({}, 4), "efficiency = 0.05");
}

TEST(Coefficients, ThatAreGivenAreNotRounded) {
    KernelModel model;
    model.in_place_period = 16384;
    model.lane_sum_seconds = 1.23456e-9;
    model.group_seconds = 1.23456e-6;
    EXPECT_EQ(model_text(model, 3), "efficiency = 0.05, group_us = 1.23, lane_sum_us = 0.00123456, "
                                    "in_place_period = 16384");
    MachineModel machine;
    machine.ld_period = 16384;
    machine.launch_seconds = 21.3456e-6;
    const std::string text = machine_text(machine, 3);
    EXPECT_NE(text.find("launch_us = 21.3\n"), std::string::npos) << text;
    EXPECT_NE(text.find("ld_period = 16384\n"), std::string::npos) << text;
}

template <class Model>
void expect_sound(std::span<const Coefficient<Model>> coefficients) {
    for (const auto& c : coefficients) {
        const double plain = c.get(Model());
        EXPECT_FALSE(c.meaning.empty()) << c.key;
        EXPECT_TRUE(plain == 0 || (plain >= c.bounds.least && plain <= c.bounds.most)) << c.key;
        if (c.prior) {
            const Prior& prior = *c.prior;
            EXPECT_GT(prior.bounds.least, 0) << c.key << ": a fit moves its logarithm";
            EXPECT_GE(prior.bounds.least, c.bounds.least) << c.key;
            EXPECT_LE(prior.bounds.most, c.bounds.most) << c.key;
            EXPECT_TRUE(prior.typical == 0 ||
                        (prior.typical >= prior.bounds.least && prior.typical <= prior.bounds.most))
                << c.key;
        }
    }
}

TEST(Coefficients, HaveDefaultsAndPriorsWithinTheirBounds) {
    expect_sound(machine_coefficients());
    expect_sound(kernel_coefficients());
}

std::string in_unit(double value, const Unit& unit) {
    support::TextWriter text;
    text << value << (unit.name.empty() ? "" : " ") << unit.name;
    return text.str();
}

template <class Model>
std::string page_rows(std::span<const Coefficient<Model>> coefficients) {
    support::TextWriter page;
    page << "| key | default | bounds | a fit expects | meaning |\n|---|---|---|---|---|\n";
    for (const auto& c : coefficients) {
        page << "| `" << c.key << "` | ";
        if (c.follows.empty()) {
            page << in_unit(c.get(Model()), c.unit);
        } else {
            page << '`' << c.follows << '`';
        }
        page << " | " << c.bounds.least << " to " << c.bounds.most << " | ";
        if (c.prior) {
            const auto& [bounds, typical, uncertainty] = *c.prior;
            page << (typical > 0 ? in_unit(typical, {}) : "its value") << ", within "
                 << bounds.least << " to " << bounds.most << "; " << uncertainty;
        }
        page << " | " << c.meaning << " |\n";
    }
    return page.str();
}

/// docs/internals/coefficients.md has the lists of the code word for word. Where it has not, what
/// it ought to have is printed.
TEST(Coefficients, AreThoseOfThePage) {
    const std::string page =
        support::read_file(SGEMM_DOCS_DIR "/internals/coefficients.md").value_or("");
    for (const std::string& rows :
         {page_rows(machine_coefficients()), page_rows(kernel_coefficients())}) {
        EXPECT_NE(page.find(rows), std::string::npos) << rows;
    }
}

} // namespace
} // namespace libsgemm::tables
