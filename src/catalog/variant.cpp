// SPDX-License-Identifier: Apache-2.0
#include "catalog/variant.hpp"

#include "catalog/kernel_entry.hpp"

#include <algorithm>

namespace libsgemm::catalog {
namespace {

struct EdgeName {
    EdgeStrategy edges;
    std::string_view name;
};
constexpr std::array edge_names{EdgeName{EdgeStrategy::padding, "padding"},
                                EdgeName{EdgeStrategy::guarded, "guarded"},
                                EdgeName{EdgeStrategy::pointer_shift, "pointer_shift"},
                                EdgeName{EdgeStrategy::extension, "extension"}};

/// "A", "B" or "AB"
std::string operands(bool a, bool b) {
    return std::string(a ? "A" : "") + (b ? "B" : "");
}

std::string edges_text(EdgeStrategy edges) {
    switch (edges) {
    case EdgeStrategy::guarded:
        return ", guarded";
    case EdgeStrategy::pointer_shift:
        return ", pointer shift";
    case EdgeStrategy::extension:
        return ", extended tiles";
    default:
        return {};
    }
}

} // namespace

std::string to_string(const KernelEntry& kernel, const Parameters& parameters,
                      const Variant& variant) {
    std::string text(kernel.name);
    if (!parameters.empty()) {
        text += " (" + parameters.to_string() + ")";
    }
    text += kernel.edges == Edges::selectable ? edges_text(variant.edges) : "";
    if (variant.split_k > 1) {
        text += kernel.split_k == SplitK::stream_k ? ", stream-K"
                                                   : ", split-K " + std::to_string(variant.split_k);
        text += variant.fused_reduction ? ", fused reduction" : "";
    }
    if (variant.narrow_a || variant.narrow_b) {
        text += ", narrow loads of " + operands(variant.narrow_a, variant.narrow_b);
    }
    if (const Parts& parts = variant.parts; parts.count() > 1) {
        text += ", parts " + std::to_string(parts.m) + "x" + std::to_string(parts.n) + "x" +
                std::to_string(parts.k);
    }
    if (variant.repack_a || variant.repack_b) {
        text += ", repacked " + operands(variant.repack_a, variant.repack_b);
    }
    text += variant.pack_a ? ", A packed" : "";
    text += variant.transpose_b ? ", B transposed" : "";
    return text;
}

std::string_view name_of(EdgeStrategy edges) {
    return std::ranges::find(edge_names, edges, &EdgeName::edges)->name;
}

std::optional<EdgeStrategy> find_edge_strategy(std::string_view name) {
    const auto* found = std::ranges::find(edge_names, name, &EdgeName::name);
    return found == edge_names.end() ? std::nullopt : std::optional(found->edges);
}

} // namespace libsgemm::catalog
