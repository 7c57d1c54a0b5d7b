// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace libsgemm::detail {

/// Where something of `extent` units may be cut: at first, first + step, ... below the extent.
struct Cuts {
    std::int64_t extent = 0;
    std::int64_t first = 1; ///< beyond the extent: nowhere
    std::int64_t step = 1;
};

/// Cuts at units that lie `distance` elements apart, the first one at `offset`, so that each part
/// starts at a multiple of `alignment` elements.
Cuts aligned_cuts(std::int64_t extent, std::int64_t distance, std::int64_t offset,
                  std::int64_t alignment);

/// Predicted seconds of a device for so many units.
using PartSeconds = std::function<double(std::size_t device, std::int64_t units)>;

/// Units for each of `devices`, in order, that let the slowest end first: of all ways to give out
/// sixteenths of the extent, moved to where it may be cut. As soon as more than one device has a
/// part, `sharing_seconds` come on top.
std::vector<std::int64_t> split_among(std::size_t devices, const Cuts& cuts,
                                      const PartSeconds& seconds, double sharing_seconds = 0);

} // namespace libsgemm::detail
