// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tune/fit/regret.hpp"

#include <iosfwd>
#include <string>
#include <vector>

namespace libsgemm::tune {

/// A Markdown table: a line per suite, and all.
void print_summaries(std::ostream& stream, const std::vector<RegretSummary>& summaries);

/// The shapes with the largest regrets: a Markdown table.
void print_worst(std::ostream& stream, std::vector<ShapeRegret> regrets, std::size_t count);

/// Predicted over measured times, one colour a kernel, by gnuplot. Throws std::runtime_error.
void draw_scatter(const std::string& file, const std::string& title,
                  const std::vector<PredictedTime>& times);

} // namespace libsgemm::tune
