// SPDX-License-Identifier: Apache-2.0
//
// The coefficients that times are predicted from, in seconds, bytes and bytes per second. What each
// one means, how a table writes it and what a fit expects of it stands once, in coefficients.cpp.
#pragma once

#include <cstdint>

namespace libsgemm::tables {

struct LaunchModel {
    double launch_seconds = 5e-6;
    double launch_unit_seconds = 0;
    double calling_thread_launch_seconds = 1.2e-6; ///< PoCL's on the CPUs of the tables
    double wake_seconds = 0;
    double pass_seconds = 0;
    double pass_group_seconds = 0;
    double partial_sum_seconds = 0;
    double sum_seconds = 0;
    double sum_bandwidth = 0;
};

struct MemoryModel {
    double bandwidth = 100e9;
    double transpose_bandwidth = 100e9;
    double pack_beside_bandwidth = 5.6e9;
    double memory_bandwidth = 0;
    double write_bandwidth = 0;
    double sharing_bandwidth = 0;
    std::int64_t bandwidth_units = 0;
    std::int64_t streamed_transposes = 0;
    double load_seconds = 0.8e-6;
    std::int64_t ld_period = 0;
    double ld_slowdown = 1;
    double ld_split_share = 0.5;
};

struct CoreModel {
    double flops_per_cycle_per_unit = 16;
    double clock_mhz = 0;
    double fma_chains = 8;
    std::int64_t cache_ways = 0;
    double cache_line_seconds = 0;
    double core_cache_bytes = 0;
};

/// What is known of a whole device.
struct MachineModel : LaunchModel, MemoryModel, CoreModel {};

/// Of work-groups that share compute units.
struct GroupModel {
    double groups_per_unit = 1;
    double lone_group_speedup = 1;
    double latency_exposure = 0;
    double start_seconds = 0;
    double group_seconds = 0;
    double contention = 0;
    double wave_overlap = 0;
};

struct EdgeModel {
    double guarded_slowdown = 1.5;
    double guarded_narrow = 0;
    double guarded_narrow_b = 0;
    double shifting_slowdown = 1;
    double extension_cost = 0.02;
    double extension_narrow = 0;
    double extended_tile_slowdown = 1.9;
    double k_tail_steps = 0;
};

/// Of operands on their way.
struct OperandModel {
    double narrow_loads_a = 0.92;
    double narrow_loads_b = 0.92;
    double k_major_a = 1;
    double k_major_b = 1;
    double cached_bytes = 0;
    double uncached_factor = 1;
    double bandwidth_share = 1;
    double memory_exposure = 0;
    double overlap = 3;
};

/// Of CPU kernels over packed panels.
struct PackedModel {
    double tile_seconds = 20e-9;
    double few_rows_slowdown = 1.5;
    double lane_sum_seconds = 2e-9;
    double lone_column_share = 0.5;
    std::int64_t in_place_period = 0;
    double in_place_collision = 1;
    double in_place_collision_most = 2.5;
    double in_place_bytes = 0;
    double in_place_bytes_b = 0;
    double far_in_place = 1;
};

/// What is known of a kernel with given parameters.
struct KernelModel : GroupModel, EdgeModel, OperandModel, PackedModel {
    double efficiency = 0.05;
};

} // namespace libsgemm::tables
