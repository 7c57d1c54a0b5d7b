// SPDX-License-Identifier: Apache-2.0
#include "plan/candidates.hpp"

#include "plan/check_options.hpp"
#include "plan/cost_model.hpp"
#include "plan/family/packed/packed_plan.hpp"
#include "plan/family/persistent/stream.hpp"
#include "plan/narrow_loads.hpp"
#include "support/text.hpp"
#include "tables/disabled_kernels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace libsgemm::planning {
namespace {

using catalog::Edges;
using catalog::KernelEntry;
using catalog::Parameters;
using validate::CanonicalProblem;
using validate::Operand;

void override_parameters(Candidate& candidate, const PlanOptions& options) {
    for (const auto& [name, value] : options.parameters) {
        candidate.parameters.set(name, value);
    }
}

bool holds_kernel(const std::vector<Candidate>& candidates, const KernelEntry& kernel) {
    return std::any_of(candidates.begin(), candidates.end(),
                       [&](const Candidate& c) { return c.kernel == &kernel; });
}

bool holds_runnable(const std::vector<Candidate>& candidates, const KernelEntry& kernel,
                    const DeviceTraits& device) {
    return std::any_of(candidates.begin(), candidates.end(), [&](const Candidate& c) {
        return c.kernel == &kernel && catalog::obstacles(kernel, c.parameters, device).empty();
    });
}

/// The least of each parameter's search values.
Parameters smallest(const KernelEntry& kernel) {
    Parameters parameters;
    for (const catalog::ParameterSpec& spec : kernel.parameters) {
        parameters.set(spec.name, *std::min_element(spec.values.begin(), spec.values.end()));
    }
    return parameters;
}

/// Overridden parameters can make several rows of a table the same; the first stays.
void drop_repeated(std::vector<Candidate>& candidates) {
    std::vector<Candidate> kept;
    for (Candidate& candidate : candidates) {
        const bool known = std::any_of(kept.begin(), kept.end(), [&](const Candidate& other) {
            return other.kernel == candidate.kernel && other.parameters == candidate.parameters;
        });
        if (!known) {
            kept.push_back(std::move(candidate));
        }
    }
    candidates = std::move(kept);
}

/// One candidate per row, whether or not the device can run it.
std::vector<Candidate> list_all_rows(const PlanOptions& options, Precision precision,
                                     const PlanningContext& context,
                                     std::vector<Rejection>& rejected) {
    const KernelEntry* forced =
        options.kernel.empty() ? nullptr : context.catalog.find(options.kernel);
    Candidate plain;
    plain.variant.pre_passes =
        options.pre_passes == PrePassStyle::separate ? PrePassStyle::separate : PrePassStyle::fused;
    std::vector<Candidate> rows;
    const auto add = [&](const KernelEntry& kernel, const Parameters& parameters,
                         const tables::KernelModel& model, int index = -1) {
        Candidate row = plain;
        row.row = index;
        row.kernel = &kernel;
        row.parameters = kernel.completed(parameters);
        row.model = model;
        override_parameters(row, options);
        const auto* disabled = tables::find_disabled(context.table, kernel.name, row.parameters);
        if (disabled != nullptr) {
            rejected.push_back({row.to_string(), "disabled: " + disabled->reason});
            return;
        }
        rows.push_back(std::move(row));
    };
    for (const tables::TableRow& row : context.table.rows) {
        const KernelEntry* kernel = context.catalog.find(row.kernel);
        if (kernel == nullptr) {
            rejected.push_back({row.kernel, "not in the catalogue (" + context.table.origin + ")"});
        } else if (forced == nullptr ? is_allowed(*kernel, precision) : kernel == forced) {
            add(*kernel, row.parameters, row.model,
                static_cast<int>(&row - context.table.rows.data()));
        }
    }
    const KernelEntry& needed = forced != nullptr ? *forced : context.catalog.naive();
    // Rows may ask for more local memory than this device of the table's class has.
    const bool is_there = forced != nullptr ? holds_runnable(rows, needed, context.device)
                                            : holds_kernel(rows, needed);
    if (!is_there) {
        add(needed, {}, {});
    }
    if (forced == nullptr && !holds_runnable(rows, needed, context.device)) {
        add(needed, smallest(needed), {}); // a device of very small work-groups
    }
    drop_repeated(rows);
    return rows;
}

// --- edges ---------------------------------------------------------------------------------------

bool fits_tiles(const CanonicalProblem& problem, const catalog::TileShape& tile) {
    return problem.m % tile.m == 0 && problem.n % tile.n == 0 && problem.k % tile.k == 0;
}

std::vector<EdgeStrategy> treatments(const CanonicalProblem& problem, const KernelEntry& kernel,
                                     const catalog::TileShape& tile, EdgeStrategy wanted) {
    if (kernel.edges == Edges::any_size) {
        return {EdgeStrategy::guarded};
    }
    if (kernel.edges == Edges::whole_tiles || wanted == EdgeStrategy::padding ||
        wanted == EdgeStrategy::none) {
        return {EdgeStrategy::padding};
    }
    switch (wanted) {
    case EdgeStrategy::guarded:
        return {EdgeStrategy::guarded};
    case EdgeStrategy::pointer_shift:
        return {EdgeStrategy::pointer_shift};
    case EdgeStrategy::extension:
        return {EdgeStrategy::extension};
    default:
        break;
    }
    if (fits_tiles(problem, tile)) {
        return {EdgeStrategy::padding};
    }
    return {EdgeStrategy::padding, EdgeStrategy::guarded, EdgeStrategy::pointer_shift,
            EdgeStrategy::extension};
}

// --- alignment -----------------------------------------------------------------------------------

/// The candidate and those that narrow the loads of A, of B or of both to what alignment allows:
/// narrow loads read in place what full ones need a copy of.
std::vector<Candidate> with_loads(const Candidate& candidate, const CanonicalProblem& problem) {
    std::vector<Candidate> variants{candidate};
    const auto add_narrow = [&](bool Variant::*narrow) {
        for (std::size_t i = 0, known = variants.size(); i < known; ++i) {
            variants.push_back(variants[i]);
            variants.back().variant.*narrow = true;
        }
    };
    if (!candidate.variant.narrow_a && narrows_a(candidate, problem)) {
        add_narrow(&Variant::narrow_a);
    }
    if (!candidate.variant.narrow_b && narrows_b(candidate, problem)) {
        add_narrow(&Variant::narrow_b);
    }
    return variants;
}

} // namespace

bool is_allowed(const KernelEntry& kernel, Precision precision) {
    return kernel.precision == Precision::strict || kernel.precision == precision ||
           precision == Precision::emulated;
}

namespace {

// --- slices of k ---------------------------------------------------------------------------------

/// Work-groups that a compute unit is taken to hold. Not what a model says: what there is to choose from
/// must not change when a model is fitted anew.
double groups_at_once(const catalog::TileShape& tile, const DeviceTraits& device) {
    constexpr double items = 1024;
    return device.type == DeviceType::cpu ? 1 : std::clamp(items / tile.work_items(), 1.0, 16.0);
}

/// Slices that fill the device where one launch has too few work-groups, each at least some steps
/// deep. Powers of two and those times 1.5 are close enough.
std::vector<int> slice_counts(const CanonicalProblem& problem, const Candidate& candidate,
                              const catalog::TileShape& tile, const DeviceTraits& device,
                              int wanted) {
    if (!candidate.kernel->split_k) {
        return {1};
    }
    if (candidate.kernel->streams) { // where no tile would be cut there is nothing to deal out
        const StreamShares dealt = share_stream(candidate.in_tiles(problem.m, tile.m),
                                                candidate.in_tiles(problem.n, tile.n), problem.k,
                                                problem.batch, tile, device.compute_units, true);
        if (dealt.cut == 0) {
            return {1};
        }
        return wanted > 0 ? std::vector<int>{wanted} : std::vector<int>{1, 2};
    }
    if (wanted > 0) {
        return {wanted};
    }
    constexpr std::array counts{2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128};
    constexpr double least_depth = 64;
    constexpr double most_waves = 2;
    const double slots = static_cast<double>(device.compute_units) * groups_at_once(tile, device);
    const double groups = std::ceil(static_cast<double>(problem.m) / tile.m) *
                          std::ceil(static_cast<double>(problem.n) / tile.n) *
                          static_cast<double>(problem.batch);
    std::vector<int> slices{1};
    for (const int count : counts) {
        if (groups * count <= most_waves * slots &&
            static_cast<double>(problem.k) >= count * std::max<double>(least_depth, tile.k)) {
            slices.push_back(count);
        }
    }
    return slices;
}

/// The same for schemes that split operands: their work-groups are one to a compute unit.
std::vector<int> scheme_slice_counts(const CanonicalProblem& problem,
                                     const catalog::TileShape& tile, const DeviceTraits& device,
                                     int wanted) {
    if (wanted > 0) {
        return {wanted};
    }
    constexpr std::array counts{2, 3, 4, 6, 8, 12, 16};
    constexpr double least_depth = 512; // less is mostly the beginning and the end of a tile
    const double groups = std::ceil(static_cast<double>(problem.m) / tile.m) *
                          std::ceil(static_cast<double>(problem.n) / tile.n) *
                          static_cast<double>(problem.batch);
    std::vector<int> slices{1};
    for (const int count : counts) {
        if (groups * count <= static_cast<double>(device.compute_units) &&
            static_cast<double>(problem.k) >= count * least_depth) {
            slices.push_back(count);
        }
    }
    return slices;
}

/// The candidate with each way to add its slices that is open.
std::vector<Candidate> with_sums(const Candidate& sliced, const PlanOptions& options,
                                 const PlanningContext& context) {
    const bool can = sliced.variant.split_k > 1 && sliced.can_fuse_reduction(context.device);
    if (!can || options.slice_sum == SliceSum::pass) {
        return {sliced};
    }
    Candidate in_launch = sliced;
    in_launch.variant.fused_reduction = true;
    if (options.slice_sum == SliceSum::in_launch) {
        return {in_launch};
    }
    const bool is_priced = context.table.machine.sum_bandwidth > 0;
    if (sliced.kernel->splits_itself && is_priced) { // what it is for is one launch
        return {in_launch};
    }
    return is_priced ? std::vector<Candidate>{sliced, in_launch} : std::vector<Candidate>{sliced};
}

// --- remedies for leading dimensions -------------------------------------------------------------

bool collides(const Operand& operand, std::int64_t period) {
    return period > 0 && operand.ld % period == 0;
}

/// Whether an operand whose elements are used so often is worth a copy in the form that the kernel need not turn element by
/// element: by arithmetic, where a twentieth of the products takes longer than the copy.
bool is_worth_turning(const Candidate& candidate, const Operand& operand, std::int64_t uses) {
    constexpr std::int64_t least_uses = 2048;
    return candidate.kernel->turns_by_element && operand.major == validate::Major::k &&
           uses >= least_uses;
}

/// Re-lays and parts: those that the options ask for, else what the sweep over leading dimensions
/// (bench/ld-sweep) has shown to help, where the table says that they cost something on the device: a
/// re-lay of what collides, or k in two launches. More of those gained nothing, parts of C neither. Of kernels
/// that stream two launches are not measured: each would end with a wave of its own, which dealing out avoids.
std::vector<Candidate> with_remedies(const Candidate& candidate, const CanonicalProblem& problem,
                                     const PlanOptions& options,
                                     const tables::MachineModel& machine) {
    Candidate plain = candidate;
    plain.variant.parts = {std::max(1, options.parts_m), std::max(1, options.parts_n),
                           std::max(1, options.parts_k)};
    const auto [first, second] = problem.operands_swapped ? std::pair{Relay::only_b, Relay::only_a}
                                                          : std::pair{Relay::only_a, Relay::only_b};
    plain.variant.repack_a = options.relay == Relay::always || options.relay == first;
    plain.variant.repack_b = options.relay == Relay::always || options.relay == second;
    std::vector<Candidate> variants{plain};
    const auto add_relaid = [&](bool a, bool b) {
        const auto is_it = [&](const Candidate& variant) {
            return variant.variant.repack_a == a && variant.variant.repack_b == b;
        };
        if (options.relay == Relay::automatic && std::ranges::none_of(variants, is_it)) {
            variants.push_back(plain);
            variants.back().variant.repack_a = a;
            variants.back().variant.repack_b = b;
        }
    };
    const bool turn_a = is_worth_turning(candidate, problem.a, problem.n);
    const bool turn_b = is_worth_turning(candidate, problem.b, problem.m);
    add_relaid(turn_a, false);
    add_relaid(false, turn_b);
    add_relaid(turn_a, turn_b);
    const std::int64_t period = ld_period(machine, *candidate.kernel);
    const bool a = collides(problem.a, period);
    const bool b = collides(problem.b, period);
    if (!(a || b) || machine.ld_slowdown <= 1) {
        return variants;
    }
    add_relaid(a, b);
    if (options.parts_m + options.parts_n + options.parts_k == 0 &&
        candidate.variant.split_k == 1 && !candidate.kernel->streams) {
        Candidate divided = plain;
        divided.variant.parts.k = 2;
        variants.push_back(divided);
    }
    return variants;
}

} // namespace

std::vector<Candidate> list_rows(const PlanOptions& options, Precision precision,
                                 const PlanningContext& context, std::vector<Rejection>& rejected) {
    check_options(options, context.catalog);
    std::vector<Candidate> rows = list_all_rows(options, precision, context, rejected);
    // Tile shapes are only defined for parameters that keep the rules.
    std::erase_if(rows, [&](const Candidate& row) {
        const auto obstacles = catalog::obstacles(*row.kernel, row.parameters, context.device);
        if (!obstacles.empty()) {
            rejected.push_back({row.to_string(), support::join(obstacles, "; ")});
        }
        return !obstacles.empty();
    });
    return rows;
}

std::vector<Candidate> list_variants(const Candidate& row, const CanonicalProblem& problem,
                                     const PlanOptions& options, const PlanningContext& context) {
    std::vector<Candidate> candidates;
    const catalog::TileShape tile = row.kernel->tile(row.parameters);
    if (catalog::has_split_passes(*row.kernel)) { // which take every form and size
        for (const int slices :
             scheme_slice_counts(problem, tile, context.device, options.split_k)) {
            candidates.push_back(row);
            candidates.back().variant.split_k = slices;
        }
        return candidates;
    }
    for (const EdgeStrategy edges : treatments(problem, *row.kernel, tile, options.edges)) {
        Candidate treated = row;
        treated.variant.edges = edges;
        for (const Candidate& load : with_loads(treated, problem)) {
            for (const int slices :
                 slice_counts(problem, load, tile, context.device, options.split_k)) {
                Candidate sliced = load;
                sliced.variant.split_k = slices;
                for (const Candidate& summed : with_sums(sliced, options, context)) {
                    const auto variants =
                        catalog::packs_operands(*row.kernel)
                            ? with_packing(summed, problem, options)
                            : with_remedies(summed, problem, options, context.table.machine);
                    candidates.insert(candidates.end(), variants.begin(), variants.end());
                }
            }
        }
    }
    return candidates;
}

std::vector<Candidate> list_candidates(const CanonicalProblem& problem, const PlanOptions& options,
                                       const PlanningContext& context,
                                       std::vector<Rejection>& rejected) {
    std::vector<Candidate> candidates;
    for (const Candidate& row : list_rows(options, problem.precision, context, rejected)) {
        const auto variants = list_variants(row, problem, options, context);
        candidates.insert(candidates.end(), variants.begin(), variants.end());
    }
    return candidates;
}

} // namespace libsgemm::planning
