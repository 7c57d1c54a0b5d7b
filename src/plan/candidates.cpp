// SPDX-License-Identifier: Apache-2.0
#include "plan/candidates.hpp"

#include "plan/packed_plan.hpp"
#include "sgemm/error.hpp"
#include "support/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace sgemm::planning {
namespace {

using catalog::Edges;
using catalog::KernelEntry;
using catalog::Parameters;
using validate::CanonicalProblem;
using validate::Operand;

Parameters complete(const KernelEntry& kernel, const Parameters& given) {
    Parameters parameters = kernel.defaults();
    for (const auto& [name, value] : given) {
        parameters.set(name, value);
    }
    return parameters;
}

void override_parameters(Candidate& candidate, const PlanOptions& options) {
    for (const auto& [name, value] : options.parameters) {
        if (candidate.kernel->find_parameter(name) == nullptr) {
            throw ArgumentError("parameters", name,
                                "must be a parameter of kernel " + options.kernel);
        }
        candidate.parameters.set(name, value);
    }
}

/// The kernel that the options force; null if they leave the choice open.
const KernelEntry* forced_kernel(const PlanOptions& options,
                                 const catalog::KernelCatalog& catalog) {
    if (options.kernel.empty()) {
        if (!options.parameters.empty()) {
            throw ArgumentError("parameters", options.parameters.begin()->first,
                                "can only be given together with a kernel");
        }
        return nullptr;
    }
    const KernelEntry* kernel = catalog.find(options.kernel);
    if (kernel == nullptr) {
        throw ArgumentError("kernel", options.kernel, "must name a kernel of the catalogue");
    }
    return kernel;
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

/// One candidate per row, before the variants: kernel, parameters, model, pass style.
std::vector<Candidate> list_rows(const PlanOptions& options, const PlanningContext& context,
                                 std::vector<Rejection>& rejected) {
    const KernelEntry* forced = forced_kernel(options, context.catalog);
    Candidate plain;
    plain.pre_passes =
        options.pre_passes == PrePassStyle::separate ? PrePassStyle::separate : PrePassStyle::fused;
    std::vector<Candidate> rows;
    const auto add = [&](const KernelEntry& kernel, const Parameters& parameters,
                         const tables::KernelModel& model) {
        Candidate row = plain;
        row.kernel = &kernel;
        row.parameters = complete(kernel, parameters);
        row.model = model;
        override_parameters(row, options);
        rows.push_back(std::move(row));
    };
    for (const tables::TableRow& row : context.table.rows) {
        const KernelEntry* kernel = context.catalog.find(row.kernel);
        if (kernel == nullptr) {
            rejected.push_back({row.kernel, "not in the catalogue (" + context.table.origin + ")"});
        } else if (forced == nullptr || kernel == forced) {
            add(*kernel, row.parameters, row.model);
        }
    }
    const KernelEntry& needed = forced != nullptr ? *forced : context.catalog.naive();
    if (!holds_kernel(rows, needed)) {
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

std::vector<EdgeTreatment> treatments(const CanonicalProblem& problem, const KernelEntry& kernel,
                                      const catalog::TileShape& tile, EdgeStrategy wanted) {
    if (kernel.edges == Edges::any_size) {
        return {EdgeTreatment::guarded};
    }
    if (kernel.edges == Edges::whole_tiles || wanted == EdgeStrategy::padding ||
        wanted == EdgeStrategy::none) {
        return {EdgeTreatment::padded};
    }
    switch (wanted) {
    case EdgeStrategy::guarded:
        return {EdgeTreatment::guarded};
    case EdgeStrategy::pointer_shift:
        return {EdgeTreatment::shifted};
    default:
        break;
    }
    if (fits_tiles(problem, tile)) {
        return {EdgeTreatment::padded};
    }
    return {EdgeTreatment::padded, EdgeTreatment::guarded, EdgeTreatment::shifted};
}

// --- alignment -----------------------------------------------------------------------------------

/// The widest load, at most `width`, that an operand's storage allows where it lies.
int possible_width(const Operand& operand, std::int64_t batch, int width) {
    const auto divides = [width = &width](std::int64_t value) { return value % *width == 0; };
    while (width > 1 && !(divides(operand.ld) && divides(operand.offset_alignment) &&
                          (batch == 1 || divides(operand.batch_stride)))) {
        width /= 2;
    }
    return width;
}

/// Narrows a kernel's global loads to what the operands' alignment allows; false if nothing changed.
bool narrow_loads(Candidate& candidate, const CanonicalProblem& problem) {
    bool changed = false;
    const auto narrow = [&](const char* name, const Operand& operand) {
        const int width = candidate.parameters.get_or(name, 1);
        const int possible = possible_width(operand, problem.batch, width);
        if (possible != width) {
            candidate.parameters.set(name, possible);
            candidate.narrowed = changed = true;
        }
    };
    narrow("load_width_a", problem.a);
    narrow("load_width_b", problem.b);
    return changed;
}

// --- slices of k ---------------------------------------------------------------------------------

/// Slices that fill the device where one launch has too few work-groups, each at least some steps
/// deep. Powers of two and those times 1.5 are close enough.
std::vector<int> slice_counts(const CanonicalProblem& problem, const Candidate& candidate,
                              const catalog::TileShape& tile, const DeviceTraits& device,
                              int wanted) {
    if (!candidate.kernel->split_k) {
        return {1};
    }
    if (wanted > 0) {
        return {wanted};
    }
    constexpr std::array counts{2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128};
    constexpr double least_depth = 64;
    constexpr double most_waves = 2;
    const double slots =
        static_cast<double>(device.compute_units) * candidate.model.groups_per_unit;
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

// --- remedies for leading dimensions -------------------------------------------------------------

bool collides(const Operand& operand, std::int64_t period) {
    return period > 0 && operand.ld % period == 0;
}

/// Re-lays and parts: those that the options ask for, else those worth a thought because the table
/// says that such leading dimensions cost something on this device.
std::vector<Candidate> with_remedies(const Candidate& candidate, const CanonicalProblem& problem,
                                     const PlanOptions& options,
                                     const tables::MachineModel& machine) {
    Candidate plain = candidate;
    plain.parts = {std::max(1, options.parts_m), std::max(1, options.parts_n),
                   std::max(1, options.parts_k)};
    plain.relay_a = plain.relay_b = options.relay == Relay::always;
    std::vector<Candidate> variants{plain};
    const bool open = options.parts_m + options.parts_n + options.parts_k == 0;
    const bool may_relay = options.relay == Relay::automatic;
    const bool a = collides(problem.a, machine.ld_period);
    const bool b = collides(problem.b, machine.ld_period);
    if (!(a || b) || machine.ld_slowdown <= 1) {
        return variants;
    }
    if (may_relay) {
        Candidate relaid = plain;
        relaid.relay_a = a;
        relaid.relay_b = b;
        variants.push_back(relaid);
    }
    if (open && candidate.split_k == 1) {
        for (const Parts parts : {Parts{1, 1, 2}, Parts{1, 1, 4}, Parts{2, 2, 4}}) {
            Candidate divided = plain;
            divided.parts = parts;
            variants.push_back(divided);
        }
    }
    return variants;
}

// -------------------------------------------------------------------------------------------------

/// The variants of a row for this problem.
void add_variants(const Candidate& row, const CanonicalProblem& problem, const PlanOptions& options,
                  const PlanningContext& context, std::vector<Candidate>& candidates) {
    const catalog::TileShape tile = row.kernel->tile(row.parameters);
    for (const EdgeTreatment edges : treatments(problem, *row.kernel, tile, options.edges)) {
        Candidate treated = row;
        treated.edges = edges;
        std::vector<Candidate> loads{treated};
        // Narrow loads read in place what full ones would have copied first.
        if (narrow_loads(treated, problem)) {
            if (edges != EdgeTreatment::padded) {
                loads.clear();
            }
            loads.push_back(treated);
        }
        for (const Candidate& load : loads) {
            for (const int slices :
                 slice_counts(problem, load, tile, context.device, options.split_k)) {
                Candidate sliced = load;
                sliced.split_k = slices;
                const auto variants = row.kernel->panels ? with_packing(sliced, problem, options)
                                                         : with_remedies(sliced, problem, options,
                                                                         context.table.machine);
                candidates.insert(candidates.end(), variants.begin(), variants.end());
            }
        }
    }
}

void check_range(const char* name, int value, int most) {
    if (value < 0 || value > most) {
        throw ArgumentError(name, std::to_string(value),
                            "must be from 0 to " + std::to_string(most));
    }
}

void check_divisions(const PlanOptions& options) {
    check_range("split_k", options.split_k, 1024);
    check_range("parts_m", options.parts_m, 64);
    check_range("parts_n", options.parts_n, 64);
    check_range("parts_k", options.parts_k, 64);
}

} // namespace

std::vector<Candidate> list_candidates(const CanonicalProblem& problem, const PlanOptions& options,
                                       const PlanningContext& context,
                                       std::vector<Rejection>& rejected) {
    check_divisions(options);
    std::vector<Candidate> candidates;
    for (const Candidate& row : list_rows(options, context, rejected)) {
        // Tile shapes are only defined for parameters that keep the rules.
        const auto obstacles = catalog::obstacles(*row.kernel, row.parameters, context.device);
        if (obstacles.empty()) {
            add_variants(row, problem, options, context, candidates);
        } else {
            rejected.push_back({row.to_string(), support::join(obstacles, "; ")});
        }
    }
    return candidates;
}

} // namespace sgemm::planning
