// SPDX-License-Identifier: Apache-2.0
#include "compile/cache_settings.hpp"

#include "sgemm/error.hpp"
#include "support/text.hpp"
#include "support/user_folder.hpp"

#include <filesystem>

namespace libsgemm::compile {
namespace {

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20U;
constexpr std::uint64_t default_mebibytes = 256;
constexpr std::uint64_t most_mebibytes = std::uint64_t{1} << 40U;

std::string checked_folder(const char* name, const std::string& folder) {
    if (!std::filesystem::path(folder).is_absolute()) {
        throw ArgumentError(name, folder, "must be an absolute path");
    }
    return folder;
}

std::string default_folder() {
    const std::string caches = support::user_folder("XDG_CACHE_HOME", ".cache");
    return caches.empty() ? caches : caches + "/sgemm";
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
    const bool is_on = options.enabled.has_value()
                           ? *options.enabled
                           : support::environment_switch("SGEMM_CACHE", true);
    if (!is_on) {
        return {};
    }
    return {folder_of(options), limit_of(options)};
}

} // namespace libsgemm::compile
