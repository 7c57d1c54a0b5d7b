// SPDX-License-Identifier: Apache-2.0
#include "catalog/variant.hpp"

#include "catalog/kernel_entry.hpp"

namespace libsgemm::catalog {
namespace {

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

std::string to_string(const Variant& variant, const KernelEntry& kernel) {
    std::string text = kernel.edges == Edges::selectable ? edges_text(variant.edges) : "";
    if (variant.split_k > 1) {
        text += kernel.split_k == SplitK::stream_k
                    ? ", last tiles dealt out"
                    : ", k in " + std::to_string(variant.split_k) + " slices";
        text += variant.fused_reduction ? ", summed in the launch" : "";
    }
    if (variant.narrow_a || variant.narrow_b) {
        text += ", narrow loads of " + operands(variant.narrow_a, variant.narrow_b);
    }
    if (const Parts& parts = variant.parts; parts.count() > 1) {
        text += ", parts " + std::to_string(parts.m) + "x" + std::to_string(parts.n) + "x" +
                std::to_string(parts.k);
    }
    if (variant.repack_a || variant.repack_b) {
        text += ", re-laid " + operands(variant.repack_a, variant.repack_b);
    }
    text += variant.pack_a ? ", A packed" : "";
    text += variant.transpose_b ? ", B turned" : "";
    return text;
}

} // namespace libsgemm::catalog
