// SPDX-License-Identifier: Apache-2.0
#include "compile/disk_cache.hpp"

#include "compile/cache_entry.hpp"
#include "compile/cache_eviction.hpp"
#include "support/hash.hpp"
#include "support/own_file.hpp"

#include <utility>

namespace libsgemm::compile {

DiskCache::DiskCache(CacheSettings settings, const support::Log& log)
    : settings_(std::move(settings)), log_(log) {}

std::string DiskCache::file_of(std::string_view key) const {
    return settings_.folder + "/" + support::hash_text(key) + entry_suffix;
}

std::optional<std::string> DiskCache::load(std::string_view key) const {
    if (!is_enabled()) {
        return std::nullopt;
    }
    const std::string file = file_of(key);
    const auto bytes = support::read_own_file(file, settings_.max_bytes);
    if (!bytes) {
        return std::nullopt;
    }
    auto binary = parse_entry(*bytes, key);
    if (!binary) {
        log_.info([&] { return file + ": not what it should be, and ignored"; });
        return std::nullopt;
    }
    return binary;
}

void DiskCache::store(std::string_view key, std::string_view binary) const {
    if (!is_enabled() || binary.empty()) {
        return;
    }
    const std::string bytes = format_entry(key, binary);
    if (bytes.size() > settings_.max_bytes) {
        return;
    }
    const std::string error = support::replace_own_file(file_of(key), bytes);
    if (!error.empty()) {
        if (!warned_.exchange(true)) {
            log_.warning([&] {
                return settings_.folder + ": compiled kernels cannot be kept there (" + error + ")";
            });
        }
        return;
    }
    evict(settings_.folder, settings_.max_bytes);
}

} // namespace libsgemm::compile
