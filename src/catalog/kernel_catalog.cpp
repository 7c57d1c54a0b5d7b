// SPDX-License-Identifier: Apache-2.0
#include "catalog/kernel_catalog.hpp"

#include <algorithm>

namespace libsgemm::catalog {

const KernelEntry* KernelCatalog::find(std::string_view name) const {
    for (const auto* list : {&entries_, &schemes_}) {
        const auto found = std::ranges::find(*list, name, &KernelEntry::name);
        if (found != list->end()) {
            return &*found;
        }
    }
    return nullptr;
}

std::string_view KernelCatalog::source_hash(std::string_view name) const {
    const KernelEntry* kernel = find(name);
    const EmbeddedSource* source = kernel == nullptr ? nullptr : find_source_(kernel->source);
    return source == nullptr ? std::string_view() : source->hash;
}

const KernelCatalog& kernel_catalog() {
    static const KernelCatalog catalog(
        [] {
            std::vector<KernelEntry> all = progression_entries();
            for (const auto& more : {tiled_entries(), direct_entries(), flat_entries(),
                                     packed_entries(), nvidia_entries(), ptx_entries()})
                all.insert(all.end(), more.begin(), more.end());
            return all;
        }(),
        emulated_entries());
    return catalog;
}

} // namespace libsgemm::catalog
