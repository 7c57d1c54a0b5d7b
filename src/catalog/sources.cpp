// SPDX-License-Identifier: Apache-2.0
#include "catalog/sources.hpp"

#include <algorithm>

namespace libsgemm::catalog {

const EmbeddedSource* find_source(std::string_view path) {
    const auto sources = embedded_sources();
    const auto found = std::find_if(sources.begin(), sources.end(),
                                    [&](const EmbeddedSource& s) { return s.path == path; });
    return found == sources.end() ? nullptr : &*found;
}

} // namespace libsgemm::catalog
