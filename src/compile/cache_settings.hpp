// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/context.hpp"

#include <cstdint>
#include <string>

namespace libsgemm::compile {

/// Where binaries are kept, and how much of them.
struct CacheSettings {
    std::string folder; ///< absolute; empty: nowhere
    std::uint64_t max_bytes = 0;
};

/// The options, completed by SGEMM_CACHE, SGEMM_CACHE_DIR, SGEMM_CACHE_MIB and the XDG folders.
/// Throws ArgumentError for a variable that says neither on nor off or is no number, and for a
/// folder that is not absolute.
CacheSettings cache_settings(const DiskCacheOptions& options);

} // namespace libsgemm::compile
