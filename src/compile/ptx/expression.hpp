// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace libsgemm::compile {

/// Constants of a PTX source by name.
using PtxConstants = std::map<std::string, std::int64_t, std::less<>>;

/// The value of an expression as expand_ptx() has them. && and || evaluate no more than they need,
/// so that "!defined(X) || X < 2" is one. Throws std::invalid_argument for what is malformed,
/// unknown or divided by zero.
std::int64_t evaluate_ptx_expression(std::string_view text, const PtxConstants& constants);

} // namespace libsgemm::compile
