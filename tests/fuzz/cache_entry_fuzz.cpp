// SPDX-License-Identifier: Apache-2.0
// Bytes are the entry that was written, or none: nothing else is ever taken for one.
#include "compile/cache_entry.hpp"
#include "fuzz/bytes.hpp"

#include <string>
#include <utility>

namespace {

/// Arbitrary bytes under an arbitrary key.
void read_as_they_are(sgemm_fuzz::Bytes bytes) {
    const std::string key(bytes.take_text(bytes.take<std::uint8_t>()));
    const auto binary = libsgemm::compile::parse_entry(bytes.rest(), key);
    sgemm_fuzz::require_same_in_any_locale(
        [&] { return libsgemm::compile::parse_entry(bytes.rest(), key); });
    if (binary) {
        sgemm_fuzz::require(libsgemm::compile::format_entry(key, *binary) == bytes.rest());
    }
}

/// An entry that was damaged at one place, cut, or written for another key.
void read_damaged(sgemm_fuzz::Bytes bytes) {
    const auto position = bytes.take<std::uint16_t>();
    const auto change = bytes.take<std::uint8_t>();
    const auto cut = bytes.take<std::uint8_t>();
    const std::string key(bytes.take_text(bytes.take<std::uint8_t>()));
    const std::string entry = libsgemm::compile::format_entry(key, bytes.rest());
    sgemm_fuzz::require(libsgemm::compile::parse_entry(entry, key) == std::string(bytes.rest()));
    sgemm_fuzz::require_same_in_any_locale([&] {
        return std::pair(libsgemm::compile::format_entry(key, bytes.rest()),
                         libsgemm::compile::parse_entry(entry, key));
    });
    sgemm_fuzz::require(!libsgemm::compile::parse_entry(entry, key + "x"));

    std::string damaged = entry.substr(0, entry.size() - cut % entry.size());
    char& changed = damaged[position % damaged.size()];
    changed = static_cast<char>(static_cast<unsigned char>(changed) ^ change);
    if (damaged != entry) {
        sgemm_fuzz::require(!libsgemm::compile::parse_entry(damaged, key));
    }
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    sgemm_fuzz::Bytes bytes(data, size);
    if (bytes.take<std::uint8_t>() % 2 == 0) {
        read_as_they_are(bytes);
    } else {
        read_damaged(bytes);
    }
    return 0;
}
