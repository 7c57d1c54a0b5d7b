// SPDX-License-Identifier: Apache-2.0
// When a search is worth no more time.
#pragma once

#include "tune/search/tasks.hpp"

#include <cstddef>
#include <map>
#include <string>

namespace libsgemm::tune {

/// Least times over the reference's, by shape name; infinite where nothing ran.
using Ratios = std::map<std::string, double>;

/// Points that a kernel may try before it is judged: fewer for one that was of no use for so many
/// tasks before.
std::size_t fair_trial(int defeats);

/// Whether, after a fair trial of so many points, others are far better at every shape, or nothing
/// ran.
bool is_pruned(const Task& task, std::size_t points, std::size_t fair, const Ratios& reached,
               const Ratios& by_any);

/// Whether others are so much faster wherever it ran that it would be of no use for other tasks
/// either.
bool is_far_behind(const Ratios& reached, const Ratios& by_any);

/// Tasks for which a kernel may be far behind before it is skipped for the others.
constexpr int most_far_defeats = 2;

} // namespace libsgemm::tune
