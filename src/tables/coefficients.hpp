// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tables/cost_model.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

namespace libsgemm::tables {

/// What a key's number is multiplied by: 1e-6 for a key that ends with "_us".
struct Unit {
    std::string_view name;
    double factor = 1;
};

/// Bounds, both allowed, in the key's unit.
struct Bounds {
    double least = 0;
    double most = 0;
};

/// What a fit knows of a coefficient before anything is measured, in the key's unit; fits move its
/// logarithm.
struct Prior {
    Bounds bounds;
    double typical = 0;     ///< what a row without data gets; 0: as the table has it
    double uncertainty = 1; ///< of the logarithm
};

/// A number of a device table: its key, where a model keeps it, what it may be and what it means.
/// Its default is that of the member.
template <class Model>
struct Coefficient {
    using Member = std::variant<double Model::*, std::int64_t Model::*>;

    std::string_view key;
    Member member;
    Unit unit;
    Bounds bounds; ///< what a table may say
    std::string_view meaning;
    /// None: no fit moves it, and it is written in up to ten digits.
    std::optional<Prior> prior = std::nullopt;
    /// Key whose value it has where a table does not say its own; empty: none.
    std::string_view follows = {};

    /// In the key's unit.
    double get(const Model& model) const {
        return std::visit([&](auto m) { return static_cast<double>(model.*m); }, member) /
               unit.factor;
    }
    void set(Model& model, double value) const {
        std::visit(
            [&](auto m) {
                model.*m = static_cast<std::decay_t<decltype(model.*m)>>(value * unit.factor);
            },
            member);
    }
    bool is(double Model::*other) const { return member == Member(other); }
};

/// All keys of [machine].
std::span<const Coefficient<MachineModel>> machine_coefficients();
/// All keys of a row's `model`.
std::span<const Coefficient<KernelModel>> kernel_coefficients();

/// Keys of tables of before, of coefficients that were worth nothing (ADR 39): read over.
bool is_ignored(std::string_view key);
/// The key that a coefficient had in tables of before.
std::string_view earlier_key(std::string_view key);

/// The lines below [machine], with so many significant digits, or ten where no fit moves a number:
/// what a table would be read as without its line is left out.
std::string machine_text(const MachineModel& machine, int digits);
/// Those of them that fits move.
std::string fitted_machine_text(const MachineModel& machine, int digits);
/// The pairs of a row's `model`, likewise, separated by commas; `efficiency` is always there.
std::string model_text(const KernelModel& model, int digits);

} // namespace libsgemm::tables
