// SPDX-License-Identifier: Apache-2.0
#include "tune/search/tasks.hpp"

#include "plan/family/families.hpp"
#include "plan/planner.hpp"
#include "sgemm/error.hpp"
#include "tune/worker/canonical.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace libsgemm::tune {
namespace {

using catalog::KernelEntry;

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

std::vector<Task> make_tasks(const catalog::KernelCatalog& catalog,
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
    std::vector<Task> tasks;
    for (const ShapeClass& shapes : classes) {
        for (const KernelEntry* kernel : kernels) {
            const bool wins = in_use[shapes.name].contains(kernel->name);
            Task task{kernel, {shapes.name, {}}, weight_of(shapes, wins), wins};
            for (const Shape& shape : shapes.shapes) {
                if (kernel->suits(canonical_of(shape), device)) {
                    task.shapes.shapes.push_back(shape);
                }
            }
            if (!task.shapes.shapes.empty()) {
                tasks.push_back(std::move(task));
            }
        }
    }
    // What wins first: the others then have its rows to start from.
    std::stable_sort(tasks.begin(), tasks.end(), [&](const Task& x, const Task& y) {
        return x.shapes.name == y.shapes.name && x.weight > y.weight;
    });
    return tasks;
}

Variant usual_variant(const KernelEntry& kernel, const catalog::Parameters& parameters,
                      const Shape& shape, const DeviceTraits& device) {
    return planning::planner_of(kernel)
        .tuned_variants(kernel, parameters, canonical_of(shape), device)
        .front();
}

std::vector<Variant> other_variants(const KernelEntry& kernel,
                                    const catalog::Parameters& parameters, const Shape& shape,
                                    const DeviceTraits& device) {
    std::vector<Variant> variants = planning::planner_of(kernel).tuned_variants(
        kernel, parameters, canonical_of(shape), device);
    variants.erase(variants.begin());
    return variants;
}

Configuration predicted_best(const Shape& shape, const tables::DeviceTable& table,
                             const DeviceTraits& device, const catalog::KernelCatalog& catalog) {
    return planning::rank_plans(canonical_of(shape), {}, {device, table, catalog})
        .plans.front()
        .key();
}

} // namespace libsgemm::tune
