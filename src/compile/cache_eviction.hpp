// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace libsgemm::compile {

/// How the names of a cache's files end.
inline constexpr const char* entry_suffix = ".clbin";

/// Removes the files of a cache that were used longest ago until the rest has at most `max_bytes`,
/// and temporary files that a killed writer left more than an hour ago. Other files are none of its
/// business. Several processes may do so at once. Never throws.
void evict(const std::string& folder, std::uint64_t max_bytes) noexcept;

} // namespace libsgemm::compile
