// SPDX-License-Identifier: Apache-2.0
#include "tune/search/goals.hpp"

#include "plan/build_plan.hpp"
#include "plan/candidates.hpp"
#include "sgemm/error.hpp"
#include "tune/worker/canonical.hpp"
#include "tune/worker/infinity.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace libsgemm::tune {
namespace {

using catalog::Edges;
using catalog::KernelEntry;

/// As the planner has it: the elements of a vector may lie along either index.
bool a_lies_along_k(const Shape& shape) {
    return canonical_of(to_problem(shape)).a.major == validate::Major::k;
}
bool b_lies_along_n(const Shape& shape) {
    return canonical_of(to_problem(shape)).b.major == validate::Major::mn;
}

bool fits_tiles(const Shape& shape, const catalog::TileShape& tile) {
    return shape.m % tile.m == 0 && shape.n % tile.n == 0 && shape.k % tile.k == 0;
}

/// Split-K that gives every compute unit `fill` work-groups.
int slices_for(const KernelEntry& kernel, const catalog::TileShape& tile, const Shape& shape,
               const DeviceTraits& device, double fill) {
    if (!kernel.split_k) {
        return 1;
    }
    constexpr std::int64_t least_depth = 64;
    const std::int64_t groups =
        ((shape.m + tile.m - 1) / tile.m) * ((shape.n + tile.n - 1) / tile.n);
    const auto wanted = static_cast<std::int64_t>(fill * static_cast<double>(device.compute_units));
    const std::int64_t most =
        std::max<std::int64_t>(1, shape.k / std::max<std::int64_t>(least_depth, tile.k));
    // The counts that the planner considers.
    int slices = 1;
    for (const int count : {2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128}) {
        if (count <= most && groups * count <= wanted) {
            slices = count;
        }
    }
    return slices;
}

const KernelEntry& require_kernel(const catalog::KernelCatalog& catalog, const std::string& name) {
    const KernelEntry* kernel = catalog.find(name);
    if (kernel == nullptr) {
        std::string names;
        for (const KernelEntry& entry : catalog.entries()) {
            names += (names.empty() ? "" : ", ") + std::string(entry.name);
        }
        throw ArgumentError("kernels", name, "must name kernels of the catalogue: " + names);
    }
    return *kernel;
}

using KernelNames = std::set<std::string, std::less<>>;

std::vector<const KernelEntry*> chosen_kernels(const catalog::KernelCatalog& catalog,
                                               const std::vector<std::string>& names,
                                               const KernelNames& in_use,
                                               const DeviceTraits& device) {
    std::vector<const KernelEntry*> kernels;
    if (names == std::vector<std::string>{"all"} || names.empty()) {
        for (const KernelEntry& entry : catalog.entries()) {
            const bool is_for_production = entry.purpose == catalog::Purpose::produces &&
                                           catalog::is_made_for(entry, device.type);
            if (!names.empty() || is_for_production || in_use.contains(entry.name)) {
                kernels.push_back(&entry);
            }
        }
        return kernels;
    }
    for (const std::string& name : names) {
        kernels.push_back(&require_kernel(catalog, name));
    }
    return kernels;
}

/// The kernels that plans for these shapes take today.
KernelNames kernels_in_use(const std::vector<Shape>& shapes, const tables::DeviceTable& table,
                           const DeviceTraits& device, const catalog::KernelCatalog& catalog) {
    KernelNames names;
    for (const Shape& shape : shapes) {
        names.insert(predicted_best(shape, table, device, catalog).kernel);
    }
    return names;
}

double weight_of(const ShapeClass& shapes, bool in_use) {
    return (shapes.name == "square" ? 2.0 : 1.0) * (in_use ? 4.0 : 1.0);
}

} // namespace

std::vector<Goal> make_goals(const catalog::KernelCatalog& catalog,
                             const std::vector<std::string>& names,
                             const std::vector<ShapeClass>& classes,
                             const tables::DeviceTable& table, const DeviceTraits& device) {
    std::map<std::string, KernelNames> in_use;
    KernelNames all_in_use;
    for (const ShapeClass& shapes : classes) {
        in_use[shapes.name] = kernels_in_use(shapes.shapes, table, device, catalog);
        all_in_use.merge(KernelNames(in_use[shapes.name]));
    }
    const auto kernels = chosen_kernels(catalog, names, all_in_use, device);
    std::vector<Goal> goals;
    for (const ShapeClass& shapes : classes) {
        for (const KernelEntry* kernel : kernels) {
            const bool wins = in_use[shapes.name].contains(kernel->name);
            Goal goal{kernel, {shapes.name, {}}, weight_of(shapes, wins), wins};
            for (const Shape& shape : shapes.shapes) {
                if (kernel->suits(canonical_of(to_problem(shape)), device)) {
                    goal.shapes.shapes.push_back(shape);
                }
            }
            if (!goal.shapes.shapes.empty()) {
                goals.push_back(std::move(goal));
            }
        }
    }
    // What wins first: the others then have its rows to start from.
    std::stable_sort(goals.begin(), goals.end(), [&](const Goal& x, const Goal& y) {
        return x.shapes.name == y.shapes.name && x.weight > y.weight;
    });
    return goals;
}

Variant usual_variant(const KernelEntry& kernel, const catalog::Parameters& parameters,
                      const Shape& shape, const DeviceTraits& device) {
    const catalog::TileShape tile = kernel.tile(parameters);
    Variant variant;
    if (kernel.edges == Edges::any_size) {
        variant.edges = EdgeStrategy::guarded;
    }
    if (kernel.edges == Edges::selectable && !fits_tiles(shape, tile)) {
        variant.edges = EdgeStrategy::guarded;
        variant.narrow_a = variant.narrow_b = true;
    }
    variant.split_k = slices_for(kernel, tile, shape, device, 2);
    if (kernel.packs == catalog::Packs::a_by_choice) {
        // Copies pay where they are read often; A must be packed where it lies the wrong way or is
        // too short for a tile.
        constexpr std::int64_t often = 128;
        variant.pack_a = a_lies_along_k(shape) || shape.m < tile.panel_m || shape.n > often;
        variant.transpose_b = b_lies_along_n(shape) && shape.m > often;
    }
    if (catalog::packs_operands(kernel)) {
        variant.split_k = 1; // the planner's own: it knows how panels are shared
    }
    return variant;
}

std::vector<Variant> other_variants(const KernelEntry& kernel,
                                    const catalog::Parameters& parameters, const Shape& shape,
                                    const DeviceTraits& device) {
    const catalog::TileShape tile = kernel.tile(parameters);
    const Variant usual = usual_variant(kernel, parameters, shape, device);
    std::vector<Variant> others;
    const auto add = [&](auto change) {
        Variant other = usual;
        change(other);
        if (other != usual) {
            others.push_back(other);
        }
    };
    if (kernel.edges == Edges::selectable && usual.edges == EdgeStrategy::guarded) {
        add([](Variant& t) {
            t.edges = EdgeStrategy::padding;
            t.narrow_a = t.narrow_b = false;
        });
        if (kernel.shifts && shape.m >= tile.m && shape.n >= tile.n) {
            add([](Variant& t) { t.edges = EdgeStrategy::pointer_shift; });
        }
    }
    if (kernel.edges == Edges::selectable && usual.edges == EdgeStrategy::guarded &&
        kernel.extension_bytes != nullptr) {
        add([](Variant& t) { t.edges = EdgeStrategy::extension; });
    }
    if (catalog::packs_operands(kernel)) {
        const bool by_choice = kernel.packs == catalog::Packs::a_by_choice;
        if (by_choice && !a_lies_along_k(shape) && shape.m >= tile.panel_m) {
            add([](Variant& t) { t.pack_a = !t.pack_a; });
        }
        if (by_choice && b_lies_along_n(shape)) {
            add([](Variant& t) { t.transpose_b = !t.transpose_b; });
        }
        return others;
    }
    add([](Variant& t) { t.split_k = 1; });
    const int more = slices_for(kernel, tile, shape, device, 6);
    if (more != 1) {
        add([more](Variant& t) { t.split_k = more; });
    }
    return others;
}

Configuration predicted_best(const Shape& shape, const tables::DeviceTable& table,
                             const DeviceTraits& device, const catalog::KernelCatalog& catalog) {
    const auto problem = canonical_of(to_problem(shape));
    const planning::PlanningContext context{device, table, catalog};
    const planning::PassContext passes{device, table.machine};
    std::vector<planning::Rejection> rejected;
    double least = infinity;
    std::optional<Configuration> best;
    for (const auto& candidate : planning::list_candidates(problem, {}, context, rejected)) {
        const auto plan =
            planning::build_plan(problem, candidate, passes, EdgeStrategy::automatic,
                                 static_cast<std::size_t>(device.max_allocation_bytes));
        const auto* value = std::get_if<planning::PlanValue>(&plan);
        if (value != nullptr && value->predicted_seconds < least) {
            least = value->predicted_seconds;
            best = to_configuration(candidate);
        }
    }
    if (!best) {
        throw UnsupportedError("no kernel can run " + judge::shape_name(shape) + " on " +
                               device.name);
    }
    return *best;
}

} // namespace libsgemm::tune
