// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tune/search/space.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace libsgemm::tune {

/// What a search begins with.
struct SearchStart {
    const Space* space = nullptr;
    std::uint64_t seed = 1;
    /// Points that did well elsewhere: rows of similar devices, the catalogue's defaults. Feasible.
    std::vector<Point> starts;
};

/// A way to search a space for the least cost. It proposes a point, is told the cost, and so on. It
/// may propose a point again: whoever measures remembers. Pure: equal starts and equal costs give
/// equal proposals.
class Strategy {
public:
    virtual ~Strategy() = default;
    /// Nothing: the search is over.
    virtual std::optional<Point> propose() = 0;
    /// Cost of the point proposed last: positive; infinity where it cannot run.
    virtual void report(const Point& point, double cost) = 0;
};

struct StrategyInfo {
    std::string_view name;
    std::unique_ptr<Strategy> (*make)(SearchStart start);
};

/// All strategies; the first is the default, as docs/internals/tuner.md has it measured.
const std::vector<StrategyInfo>& strategies();

/// Throws ArgumentError with the names that there are.
const StrategyInfo& find_strategy(std::string_view name);

// One maker per file of strategies/.
std::unique_ptr<Strategy> make_exhaustive(SearchStart start);
std::unique_ptr<Strategy> make_hill_climbing(SearchStart start);
std::unique_ptr<Strategy> make_model_guided(SearchStart start);

} // namespace libsgemm::tune
