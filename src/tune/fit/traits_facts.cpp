// SPDX-License-Identifier: Apache-2.0
#include "tune/fit/traits_facts.hpp"

#include "support/text.hpp"

#include <stdexcept>
#include <type_traits>

namespace libsgemm::tune {
namespace {

DeviceType type_from(const std::string& name) {
    return name == "cpu"           ? DeviceType::cpu
           : name == "gpu"         ? DeviceType::gpu
           : name == "accelerator" ? DeviceType::accelerator
                                   : DeviceType::other;
}

/// Calls visit(name, field) for every text, and then every number or switch.
template <class Traits, class Visit>
void for_each_field(Traits& t, Visit visit) {
    visit("device", t.name);
    visit("vendor", t.vendor);
    visit("vendor_key", t.vendor_key);
    visit("architecture", t.architecture);
    visit("microarchitecture", t.microarchitecture);
    visit("platform", t.platform);
    visit("platform_version", t.platform_version);
    visit("driver", t.driver_version);
    visit("compute_units", t.compute_units);
    visit("clock_mhz", t.clock_mhz);
    visit("max_work_group_size", t.max_work_group_size);
    visit("max_work_item_size_0", t.max_work_item_sizes[0]);
    visit("max_work_item_size_1", t.max_work_item_sizes[1]);
    visit("max_work_item_size_2", t.max_work_item_sizes[2]);
    visit("local_memory_bytes", t.local_memory_bytes);
    visit("local_memory_dedicated", t.local_memory_dedicated);
    visit("global_memory_bytes", t.global_memory_bytes);
    visit("max_allocation_bytes", t.max_allocation_bytes);
    visit("base_alignment_bytes", t.base_alignment_bytes);
    visit("native_vector_width", t.native_vector_width);
    visit("opencl_c_version", t.opencl_c_version);
    visit("has_nvidia_ptx", t.has_nvidia_ptx);
    visit("compute_capability", t.compute_capability);
    visit("has_subgroup_shuffle", t.has_subgroup_shuffle);
    visit("subgroup_size", t.subgroup_size);
    visit("computes_in_calling_thread", t.computes_in_calling_thread);
}

} // namespace

const char* type_name(DeviceType type) {
    switch (type) {
    case DeviceType::cpu:
        return "cpu";
    case DeviceType::gpu:
        return "gpu";
    case DeviceType::accelerator:
        return "accelerator";
    default:
        return "other";
    }
}

std::map<std::string, std::string> to_facts(const DeviceTraits& traits) {
    std::map<std::string, std::string> facts{{"type", type_name(traits.type)}};
    for_each_field(traits, [&](const char* name, const auto& field) {
        if constexpr (std::is_same_v<std::decay_t<decltype(field)>, std::string>) {
            facts[name] = field;
        } else {
            facts[name] = std::to_string(field);
        }
    });
    return facts;
}

DeviceTraits traits_from(const std::map<std::string, std::string>& facts) {
    DeviceTraits traits;
    if (const auto type = facts.find("type"); type != facts.end()) {
        traits.type = type_from(type->second);
    }
    for_each_field(traits, [&](const char* name, auto& field) {
        const auto found = facts.find(name);
        if (found == facts.end()) {
            return;
        }
        const std::string& text = found->second;
        using Field = std::decay_t<decltype(field)>;
        if constexpr (std::is_same_v<Field, std::string>) {
            field = text;
        } else {
            using Number = std::conditional_t<std::is_same_v<Field, bool>, int, Field>;
            const auto value = support::parse_number<Number>(text);
            if (!value) {
                throw std::runtime_error(std::string(name) + ": '" + text +
                                         "' is no whole number in range");
            }
            field = static_cast<Field>(*value);
        }
    });
    return traits;
}

} // namespace libsgemm::tune
