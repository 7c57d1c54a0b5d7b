// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tables/device_table.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <variant>

namespace libsgemm::tables {

/// A number of a device table: its key, where a model keeps it, and what it may be.
template <class Model>
struct ModelField {
    using Member = std::variant<double Model::*, std::int64_t Model::*>;

    const char* key = "";
    Member member;
    double unit = 1; ///< of the key, in that of the member: 1e-6 for "_us"
    double least = 0;
    double most = 0;
    bool is_exact = false; ///< no fit moves it: written in up to ten digits

    /// In the key's unit.
    double get(const Model& model) const {
        return std::visit([&](auto m) { return static_cast<double>(model.*m); }, member) / unit;
    }
    void set(Model& model, double value) const {
        std::visit(
            [&](auto m) { model.*m = static_cast<std::decay_t<decltype(model.*m)>>(value * unit); },
            member);
    }
};

/// All keys of [machine].
std::span<const ModelField<MachineModel>> machine_fields();
/// All keys of a row's `model`.
std::span<const ModelField<KernelModel>> kernel_fields();

/// The lines below [machine], with so many significant digits, or ten where a number is exact: what
/// a table would be read as without its line is left out.
std::string machine_text(const MachineModel& machine, int digits);
/// Those of them that fits move.
std::string fitted_machine_text(const MachineModel& machine, int digits);
/// The pairs of a row's `model`, likewise, separated by commas; `efficiency` is always there.
std::string model_text(const KernelModel& model, int digits);

} // namespace libsgemm::tables
