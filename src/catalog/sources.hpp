// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/embedded_sources.hpp"

#include <string_view>

namespace libsgemm::catalog {

/// The embedded source of that path; null if there is none.
const EmbeddedSource* find_source(std::string_view path);

/// How sources are found.
using SourceFinder = const EmbeddedSource* (*)(std::string_view path);

} // namespace libsgemm::catalog
