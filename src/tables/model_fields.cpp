// SPDX-License-Identifier: Apache-2.0
#include "tables/model_fields.hpp"

#include "support/text_stream.hpp"

namespace libsgemm::tables {
namespace {

constexpr double us = 1e-6;
constexpr double gbs = 1e9;
constexpr double mib = 1024.0 * 1024.0;
constexpr bool exact = true;

constexpr ModelField<MachineModel> of_machines[] = {
    {"launch_us", &MachineModel::launch_seconds, us, 0, 1e6},
    {"pass_us", &MachineModel::pass_seconds, us, 0, 1e6},
    {"pass_group_us", &MachineModel::pass_group_seconds, us, 0, 1e6},
    {"slice_us", &MachineModel::slice_seconds, us, 0, 1e6},
    {"sum_us", &MachineModel::sum_seconds, us, 0, 1e6},
    {"sum_gbs", &MachineModel::sum_bandwidth, gbs, 0, 1e6},
    {"bandwidth_gbs", &MachineModel::bandwidth, gbs, 1e-3, 1e6},
    {"transpose_bandwidth_gbs", &MachineModel::transpose_bandwidth, gbs, 1e-3, 1e6},
    {"flops_per_cycle_per_unit", &MachineModel::flops_per_cycle_per_unit, 1, 1, 1e6, exact},
    {"clock_mhz", &MachineModel::clock_mhz, 1, 0, 1e5, exact},
    {"ld_period", &MachineModel::ld_period, 1, 0, 1e9, exact},
    {"ld_slowdown", &MachineModel::ld_slowdown, 1, 1, 1e3, exact},
    {"call_us", &MachineModel::call_seconds, us, 0, 1e6, exact},
    {"bandwidth_units", &MachineModel::bandwidth_units, 1, 0, 1e6, exact},
    {"packing_gbs", &MachineModel::packing_bandwidth, gbs, 0, 1e6, exact},
    {"streamed_turns", &MachineModel::streamed_turns, 1, 0, 1, exact},
    {"launch_unit_us", &MachineModel::launch_unit_seconds, us, 0, 1e6, exact},
    {"wake_us", &MachineModel::wake_seconds, us, 0, 1e6, exact},
    {"cache_ways", &MachineModel::cache_ways, 1, 0, 1e3, exact},
    {"cache_line_ns", &MachineModel::cache_line_seconds, 1e-9, 0, 1e6, exact},
    {"tlb_ways", &MachineModel::tlb_ways, 1, 0, 1e3, exact},
    {"core_cache_mib", &MachineModel::core_cache_bytes, mib, 0, 1e6, exact},
    {"memory_gbs", &MachineModel::memory_bandwidth, gbs, 0, 1e6, exact},
    {"sharing_gbs", &MachineModel::sharing_bandwidth, gbs, 0, 1e6, exact},
};

constexpr ModelField<KernelModel> of_kernels[] = {
    {"efficiency", &KernelModel::efficiency, 1, 1e-9, 1e3},
    {"groups_per_unit", &KernelModel::groups_per_unit, 1, 1, 1e4, exact},
    {"lone_group_speedup", &KernelModel::lone_group_speedup, 1, 1, 1e4},
    {"latency_exposure", &KernelModel::latency_exposure, 1, 0, 1},
    {"start_us", &KernelModel::start_seconds, us, 0, 1e6},
    {"group_us", &KernelModel::group_seconds, us, 0, 1e6},
    {"contention", &KernelModel::contention, 1, 0, 0.9},
    {"wave_overlap", &KernelModel::wave_overlap, 1, 0, 1},
    {"guarded_slowdown", &KernelModel::guarded_slowdown, 1, 1, 1e3},
    {"guarded_narrow", &KernelModel::guarded_narrow, 1, 0, 1e3},
    {"guarded_narrow_b", &KernelModel::guarded_narrow_b, 1, 0, 1e3},
    {"shifting_slowdown", &KernelModel::shifting_slowdown, 1, 1, 1e3},
    {"extension_cost", &KernelModel::extension_cost, 1, 0, 10},
    {"extension_narrow", &KernelModel::extension_narrow, 1, 0, 1e3},
    {"k_tail_steps", &KernelModel::k_tail_steps, 1, 0, 1e3},
    {"narrow_loads_a", &KernelModel::narrow_loads_a, 1, 1e-6, 1e3},
    {"narrow_loads_b", &KernelModel::narrow_loads_b, 1, 1e-6, 1e3},
    {"k_major_a", &KernelModel::k_major_a, 1, 1e-6, 1e3},
    {"k_major_b", &KernelModel::k_major_b, 1, 1e-6, 1e3},
    {"cached_mib", &KernelModel::cached_bytes, mib, 0, 1e9},
    {"uncached_factor", &KernelModel::uncached_factor, 1, 1e-6, 1},
    {"bandwidth_share", &KernelModel::bandwidth_share, 1, 1e-6, 1e3},
    {"memory_exposure", &KernelModel::memory_exposure, 1, 0, 1},
    {"in_place_collision", &KernelModel::in_place_collision, 1, 1, 1e3},
    {"far_in_place", &KernelModel::far_in_place, 1, 1e-6, 1},
    {"in_place_period", &KernelModel::in_place_period, 1, 0, 1e9, exact},
    {"in_place_collision_b", &KernelModel::in_place_collision_b, 1, 1, 1e3, exact},
    {"in_place_mib", &KernelModel::in_place_bytes, mib, 0, 1e9, exact},
    {"in_place_b_mib", &KernelModel::in_place_bytes_b, mib, 0, 1e9, exact},
    {"far_in_place_b", &KernelModel::far_in_place_b, 1, 1e-6, 1, exact},
};

/// "KEY = VALUE".
template <class Model>
std::string pair_text(const ModelField<Model>& field, const Model& model, int digits) {
    constexpr int digits_of_exact = 10;
    support::TextWriter text;
    text.precision(field.is_exact ? digits_of_exact : digits);
    text << field.key << " = " << field.get(model);
    return text.str();
}

/// Defaults above 1 (launches, bandwidths, operations) are guesses that may change: always there.
bool needs_line(const ModelField<MachineModel>& field, const MachineModel& machine) {
    const double plain = field.get(MachineModel());
    return plain > 1 || field.get(machine) != plain;
}

std::string line_text(const ModelField<MachineModel>& field, const MachineModel& machine,
                      int digits) {
    return needs_line(field, machine) ? pair_text(field, machine, digits) + '\n' : "";
}

} // namespace

std::span<const ModelField<MachineModel>> machine_fields() {
    return of_machines;
}

std::span<const ModelField<KernelModel>> kernel_fields() {
    return of_kernels;
}

std::string machine_text(const MachineModel& machine, int digits) {
    std::string text;
    for (const auto& field : of_machines) {
        text += line_text(field, machine, digits);
    }
    return text;
}

std::string fitted_machine_text(const MachineModel& machine, int digits) {
    std::string text;
    for (const auto& field : of_machines) {
        text += field.is_exact ? "" : line_text(field, machine, digits);
    }
    return text;
}

std::string model_text(const KernelModel& model, int digits) {
    KernelModel plain;
    plain.guarded_narrow_b = model.guarded_narrow; // as it is read
    std::string text;
    for (const auto& field : of_kernels) {
        if (text.empty() || field.get(model) != field.get(plain)) {
            text += (text.empty() ? "" : ", ") + pair_text(field, model, digits);
        }
    }
    return text;
}

} // namespace libsgemm::tables
