// SPDX-License-Identifier: Apache-2.0
#include "plan/check_options.hpp"

#include "sgemm/error.hpp"

#include <bit>
#include <cstdint>
#include <string>

namespace libsgemm::planning {
namespace {

template <class Enumeration>
void check_enumerator(const char* name, const char* type, Enumeration value, Enumeration last) {
    if (value > last) {
        throw ArgumentError(name, std::to_string(static_cast<int>(value)),
                            std::string("must be a value of ") + type);
    }
}

void check_range(const char* name, int value, int most) {
    if (value < 0 || value > most) {
        throw ArgumentError(name, std::to_string(value),
                            "must be from 0 to " + std::to_string(most));
    }
}

void check_names(const PlanOptions& options, const catalog::KernelCatalog& catalog) {
    if (options.kernel.empty()) {
        if (!options.parameters.empty()) {
            throw ArgumentError("parameters", options.parameters.begin()->first,
                                "can only be given together with a kernel");
        }
        return;
    }
    const catalog::KernelEntry* kernel = catalog.find(options.kernel);
    if (kernel == nullptr) {
        throw ArgumentError("kernel", options.kernel,
                            "must name a kernel; sgemm-info --kernels lists them");
    }
    for (const auto& [name, value] : options.parameters) {
        if (kernel->find_parameter(name) == nullptr) {
            throw ArgumentError("parameters", name,
                                "must be a parameter of kernel " + options.kernel +
                                    "; sgemm-info --kernels lists them");
        }
    }
}

} // namespace

bool is_open(const ExpertPlanOptions& options) {
    return options.kernel.empty() && options.edges == EdgeStrategy::automatic &&
           options.pre_passes == PrePassStyle::automatic && options.repack == Repack::automatic &&
           options.peeling == Peeling::automatic &&
           options.reduction == SplitKReduction::automatic &&
           options.split_k + options.parts_m + options.parts_n + options.parts_k == 0;
}

void check_options(const ExpertPlanOptions& options, const catalog::KernelCatalog& catalog) {
    check_names(options, catalog);
    check_enumerator("edges", "EdgeStrategy", options.edges, EdgeStrategy::extension);
    check_enumerator("pre_passes", "PrePassStyle", options.pre_passes, PrePassStyle::separate);
    check_enumerator("reduction", "SplitKReduction", options.reduction, SplitKReduction::fused);
    check_enumerator("repack", "Repack", options.repack, Repack::only_b);
    check_enumerator("peeling", "Peeling", options.peeling, Peeling::always);
    check_range("split_k", options.split_k, 1024);
    check_range("parts_m", options.parts_m, 64);
    check_range("parts_n", options.parts_n, 64);
    check_range("parts_k", options.parts_k, 64);
    if (options.offset_alignment <= 0 ||
        !std::has_single_bit(static_cast<std::uint64_t>(options.offset_alignment))) {
        throw ArgumentError("offset_alignment", std::to_string(options.offset_alignment),
                            "must be a power of two");
    }
}

} // namespace libsgemm::planning
