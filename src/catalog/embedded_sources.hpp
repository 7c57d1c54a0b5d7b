// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace libsgemm::catalog {

/// A kernel source as the build embedded it.
struct EmbeddedSource {
    std::string_view path; ///< under kernels/, e.g. "progression/01_naive.cl"
    std::string_view text; ///< common.clh and the file, each behind a #line with its name
    std::string_view hash; ///< SHA-256 of `text`, hexadecimal
};

/// All embedded kernel sources, ordered by path. Written by cmake/embed_kernels.cmake.
std::span<const EmbeddedSource> embedded_sources();

} // namespace libsgemm::catalog
