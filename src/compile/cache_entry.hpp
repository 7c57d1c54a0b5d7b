// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/device.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace libsgemm::compile {

/// All that a program's binary depends on, as text: this library's version, device, driver and
/// platform, the source's hash and the build options. Equal keys mean exchangeable binaries.
std::string cache_key(const DeviceTraits& device, std::string_view source_hash,
                      std::string_view options);

/// The bytes of a file that keeps a binary: a checksum, the key, the binary.
std::string format_entry(std::string_view key, std::string_view binary);

/// The binary in a file's bytes; nothing unless they are exactly what format_entry() makes of this
/// key and a binary.
std::optional<std::string> parse_entry(std::string_view bytes, std::string_view key);

} // namespace libsgemm::compile
