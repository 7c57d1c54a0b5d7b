// SPDX-License-Identifier: Apache-2.0
#include "catalog/kernel_entry.hpp"

#include "device/limits.hpp"
#include "problem/canonical_problem.hpp"
#include "support/round.hpp"
#include "support/text.hpp"

#include <algorithm>

namespace libsgemm::catalog {

namespace {

using Messages = std::vector<std::string>;

/// A broken rule, with the values that break it.
std::string broken(std::string_view rule, const Parameters& parameters) {
    return std::string(rule) + " (" + parameters.to_string() + ')';
}

Messages naming_obstacles(const KernelEntry& kernel, const Parameters& parameters) {
    Messages messages;
    for (const ParameterSpec& spec : kernel.parameters) {
        if (!parameters.contains(spec.name))
            messages.push_back("parameter " + support::quoted(spec.name) + " is missing");
    }
    for (const auto& [name, value] : parameters) {
        const ParameterSpec* spec = kernel.find_parameter(name);
        if (spec == nullptr)
            messages.push_back("parameter " + support::quoted(name) + " is unknown to kernel " +
                               support::quoted(kernel.name));
        else if (value < spec->minimum || value > spec->maximum)
            messages.push_back("parameter " + support::quoted(name) + " is " +
                               std::to_string(value) + ", outside its range " +
                               std::to_string(spec->minimum) + " to " +
                               std::to_string(spec->maximum));
    }
    return messages;
}

void exceeds(Messages& messages, std::string_view what, std::int64_t value, std::int64_t limit) {
    if (value > limit)
        messages.push_back(std::string(what) + " is " + std::to_string(value) +
                           ", above the device's limit " + std::to_string(limit));
}

/// Its sums, and what an unrolled step loads, of all work-items.
std::int64_t private_bytes(const TileShape& tile) {
    const std::int64_t m = (std::int64_t{tile.m} + tile.local[0] - 1) / tile.local[0];
    const std::int64_t n = (std::int64_t{tile.n} + tile.local[1] - 1) / tile.local[1];
    const std::int64_t floats =
        tile.private_floats > 0 ? tile.private_floats : m * n + tile.k * (m + n);
    return tile.work_items() == 1 ? 0 : tile.work_items() * floats * std::int64_t{sizeof(float)};
}

Messages limit_obstacles(const TileShape& tile, const DeviceTraits& device) {
    Messages messages;
    const device::CompilerLimits limits = device::compiler_limits(device);
    exceeds(messages, "private memory of a work-group in bytes", private_bytes(tile),
            limits.private_memory);
    exceeds(messages, "work-group size", tile.work_items(), device.max_work_group_size);
    exceeds(messages, "work-group extent 0", tile.local[0], device.max_work_item_sizes[0]);
    exceeds(messages, "work-group extent 1", tile.local[1], device.max_work_item_sizes[1]);
    exceeds(messages, "local memory in bytes", tile.local_memory_bytes, limits.local_memory);
    // Base pointers are aligned as the device says, and operands to whole vectors from there.
    const int alignment = std::max({tile.alignment_a, tile.alignment_b, tile.alignment_c});
    exceeds(messages, "vector size in bytes", alignment * std::int64_t{sizeof(float)},
            device.base_alignment_bytes);
    return messages;
}

/// 0: whole tiles alone, 1: guarded, 2: shifted, 3: extended.
std::string edges_define(EdgeStrategy edges) {
    return std::to_string(static_cast<int>(edges) - static_cast<int>(EdgeStrategy::padding));
}

} // namespace

std::int64_t equal_depth(std::int64_t k, std::int64_t deepest) {
    return k == 0 ? deepest : support::ceil_div(k, support::ceil_div(k, deepest));
}

bool is_not_thin(const validate::CanonicalProblem& problem, const DeviceTraits& /*device*/) {
    constexpr std::int64_t thin = 16;
    return std::min(problem.m, problem.n) > thin;
}

const ParameterSpec* KernelEntry::find_parameter(std::string_view parameter) const {
    const auto found = std::ranges::find(parameters, parameter, &ParameterSpec::name);
    return found == parameters.end() ? nullptr : &*found;
}

Parameters KernelEntry::defaults() const {
    Parameters values;
    for (const ParameterSpec& spec : parameters)
        values.set(spec.name, spec.default_value);
    return values;
}

Parameters KernelEntry::completed(const Parameters& given) const {
    Parameters values = defaults();
    for (const auto& [parameter, value] : given) {
        values.set(parameter, value);
    }
    return values;
}

bool takes(const KernelEntry& kernel, EdgeStrategy edges) {
    const Tiled* tiled = tiled_of(kernel);
    switch (edges) {
    case EdgeStrategy::padding:
        return kernel.edges != Edges::any_size;
    case EdgeStrategy::guarded:
        return kernel.edges != Edges::whole_tiles;
    case EdgeStrategy::pointer_shift:
        return kernel.edges == Edges::selectable && tiled != nullptr && tiled->shifts;
    case EdgeStrategy::extension:
        return kernel.edges == Edges::selectable && tiled != nullptr &&
               tiled->extension_bytes != nullptr;
    default:
        return false;
    }
}

bool keeps_constraints(const KernelEntry& kernel, const Parameters& parameters) {
    return std::ranges::all_of(kernel.constraints,
                               [&](const Constraint& rule) { return rule.holds(parameters); });
}

std::vector<std::string> obstacles(const KernelEntry& kernel, const Parameters& parameters,
                                   const DeviceTraits& device) {
    // Later rules divide by parameters and build on earlier ones: each stage needs the one before.
    Messages messages = naming_obstacles(kernel, parameters);
    if (!messages.empty())
        return messages;
    for (const Constraint& constraint : kernel.constraints) {
        if (!constraint.holds(parameters))
            messages.push_back(broken(constraint.reason, parameters));
    }
    if (!messages.empty())
        return messages;
    for (const DeviceNeed& need : kernel.needs) {
        if (!need.met(device, parameters))
            messages.push_back(broken(need.reason, parameters));
    }
    const Messages limits = limit_obstacles(kernel.tile(parameters), device);
    messages.insert(messages.end(), limits.begin(), limits.end());
    return messages;
}

bool can_run(const KernelEntry& kernel, const Parameters& parameters, const DeviceTraits& device) {
    return keeps_constraints(kernel, parameters) &&
           std::ranges::all_of(
               kernel.needs,
               [&](const DeviceNeed& need) { return need.met(device, parameters); }) &&
           limit_obstacles(kernel.tile(parameters), device).empty();
}

Defines main_kernel_defines(const KernelEntry& kernel, const Parameters& parameters,
                            const BuildChoice& choice) {
    Defines defines;
    for (const ParameterSpec& spec : kernel.parameters) {
        if (!spec.define.empty())
            defines.emplace_back(spec.define, std::to_string(parameters[spec.name]));
    }
    defines.insert(defines.end(), kernel.constants.begin(), kernel.constants.end());
    defines.emplace_back("A_K_MAJOR", choice.a == validate::Major::k ? "1" : "0");
    defines.emplace_back("B_K_MAJOR", choice.b == validate::Major::k ? "1" : "0");
    if (kernel.edges == Edges::selectable)
        defines.emplace_back("EDGES", edges_define(choice.variant.edges));
    const Tiled* tiled = tiled_of(kernel);
    if (tiled != nullptr && tiled->extension_bytes != nullptr) {
        defines.emplace_back("EXTEND_M", std::to_string(choice.extend_m));
        defines.emplace_back("EXTEND_N", std::to_string(choice.extend_n));
    }
    if (kernel.split_k == SplitK::at_build)
        defines.emplace_back("SPLIT_K", std::to_string(choice.variant.split_k));
    if (tiled != nullptr && tiled->sums_in_launch != nullptr)
        defines.emplace_back("SUM_IN_LAUNCH", choice.variant.fused_reduction ? "1" : "0");
    if (const auto* packed = std::get_if<Packed>(&kernel.family);
        packed != nullptr && packed->a_by_choice)
        defines.emplace_back("A_PACKED", choice.variant.pack_a ? "1" : "0");
    if (is_of<Flat>(kernel)) {
        const std::int64_t depth = equal_depth(choice.k, kernel.tile(parameters).k);
        defines.emplace_back("CHUNK", std::to_string(depth));
        defines.emplace_back("EXACT_K", choice.k % depth == 0 ? "1" : "0");
    }
    if (is_of<Emulated>(kernel))
        defines.emplace_back("STRICT_INSIDE", choice.strict_inside ? "1" : "0");
    if (choice.packs_next)
        defines.emplace_back("PACKS_NEXT", "1");
    return defines;
}

} // namespace libsgemm::catalog
