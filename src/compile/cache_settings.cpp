// SPDX-License-Identifier: Apache-2.0
#include "compile/cache_settings.hpp"

#include "sgemm/error.hpp"
#include "support/text.hpp"

#include <filesystem>

namespace sgemm::compile {
namespace {

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20U;
constexpr std::uint64_t default_mebibytes = 256;
constexpr std::uint64_t most_mebibytes = std::uint64_t{1} << 40U;

bool is_absolute(const std::string& folder) {
    return std::filesystem::path(folder).is_absolute();
}

std::string checked_folder(const char* name, const std::string& folder) {
    if (!is_absolute(folder)) {
        throw ArgumentError(name, folder, "must be an absolute path");
    }
    return folder;
}

/// As the XDG base directory specification says: a relative path is ignored.
std::string default_folder() {
    const std::string cache_home = support::environment("XDG_CACHE_HOME");
    if (is_absolute(cache_home)) {
        return cache_home + "/sgemm";
    }
    const std::string home = support::environment("HOME");
    return is_absolute(home) ? home + "/.cache/sgemm" : std::string();
}

std::string folder_of(const DiskCacheOptions& options) {
    if (!options.folder.empty()) {
        return checked_folder("disk_cache.folder", options.folder);
    }
    const std::string named = support::environment("SGEMM_CACHE_DIR");
    return named.empty() ? default_folder() : checked_folder("SGEMM_CACHE_DIR", named);
}

std::uint64_t limit_of(const DiskCacheOptions& options) {
    if (options.max_bytes != 0) {
        return options.max_bytes;
    }
    const std::string text = support::environment("SGEMM_CACHE_MIB");
    if (text.empty()) {
        return default_mebibytes * mebibyte;
    }
    const auto mebibytes = support::parse_number<std::uint64_t>(text);
    if (!mebibytes || *mebibytes == 0 || *mebibytes > most_mebibytes) {
        throw ArgumentError("SGEMM_CACHE_MIB", text, "must be a number of MiB, at least 1");
    }
    return *mebibytes * mebibyte;
}

} // namespace

CacheSettings cache_settings(const DiskCacheOptions& options) {
    if (!options.enabled || support::environment("SGEMM_CACHE") == "0") {
        return {};
    }
    return {folder_of(options), limit_of(options)};
}

} // namespace sgemm::compile
