// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "implementations/implementation.hpp"

#include <string>
#include <vector>

namespace libsgemm::bench {

/// Makes what `spec` names: "auto", "auto:calling_thread", "kernel:NAME:tile_m=64", "kernels" (all
/// of the catalogue), "progression" or another folder of kernels/, "clblast", …, "peers" (those
/// that suit the device). Throws Unavailable, and UsageError for a spec that names nothing.
Implementations make_implementations(const std::string& spec, Environment& environment);

/// A line of --list-impl.
struct ListedImplementation {
    std::string spec;
    std::string summary;
    std::string obstacle; ///< empty if it can be measured here
};
std::vector<ListedImplementation> list_implementations(Environment& environment);

} // namespace libsgemm::bench
