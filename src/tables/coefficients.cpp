// SPDX-License-Identifier: Apache-2.0
//
// All that is to know of a coefficient, once: tables are read and written, models fitted and
// docs/internals/coefficients.md checked by these lists.
#include "tables/coefficients.hpp"

#include "support/text_stream.hpp"

#include <algorithm>
#include <iterator>

namespace libsgemm::tables {
namespace {

constexpr Unit one{"", 1};
constexpr Unit us{"us", 1e-6};
constexpr Unit ns{"ns", 1e-9};
constexpr Unit gbs{"GB/s", 1e9};
constexpr Unit mib{"MiB", 1024.0 * 1024.0};

constexpr Bounds any_time{0, 1e6};
constexpr Bounds any_rate{0, 1e6};
constexpr Bounds any_size{0, 1e9};
constexpr Bounds any_count{0, 1e9};
constexpr Bounds share{0, 1};
constexpr Bounds positive_share{1e-6, 1};
constexpr Bounds factor{1e-6, 1e3};
constexpr Bounds slowdown{1, 1e3};
constexpr Bounds addend{0, 1e3};
constexpr Bounds bandwidth{1e-3, 1e6};
constexpr Bounds units{0, 1e6};
constexpr Bounds flops{1, 1e6};
constexpr Bounds mhz{0, 1e5};
constexpr Bounds chains{1, 1e3};
constexpr Bounds ways{0, 1e3};
constexpr Bounds of_peak{1e-9, 1e3};
constexpr Bounds groups{1, 1e4};
constexpr Bounds most_of_it{0, 0.9};
constexpr Bounds for_each_line{0, 10};
constexpr Bounds exponent{1, 100};

using M = MachineModel;
using K = KernelModel;

constexpr Coefficient<MachineModel> of_machines[] = {
    // --- launches
    {"launch_us", &M::launch_seconds, us, any_time, "a kernel launch behind another",
     Prior{{1e-2, 1e3}, 0, 1}},
    {"launch_unit_us", &M::launch_unit_seconds, us, any_time,
     "what a launch takes besides for each compute unit: threads wake one after the other"},
    {"calling_thread_launch_us", &M::calling_thread_launch_seconds, us, any_time,
     "a launch on a device that computes in the calling thread, where nothing wakes: then "
     "`launch_unit_us` and `wake_us` are 0 and no `bandwidth_share` exceeds 1, since one core has "
     "its part of the bandwidth; 0: as `launch_us`, and all count",
     Prior{{1e-2, 1e3}, 0, 1}},
    {"wake_us", &M::wake_seconds, us, any_time,
     "wake-up latency: how much later than the first the other compute units begin a launch, as a "
     "measured median. Launches over packed panels are divided into work-groups with it in view"},
    {"pass_us", &M::pass_seconds, us, any_time, "a pass beside its launch and its traffic",
     Prior{{1e-2, 1e3}, 1, 1}},
    {"pass_group_us", &M::pass_group_seconds, us, any_time,
     "a work-group of a pass, on its compute unit", Prior{{1e-4, 1e3}, 1e-2, 1.5}},
    {"partial_sum_us", &M::partial_sum_seconds, us, any_time,
     "a part of split-K that a work-item of the reduction loads and adds",
     Prior{{1e-4, 100}, 0.1, 1}},
    {"sum_us", &M::sum_seconds, us, any_time, "a fused reduction, but for its reads",
     Prior{{1e-2, 100}, 0, 1}},
    {"sum_gbs", &M::sum_bandwidth, gbs, any_rate,
     "at which one work-group reads what others left; 0: no fused reduction is proposed",
     Prior{{1, 1000}, 0, 1}},
    // --- memory
    {"bandwidth_gbs", &M::bandwidth, gbs, bandwidth, "a copy, read plus written",
     Prior{{0.1, 1e5}, 0, 1}},
    {"transpose_bandwidth_gbs", &M::transpose_bandwidth, gbs, bandwidth,
     "a transposing copy, and kernels that pack panels", Prior{{0.1, 1e5}, 0, 1}, "bandwidth_gbs"},
    {"pack_beside_unit_gbs", &M::pack_beside_bandwidth, gbs, bandwidth,
     "FP32 read by a compute unit that packs the next launch's operand beside its own tiles"},
    {"memory_gbs", &M::memory_bandwidth, gbs, any_rate,
     "that no pass exceeds but a reduction, which finds its parts in a cache; 0: no limit"},
    {"write_gbs", &M::write_bandwidth, gbs, any_rate,
     "C that is written in whole sectors; 0: as `bandwidth_gbs`"},
    {"sharing_gbs", &M::sharing_bandwidth, gbs, any_rate,
     "at which matrices go from device to device of a context at each call of several; 0: they "
     "share memory"},
    {"bandwidth_units", &M::bandwidth_units, one, units,
     "how many compute units the bandwidths were measured with: more or fewer move in proportion, "
     "and a launch of fewer work-groups has no more than their share; 0: they are the device's"},
    {"streamed_transposes", &M::streamed_transposes, one, share,
     "1: transposing copies write around the caches, where whole lines are written"},
    {"load_us", &M::load_seconds, us, any_time,
     "until a load from memory arrives, of which a work-item of a fringe has 32 on their way"},
    {"ld_period", &M::ld_period, one, any_count,
     "leading dimensions that are multiples of so many elements collide in memory channels; 0: "
     "none do"},
    {"ld_slowdown", &M::ld_slowdown, one, slowdown,
     "how much slower a main kernel is that reads such an operand"},
    {"ld_split_share", &M::ld_split_share, one, share,
     "what launches that share k leave of that loss; launches that share C leave all"},
    // --- cores
    {"flops_per_cycle_per_unit", &M::flops_per_cycle_per_unit, one, flops,
     "FP32 operations of a compute unit; an FMA is two"},
    {"clock_mhz", &M::clock_mhz, one, mhz,
     "of the device that the rows were measured on: where another table takes them (`rows_from`), "
     "their fixed times are scaled by the clocks; 0: unknown"},
    {"fma_chains", &M::fma_chains, one, chains,
     "sums of vectors that a core has in progress (its FMA units times their latency): a register "
     "tile of fewer takes as long as one of so many"},
    {"cache_ways", &M::cache_ways, one, ways,
     "lines that a set of a CPU's first-level data cache holds, where a way is 4 KiB: columns of a "
     "B in place of which more share a set crowd it; 0: unknown"},
    {"cache_line_ns", &M::cache_line_seconds, ns, any_time,
     "a line that such columns read again, from the next cache; given with `cache_ways`"},
    {"core_cache_mib", &M::core_cache_bytes, mib, any_rate,
     "the cache of one core: a larger A in place is read from further away by each share of the "
     "columns; 0: unknown, and `cached_mib` decides"},
};

constexpr Coefficient<KernelModel> of_kernels[] = {
    // Above 1 where vectors are wider or the clock is higher than the table says.
    {"efficiency", &K::efficiency, one, of_peak,
     "share of the peak in a long run with all compute units full", Prior{{1e-5, 16}, 0, 2}},
    // --- work-groups
    {"groups_per_unit", &K::groups_per_unit, one, groups,
     "work-groups that a compute unit runs at a time"},
    {"lone_group_speedup", &K::lone_group_speedup, one, groups,
     "how much faster a work-group is alone on its unit; at most `groups_per_unit`",
     Prior{{1, 16}, 0, 1}},
    {"latency_exposure", &K::latency_exposure, one, share,
     "part of the shorter of two times that the longer does not hide: a lone work-group's, and "
     "that of all on a unit",
     Prior{{0.01, 1}, 0.3, 0.7}},
    {"start_us", &K::start_seconds, us, any_time,
     "a launch, once: until units are filled, and while they run empty", Prior{{1e-3, 1e3}, 1, 1}},
    {"group_us", &K::group_seconds, us, any_time, "a work-group beside its loop along k",
     Prior{{1e-3, 1e3}, 1, 2}},
    {"contention", &K::contention, one, most_of_it,
     "share of its time that a work-group waits for others at the memory: less where there are "
     "fewer work-groups than units",
     Prior{{0.01, 0.6}, 0.1, 0.7}},
    {"wave_overlap", &K::wave_overlap, one, share,
     "how far waves run into each other: 0, each waits for the one before; 1, all end together",
     Prior{{0.02, 1}, 0.3, 0.7}},
    // --- edges
    {"guarded_slowdown", &K::guarded_slowdown, one, slowdown,
     "a work-group at an edge that checks bounds", Prior{{1, 12}, 2, 0.7}},
    {"guarded_narrow", &K::guarded_narrow, one, addend,
     "added to that for each halving of the loads of A", Prior{{0.01, 4}, 0.2, 1}},
    {"guarded_narrow_b", &K::guarded_narrow_b, one, addend,
     "added to that for each halving of the loads of B", Prior{{0.01, 4}, 0.1, 1},
     "guarded_narrow"},
    {"shifting_slowdown", &K::shifting_slowdown, one, slowdown,
     "all work-groups, where tiles at edges move inward", Prior{{1, 1.5}, 1.02, 0.05}},
    {"extension_cost", &K::extension_cost, one, for_each_line,
     "share of all that extended tiles take more for each row and column",
     Prior{{1e-3, 0.5}, 0.02, 0.7}},
    {"extension_narrow", &K::extension_narrow, one, addend,
     "added to that for each halving of the narrower loads", Prior{{1e-3, 2}, 0.03, 1}},
    {"extended_tile_slowdown", &K::extended_tile_slowdown, one, slowdown,
     "an extended tile, which all wait for where all work-groups run at once"},
    {"k_tail_steps", &K::k_tail_steps, one, addend,
     "steps along k that an incomplete last one takes beside its own, where k is not padded",
     Prior{{0.05, 40}, 1, 1}},
    // --- operands
    {"narrow_loads_a", &K::narrow_loads_a, one, factor,
     "factor to `efficiency` for each halving of the loads of A that alignment asks for; of "
     "`packed`, where all vectors of an A in place straddle lines that can",
     Prior{{0.3, 1}, 0.92, 0.2}},
    {"narrow_loads_b", &K::narrow_loads_b, one, factor, "the same of B",
     Prior{{0.3, 1}, 0.92, 0.2}},
    {"k_major_a", &K::k_major_a, one, factor,
     "factor to `efficiency` where a k-major A is transposed on the way; of kernels that pack, to "
     "the speed of packing",
     Prior{{0.1, 3}, 0.97, 0.4}},
    {"k_major_b", &K::k_major_b, one, factor, "the same of B", Prior{{0.1, 3}, 0.97, 0.4}},
    {"cached_mib", &K::cached_bytes, mib, any_size, "of A and B that stay in a cache; 0: all",
     Prior{{0.05, 256}, 8, 1}},
    {"uncached_factor", &K::uncached_factor, one, positive_share,
     "factor to `efficiency` that larger operands come close to", Prior{{0.2, 1}, 0.9, 0.4}},
    {"bandwidth_share", &K::bandwidth_share, one, factor,
     "share of the machine's bandwidth that the kernel reaches", Prior{{0.02, 4}, 0.7, 0.5}},
    {"memory_exposure", &K::memory_exposure, one, share,
     "part of the shorter of computing and reading that the longer does not hide",
     Prior{{0.02, 1}, 0.2, 0.7}},
    {"overlap", &K::overlap, one, exponent,
     "of `flat`: p, where writing C and the products take (writing^p + products^p)^(1/p); 1: one "
     "after the other; large: the longer of both"},
    // --- CPU kernels over packed panels
    {"tile_us", &K::tile_seconds, us, any_time,
     "to begin and store a register tile, for each block of k"},
    {"few_rows_slowdown", &K::few_rows_slowdown, one, slowdown,
     "up to four rows behind whole vectors, computed by dot products along k, by row"},
    {"lane_sum_us", &K::lane_sum_seconds, us, any_time,
     "to add the lanes of such a product and store it, for each block of k"},
    {"lone_column_share", &K::lone_column_share, one, share,
     "least share of a register tile's time that a column takes where C has fewer than a tile"},
    {"in_place_period", &K::in_place_period, one, any_count,
     "leading dimensions of an operand in place, not contiguous along k, that are multiples of so "
     "many elements crowd few cache sets (of panels of one cache line); 0: none do"},
    {"in_place_collision", &K::in_place_collision, one, slowdown,
     "how much slower that is, and again for each further factor of two; where C has few columns, "
     "of reading A, packed or not",
     Prior{{1, 4}, 0, 0.1}},
    {"in_place_collision_most", &K::in_place_collision_most, one, slowdown,
     "the most that it slows the reading of A down where C has few columns"},
    {"in_place_mib", &K::in_place_bytes, mib, any_size,
     "of an operand in place, from which size on, and from each further factor of two, "
     "`efficiency` is multiplied by `far_in_place`; 0: never"},
    {"in_place_b_mib", &K::in_place_bytes_b, mib, any_size, "the same of B; 0: as A's"},
    {"far_in_place", &K::far_in_place, one, positive_share, "see `in_place_mib`",
     Prior{{0.7, 1}, 0, 0.02}},
};

/// "KEY = VALUE".
template <class Model>
std::string pair_text(const Coefficient<Model>& coefficient, const Model& model, int digits) {
    constexpr int digits_of_given = 10;
    support::TextWriter text;
    text.precision(coefficient.prior ? digits : digits_of_given);
    text << coefficient.key << " = " << coefficient.get(model);
    return text.str();
}

/// What a table that does not say it is read as.
template <class Model>
double plain_value(const Coefficient<Model>& coefficient, const Model& model,
                   std::span<const Coefficient<Model>> all) {
    const auto followed = std::ranges::find(all, coefficient.follows, &Coefficient<Model>::key);
    return followed == all.end() ? coefficient.get(Model()) : followed->get(model);
}

template <class Model>
bool is_plain(const Coefficient<Model>& c, const Model& model,
              std::span<const Coefficient<Model>> all) {
    return c.get(model) == plain_value(c, model, all);
}

/// Launch, bandwidths and operations are guesses by default, which may change: always there.
bool needs_line(const Coefficient<MachineModel>& coefficient, const MachineModel& machine) {
    return coefficient.is(&MachineModel::launch_seconds) ||
           coefficient.is(&MachineModel::bandwidth) ||
           coefficient.is(&MachineModel::transpose_bandwidth) ||
           coefficient.is(&MachineModel::flops_per_cycle_per_unit) ||
           !is_plain(coefficient, machine, machine_coefficients());
}

std::string line_text(const Coefficient<MachineModel>& coefficient, const MachineModel& machine,
                      int digits) {
    return needs_line(coefficient, machine) ? pair_text(coefficient, machine, digits) + '\n' : "";
}

} // namespace

std::span<const Coefficient<MachineModel>> machine_coefficients() {
    return of_machines;
}

std::span<const Coefficient<KernelModel>> kernel_coefficients() {
    return of_kernels;
}

bool is_ignored(std::string_view key) {
    constexpr std::string_view keys[] = {"call_us", "far_in_place_b", "in_place_collision_b",
                                         "packing_gbs", "tlb_ways"};
    return std::ranges::find(keys, key) != std::end(keys);
}

std::string_view earlier_key(std::string_view key) {
    return key == "partial_sum_us"        ? "slice_us"
           : key == "streamed_transposes" ? "streamed_turns"
                                          : key;
}

std::string machine_text(const MachineModel& machine, int digits) {
    std::string text;
    for (const auto& coefficient : of_machines) {
        text += line_text(coefficient, machine, digits);
    }
    return text;
}

std::string fitted_machine_text(const MachineModel& machine, int digits) {
    std::string text;
    for (const auto& coefficient : of_machines) {
        text += coefficient.prior ? line_text(coefficient, machine, digits) : "";
    }
    return text;
}

std::string model_text(const KernelModel& model, int digits) {
    std::string text;
    for (const auto& coefficient : of_kernels) {
        if (text.empty() || !is_plain(coefficient, model, kernel_coefficients())) {
            text += (text.empty() ? "" : ", ") + pair_text(coefficient, model, digits);
        }
    }
    return text;
}

} // namespace libsgemm::tables
