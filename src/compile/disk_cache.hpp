// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compile/cache_settings.hpp"
#include "support/log.hpp"

#include <atomic>
#include <optional>
#include <string>
#include <string_view>

namespace libsgemm::compile {

/// Binaries of programs in a folder, a file each, shared by any number of processes and threads
/// without locks: a file appears whole, by rename, and a reader checks all of it. What cannot be
/// read or is not what it should be counts as absent; what cannot be written is a warning, once.
class DiskCache {
public:
    /// `log` outlives the object. An empty folder: nothing is found, nothing kept.
    DiskCache(CacheSettings settings, const support::Log& log);

    bool is_enabled() const noexcept { return !settings_.folder.empty(); }

    /// The binary that was kept under the key; counts as its use.
    std::optional<std::string> load(std::string_view key) const;
    /// Keeps a binary, in place of an earlier one; then removes the least recently used ones until
    /// the folder is within its limit.
    void store(std::string_view key, std::string_view binary) const;
    /// The file of a key.
    std::string file_of(std::string_view key) const;

private:
    CacheSettings settings_;
    const support::Log& log_;
    mutable std::atomic<bool> warned_{false};
};

} // namespace libsgemm::compile
