// SPDX-License-Identifier: Apache-2.0
#include "support/hash.hpp"

#include <array>
#include <cstdio>

// The header holds all of it: nothing is linked.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace libsgemm::support {

std::string hash_text(std::string_view bytes) {
    const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
    std::array<char, 33> text{};
    std::snprintf(text.data(), text.size(), "%016llx%016llx",
                  static_cast<unsigned long long>(hash.high64),
                  static_cast<unsigned long long>(hash.low64));
    return text.data();
}

} // namespace libsgemm::support
