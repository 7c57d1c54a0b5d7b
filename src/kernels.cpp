// SPDX-License-Identifier: Apache-2.0
#include "sgemm/kernels.hpp"

#include "catalog/kernel_catalog.hpp"
#include "sgemm/error.hpp"

namespace libsgemm {
namespace {

const char* text_of(catalog::Accepts accepted, const char* mn_major) {
    switch (accepted) {
    case catalog::Accepts::mn_major:
        return mn_major;
    case catalog::Accepts::k_major:
        return "k-major";
    default:
        return "either";
    }
}

const char* text_of(catalog::Edges edges) {
    switch (edges) {
    case catalog::Edges::any_size:
        return "any size";
    case catalog::Edges::whole_tiles:
        return "tile multiples (padding passes otherwise)";
    default:
        return "padding passes, guarded or pointer shift, as the plan says";
    }
}

/// What it is for, and on which devices.
std::string use_of(const catalog::KernelEntry& entry) {
    const std::string purpose =
        entry.purpose == catalog::Purpose::teaches ? "a step of a tutorial" : "programs";
    if (!entry.device_type) {
        return purpose + ", any device";
    }
    return purpose + (*entry.device_type == DeviceType::cpu ? ", CPUs" : ", GPUs");
}

KernelInfo info_of(const catalog::KernelEntry& entry, const catalog::KernelCatalog& catalog) {
    KernelInfo info;
    info.name = entry.name;
    info.source = entry.source;
    info.source_hash = catalog.source_hash(entry.name);
    info.summary = entry.summary;
    info.use = use_of(entry);
    for (const catalog::ParameterSpec& spec : entry.parameters) {
        info.parameters.push_back(
            {std::string(spec.name), std::string(spec.define), spec.default_value,
             std::vector<int>(spec.values.begin(), spec.values.end()), std::string(spec.meaning)});
    }
    for (const catalog::Constraint& constraint : entry.constraints) {
        info.constraints.emplace_back(constraint.reason);
    }
    info.operands =
        std::string("A ") + text_of(entry.a, "m-major") + ", B " + text_of(entry.b, "n-major");
    info.edges = text_of(entry.edges);
    return info;
}

} // namespace

std::vector<KernelInfo> catalog::list(const KernelCatalog& catalog) {
    std::vector<KernelInfo> infos;
    for (const auto* entries : {&catalog.entries(), &catalog.schemes()}) {
        for (const KernelEntry& entry : *entries) {
            infos.push_back(info_of(entry, catalog));
        }
    }
    return infos;
}

std::vector<KernelInfo> kernels() {
    return catalog::list(catalog::kernel_catalog());
}

std::vector<std::string> kernel_obstacles(const std::string& kernel, const DeviceTraits& device) {
    const catalog::KernelEntry* entry = catalog::kernel_catalog().find(kernel);
    if (entry == nullptr) {
        throw ArgumentError("kernel", kernel,
                            "must name a kernel; sgemm-info --kernels lists them");
    }
    return catalog::obstacles(*entry, entry->defaults(), device);
}

} // namespace libsgemm
