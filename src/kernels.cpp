// SPDX-License-Identifier: Apache-2.0
#include "sgemm/kernels.hpp"

#include "catalog/kernel_catalog.hpp"
#include "catalog/sources.hpp"
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

KernelInfo info_of(const catalog::KernelEntry& entry) {
    KernelInfo info;
    info.name = entry.name;
    info.source = entry.source;
    if (const auto* source = catalog::find_source(entry.source)) {
        info.source_hash = source->hash;
    }
    info.summary = entry.summary;
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

std::vector<KernelInfo> kernels() {
    std::vector<KernelInfo> infos;
    for (const auto* list :
         {&catalog::kernel_catalog().entries(), &catalog::kernel_catalog().schemes()}) {
        for (const catalog::KernelEntry& entry : *list) {
            infos.push_back(info_of(entry));
        }
    }
    return infos;
}

std::vector<std::string> kernel_obstacles(const std::string& kernel, const DeviceTraits& device) {
    const catalog::KernelEntry* entry = catalog::kernel_catalog().find(kernel);
    if (entry == nullptr) {
        throw ArgumentError("kernel", kernel, "must name a kernel of the catalogue");
    }
    return catalog::obstacles(*entry, entry->defaults(), device);
}

} // namespace libsgemm
