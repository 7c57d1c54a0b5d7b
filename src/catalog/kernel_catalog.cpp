// SPDX-License-Identifier: Apache-2.0
#include "catalog/kernel_catalog.hpp"

#include <algorithm>

namespace sgemm::catalog {

const KernelEntry* KernelCatalog::find(std::string_view name) const {
    const auto found = std::ranges::find(entries_, name, &KernelEntry::name);
    return found == entries_.end() ? nullptr : &*found;
}

const KernelCatalog& kernel_catalog() {
    static const KernelCatalog catalog([] {
        std::vector<KernelEntry> all = progression_entries();
        for (const auto& more :
             {tiled_entries(), direct_entries(), packed_entries(), nvidia_entries()})
            all.insert(all.end(), more.begin(), more.end());
        return all;
    }());
    return catalog;
}

} // namespace sgemm::catalog
