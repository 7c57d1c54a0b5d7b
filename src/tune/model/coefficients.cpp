// SPDX-License-Identifier: Apache-2.0
#include "tune/model/coefficients.hpp"

#include <sstream>

namespace sgemm::tune {
namespace {

using tables::KernelModel;
using tables::MachineModel;

constexpr double mib = 1024.0 * 1024.0;

constexpr Coefficient<KernelModel> of_kernels[] = {
    // Above 1 where vectors are wider or the clock is higher than the table says.
    {"efficiency", &KernelModel::efficiency, 1, 1e-5, 16, 0, 2},
    {"lone_group_speedup", &KernelModel::lone_group_speedup, 1, 1, 16, 0, 1},
    {"latency_exposure", &KernelModel::latency_exposure, 1, 0.01, 1, 0.3, 0.7},
    {"start_us", &KernelModel::start_seconds, 1e-6, 1e-9, 1e-3, 1e-6, 1},
    {"group_us", &KernelModel::group_seconds, 1e-6, 1e-9, 1e-3, 1e-6, 2},
    {"contention", &KernelModel::contention, 1, 0.01, 0.6, 0.1, 0.7},
    {"wave_overlap", &KernelModel::wave_overlap, 1, 0.02, 1, 0.3, 0.7},
    {"guarded_slowdown", &KernelModel::guarded_slowdown, 1, 1, 12, 2, 0.7},
    {"guarded_narrow", &KernelModel::guarded_narrow, 1, 0.01, 4, 0.2, 1},
    {"guarded_narrow_b", &KernelModel::guarded_narrow_b, 1, 0.01, 4, 0.1, 1},
    {"shifting_slowdown", &KernelModel::shifting_slowdown, 1, 1, 1.5, 1.02, 0.05},
    {"extension_cost", &KernelModel::extension_cost, 1, 1e-3, 0.5, 0.02, 0.7},
    {"extension_narrow", &KernelModel::extension_narrow, 1, 1e-3, 2, 0.03, 1},
    {"k_tail_steps", &KernelModel::k_tail_steps, 1, 0.05, 40, 1, 1},
    {"narrow_loads_a", &KernelModel::narrow_loads_a, 1, 0.3, 1, 0.92, 0.2},
    {"narrow_loads_b", &KernelModel::narrow_loads_b, 1, 0.3, 1, 0.92, 0.2},
    {"k_major_a", &KernelModel::k_major_a, 1, 0.1, 3, 0.97, 0.4},
    {"k_major_b", &KernelModel::k_major_b, 1, 0.1, 3, 0.97, 0.4},
    {"cached_mib", &KernelModel::cached_bytes, mib, 0.05 * mib, 256 * mib, 8 * mib, 1},
    {"uncached_factor", &KernelModel::uncached_factor, 1, 0.2, 1, 0.9, 0.4},
    {"bandwidth_share", &KernelModel::bandwidth_share, 1, 0.02, 4, 0.7, 0.5},
    {"memory_exposure", &KernelModel::memory_exposure, 1, 0.02, 1, 0.2, 0.7},
    {"in_place_collision", &KernelModel::in_place_collision, 1, 1, 4, 0, 0.1},
    {"far_in_place", &KernelModel::far_in_place, 1, 0.7, 1, 0, 0.02},
};

constexpr Coefficient<MachineModel> of_machines[] = {
    {"launch_us", &MachineModel::launch_seconds, 1e-6, 1e-8, 1e-3, 0, 1},
    {"pass_us", &MachineModel::pass_seconds, 1e-6, 1e-8, 1e-3, 1e-6, 1},
    {"pass_group_us", &MachineModel::pass_group_seconds, 1e-6, 1e-10, 1e-3, 1e-8, 1.5},
    {"slice_us", &MachineModel::slice_seconds, 1e-6, 1e-10, 1e-4, 1e-7, 1},
    {"sum_us", &MachineModel::sum_seconds, 1e-6, 1e-8, 1e-4, 0, 1},
    {"sum_gbs", &MachineModel::sum_bandwidth, 1e9, 1e9, 1e12, 0, 1},
    {"bandwidth_gbs", &MachineModel::bandwidth, 1e9, 1e8, 1e14, 0, 1},
    {"transpose_bandwidth_gbs", &MachineModel::transpose_bandwidth, 1e9, 1e8, 1e14, 0, 1},
};

} // namespace

std::span<const Coefficient<KernelModel>> kernel_coefficients() {
    return of_kernels;
}
std::string fixed_coefficients(const KernelModel& model) {
    const KernelModel defaults;
    std::ostringstream text;
    const auto add = [&](const char* key, double value, double plain) {
        if (value != plain) {
            text << ", " << key << " = " << value;
        }
    };
    add("in_place_period", static_cast<double>(model.in_place_period),
        static_cast<double>(defaults.in_place_period));
    add("in_place_collision_b", model.in_place_collision_b, defaults.in_place_collision_b);
    add("in_place_mib", model.in_place_bytes / mib, defaults.in_place_bytes / mib);
    add("in_place_b_mib", model.in_place_bytes_b / mib, defaults.in_place_bytes_b / mib);
    add("far_in_place_b", model.far_in_place_b, defaults.far_in_place_b);
    return text.str();
}

std::span<const Coefficient<MachineModel>> machine_coefficients() {
    return of_machines;
}

KernelModel typical_model(const KernelModel& row) {
    KernelModel model = row;
    for (const auto& c : kernel_coefficients()) {
        if (c.typical > 0) {
            model.*c.field = c.typical;
        }
    }
    return model;
}

KernelModel given_model(const KernelModel& row) {
    const KernelModel unset;
    KernelModel model = typical_model(row);
    for (const auto& c : kernel_coefficients()) {
        if (row.*c.field != unset.*c.field) {
            model.*c.field = row.*c.field;
        }
    }
    return model;
}

} // namespace sgemm::tune
