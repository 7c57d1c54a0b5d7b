// SPDX-License-Identifier: Apache-2.0
#include "tune/fit/coefficients.hpp"

namespace libsgemm::tune {
namespace {

using tables::KernelModel;
using tables::MachineModel;

constexpr double mib = 1024.0 * 1024.0;

constexpr Coefficient<KernelModel> of_kernels[] = {
    // Above 1 where vectors are wider or the clock is higher than the table says.
    {&KernelModel::efficiency, 1e-5, 16, 0, 2},
    {&KernelModel::lone_group_speedup, 1, 16, 0, 1},
    {&KernelModel::latency_exposure, 0.01, 1, 0.3, 0.7},
    {&KernelModel::start_seconds, 1e-9, 1e-3, 1e-6, 1},
    {&KernelModel::group_seconds, 1e-9, 1e-3, 1e-6, 2},
    {&KernelModel::contention, 0.01, 0.6, 0.1, 0.7},
    {&KernelModel::wave_overlap, 0.02, 1, 0.3, 0.7},
    {&KernelModel::guarded_slowdown, 1, 12, 2, 0.7},
    {&KernelModel::guarded_narrow, 0.01, 4, 0.2, 1},
    {&KernelModel::guarded_narrow_b, 0.01, 4, 0.1, 1},
    {&KernelModel::shifting_slowdown, 1, 1.5, 1.02, 0.05},
    {&KernelModel::extension_cost, 1e-3, 0.5, 0.02, 0.7},
    {&KernelModel::extension_narrow, 1e-3, 2, 0.03, 1},
    {&KernelModel::k_tail_steps, 0.05, 40, 1, 1},
    {&KernelModel::narrow_loads_a, 0.3, 1, 0.92, 0.2},
    {&KernelModel::narrow_loads_b, 0.3, 1, 0.92, 0.2},
    {&KernelModel::k_major_a, 0.1, 3, 0.97, 0.4},
    {&KernelModel::k_major_b, 0.1, 3, 0.97, 0.4},
    {&KernelModel::cached_bytes, 0.05 * mib, 256 * mib, 8 * mib, 1},
    {&KernelModel::uncached_factor, 0.2, 1, 0.9, 0.4},
    {&KernelModel::bandwidth_share, 0.02, 4, 0.7, 0.5},
    {&KernelModel::memory_exposure, 0.02, 1, 0.2, 0.7},
    {&KernelModel::in_place_collision, 1, 4, 0, 0.1},
    {&KernelModel::far_in_place, 0.7, 1, 0, 0.02},
};

constexpr Coefficient<MachineModel> of_machines[] = {
    {&MachineModel::launch_seconds, 1e-8, 1e-3, 0, 1},
    {&MachineModel::pass_seconds, 1e-8, 1e-3, 1e-6, 1},
    {&MachineModel::pass_group_seconds, 1e-10, 1e-3, 1e-8, 1.5},
    {&MachineModel::slice_seconds, 1e-10, 1e-4, 1e-7, 1},
    {&MachineModel::sum_seconds, 1e-8, 1e-4, 0, 1},
    {&MachineModel::sum_bandwidth, 1e9, 1e12, 0, 1},
    {&MachineModel::bandwidth, 1e8, 1e14, 0, 1},
    {&MachineModel::transpose_bandwidth, 1e8, 1e14, 0, 1},
};

} // namespace

std::span<const Coefficient<KernelModel>> kernel_coefficients() {
    return of_kernels;
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

} // namespace libsgemm::tune
