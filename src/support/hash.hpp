// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace libsgemm::support {

/// XXH3 of the bytes, 128 bits as 32 hexadecimal digits. Finds accidents, not attackers.
std::string hash_text(std::string_view bytes);

} // namespace libsgemm::support
