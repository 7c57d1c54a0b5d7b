// SPDX-License-Identifier: Apache-2.0
#include "tables/model_fields.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>

namespace libsgemm::tables {
namespace {

/// A value that a table may say and that no other field has.
template <class Model>
double some_value(const ModelField<Model>& field, std::size_t i) {
    const bool is_whole = std::holds_alternative<std::int64_t Model::*>(field.member);
    const double within = field.least + (std::min(field.most, field.least + 4.0) - field.least) *
                                            (0.25 + static_cast<double>(i) / 128);
    return is_whole ? std::min(field.most, static_cast<double>(3 + i)) : within;
}

template <class Model>
Model with_all_fields(std::span<const ModelField<Model>> fields) {
    Model model;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        fields[i].set(model, some_value(fields[i], i));
    }
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const double value = some_value(fields[i], i);
        EXPECT_NEAR(fields[i].get(model), value, 1e-9 * value)
            << "its member has two keys: " << fields[i].key;
    }
    return model;
}

template <class Model>
void expect_same(std::span<const ModelField<Model>> fields, const Model& a, const Model& b) {
    for (const ModelField<Model>& field : fields) {
        EXPECT_NEAR(field.get(a), field.get(b), 1e-9 * field.get(a)) << field.key;
    }
}

std::string table_of(const std::string& machine, const std::string& model) {
    return "description = \"a table\"\n[machine]\n" + machine +
           "[[kernel]]\nname = \"01_naive\"\nmodel = { " + model + " }\n";
}

constexpr int all_digits = 17;

/// Members are eight bytes each: one that has no key would be lost whenever a table is written.
TEST(ModelFields, AreAllMembers) {
    EXPECT_EQ(machine_fields().size() * sizeof(double), sizeof(MachineModel));
    EXPECT_EQ(kernel_fields().size() * sizeof(double), sizeof(KernelModel));
}

TEST(ModelFields, AreReadBackAsTheyWereWritten) {
    const auto machine = with_all_fields(machine_fields());
    auto model = with_all_fields(kernel_fields());
    model.groups_per_unit = 5; // the most that lone_group_speedup may be
    const DeviceTable table = parse_table(
        table_of(machine_text(machine, all_digits), model_text(model, all_digits)), "test");
    expect_same(machine_fields(), machine, table.machine);
    expect_same(kernel_fields(), model, table.rows.at(0).model);
}

TEST(ModelFields, OfAPlainModelAreReadBack) {
    MachineModel machine;
    machine.bandwidth = 50e9; // that of transpositions is its own
    KernelModel model;
    model.guarded_narrow = 0.5; // that of B is zero
    const DeviceTable table =
        parse_table(table_of(machine_text(machine, 4), model_text(model, 4)), "test");
    expect_same(machine_fields(), machine, table.machine);
    expect_same(kernel_fields(), model, table.rows.at(0).model);
    EXPECT_EQ(model_text({}, 4), "efficiency = 0.05");
}

TEST(ModelFields, ThatAreGivenAreNotRounded) {
    KernelModel model;
    model.in_place_period = 16384;
    model.in_place_collision_b = 1.0125;
    model.group_seconds = 1.23456e-6;
    EXPECT_EQ(model_text(model, 3), "efficiency = 0.05, group_us = 1.23, in_place_period = 16384, "
                                    "in_place_collision_b = 1.0125");
    MachineModel machine;
    machine.ld_period = 16384;
    machine.launch_seconds = 21.3456e-6;
    const std::string text = machine_text(machine, 3);
    EXPECT_NE(text.find("launch_us = 21.3\n"), std::string::npos) << text;
    EXPECT_NE(text.find("ld_period = 16384\n"), std::string::npos) << text;
}

} // namespace
} // namespace libsgemm::tables
