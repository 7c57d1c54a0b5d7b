// SPDX-License-Identifier: Apache-2.0
#include "compile/cache_entry.hpp"

#include "sgemm/version.hpp"
#include "support/hash.hpp"

namespace libsgemm::compile {
namespace {

/// Changes with the format: files of another one are not understood, and replaced.
constexpr std::string_view first_line = "sgemm program binary 1\n";
constexpr std::size_t hash_digits = 32;

/// What the checksum covers. The key's length keeps key and binary apart.
std::string body_of(std::string_view key, std::string_view binary) {
    std::string body = std::to_string(key.size()) + "\n";
    body += key;
    body += binary;
    return body;
}

/// Takes `prefix` off `text`; false if it is not there.
bool take(std::string_view& text, std::string_view prefix) {
    if (!text.starts_with(prefix)) {
        return false;
    }
    text.remove_prefix(prefix.size());
    return true;
}

} // namespace

std::string cache_key(const DeviceTraits& device, std::string_view source_hash,
                      std::string_view options) {
    std::string key;
    const auto add = [&](std::string_view name, std::string_view value) {
        key.append(name).append(" ").append(value).append("\n");
    };
    add("libsgemm", version());
    add("pointer", std::to_string(8 * sizeof(void*)));
    add("platform", device.platform);
    add("platform version", device.platform_version);
    add("driver", device.driver_version);
    add("vendor", device.vendor);
    add("device", device.name);
    add("architecture", device.architecture);
    add("source", source_hash);
    add("options", options);
    return key;
}

std::string format_entry(std::string_view key, std::string_view binary) {
    const std::string body = body_of(key, binary);
    return std::string(first_line) + support::hash_text(body) + "\n" + body;
}

std::optional<std::string> parse_entry(std::string_view bytes, std::string_view key) {
    if (!take(bytes, first_line) || bytes.size() < hash_digits) {
        return std::nullopt;
    }
    const std::string_view checksum = bytes.substr(0, hash_digits);
    bytes.remove_prefix(hash_digits);
    if (!take(bytes, "\n") || support::hash_text(bytes) != checksum ||
        !take(bytes, body_of(key, {}))) {
        return std::nullopt;
    }
    return std::string(bytes);
}

} // namespace libsgemm::compile
