// SPDX-License-Identifier: Apache-2.0
#include "tune/search/prospects.hpp"

#include <algorithm>
#include <cmath>

namespace libsgemm::tune {

std::size_t fair_trial(int defeats) {
    constexpr std::size_t points = 6; // of one that has not lost yet
    return std::max<std::size_t>(1, points / (1 + static_cast<std::size_t>(defeats)));
}

bool is_pruned(const Task& task, std::size_t points, std::size_t fair, const Ratios& reached,
               const Ratios& by_any) {
    constexpr double far = 2;
    const bool any_ran = std::ranges::any_of(
        reached, [](const auto& shape_ratio) { return std::isfinite(shape_ratio.second); });
    if (!any_ran) {
        return points >= 2 * fair;
    }
    return points >= fair && std::ranges::all_of(task.shapes.shapes, [&](const Shape& shape) {
               const auto own = reached.find(judge::shape_name(shape));
               const auto any = by_any.find(judge::shape_name(shape));
               return own != reached.end() && any != by_any.end() &&
                      own->second > far * any->second;
           });
}

bool is_far_behind(const Ratios& reached, const Ratios& by_any) {
    constexpr double very_far = 8; // twice what separates kernels that are made for other shapes
    bool any_ran = false;
    for (const auto& [shape, own] : reached) {
        if (std::isinf(own)) {
            continue;
        }
        any_ran = true;
        const auto any = by_any.find(shape);
        if (any == by_any.end() || own <= very_far * any->second) {
            return false;
        }
    }
    return any_ran;
}

} // namespace libsgemm::tune
