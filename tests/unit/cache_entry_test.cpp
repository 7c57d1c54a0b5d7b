// SPDX-License-Identifier: Apache-2.0
// The bytes of a cache file: nothing but what was written under the same key is ever accepted.
#include "compile/cache_entry.hpp"

#include <gtest/gtest.h>
#include <set>
#include <string>

namespace sgemm_test {
namespace {

using libsgemm::compile::cache_key;
using libsgemm::compile::format_entry;
using libsgemm::compile::parse_entry;

const std::string binary{"\0binary\n\xff with any bytes", 24};

TEST(CacheEntry, GivesBackWhatWasWritten) {
    for (const std::string& value : {binary, std::string(), std::string(100'000, '\0')}) {
        EXPECT_EQ(parse_entry(format_entry("key", value), "key"), value);
    }
}

TEST(CacheEntry, OfAnotherKeyIsRefused) {
    const std::string entry = format_entry("key", binary);
    for (const std::string key : {"", "ke", "key ", "Key", "other"}) {
        EXPECT_FALSE(parse_entry(entry, key)) << key;
    }
}

/// Key and binary must not run into each other: "ke" + "y..." is not "key" + "...".
TEST(CacheEntry, KeyAndBinaryAreKeptApart) {
    EXPECT_FALSE(parse_entry(format_entry("ke", "y"), "key"));
    EXPECT_FALSE(parse_entry(format_entry("1", "2"), "12"));
}

TEST(CacheEntry, EveryTruncationIsRefused) {
    const std::string entry = format_entry("key", binary);
    for (std::size_t length = 0; length < entry.size(); ++length) {
        EXPECT_FALSE(parse_entry(entry.substr(0, length), "key")) << length;
    }
}

TEST(CacheEntry, EveryFlippedBitIsRefused) {
    const std::string entry = format_entry("key", binary);
    for (std::size_t bit = 0; bit < 8 * entry.size(); ++bit) {
        std::string damaged = entry;
        damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
        EXPECT_FALSE(parse_entry(damaged, "key")) << "bit " << bit;
    }
}

TEST(CacheEntry, AnAppendedOrMissingByteIsRefused) {
    const std::string entry = format_entry("key", binary);
    EXPECT_FALSE(parse_entry(entry + '\0', "key"));
    EXPECT_FALSE(parse_entry('\n' + entry, "key"));
    EXPECT_FALSE(parse_entry(entry.substr(1), "key"));
}

TEST(CacheEntry, AnotherFormatIsRefused) {
    std::string entry = format_entry("key", binary);
    entry[entry.find('1')] = '2';
    EXPECT_FALSE(parse_entry(entry, "key"));
}

TEST(CacheKey, DiffersWithAllThatABinaryDependsOn) {
    libsgemm::DeviceTraits device;
    std::set<std::string> keys{cache_key(device, "source", "options")};
    std::size_t variants = 1;
    const auto expect_new = [&](const std::string& key) {
        keys.insert(key);
        EXPECT_EQ(keys.size(), ++variants) << key;
    };
    expect_new(cache_key(device, "other source", "options"));
    expect_new(cache_key(device, "source", "other options"));
    for (std::string libsgemm::DeviceTraits::*member :
         {&libsgemm::DeviceTraits::name, &libsgemm::DeviceTraits::vendor,
          &libsgemm::DeviceTraits::architecture, &libsgemm::DeviceTraits::platform,
          &libsgemm::DeviceTraits::platform_version, &libsgemm::DeviceTraits::driver_version}) {
        libsgemm::DeviceTraits other = device;
        other.*member = "changed";
        expect_new(cache_key(other, "source", "options"));
    }
}

} // namespace
} // namespace sgemm_test
