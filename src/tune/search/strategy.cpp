// SPDX-License-Identifier: Apache-2.0
#include "tune/search/strategy.hpp"

#include "sgemm/error.hpp"

#include <algorithm>

namespace libsgemm::tune {

const std::vector<StrategyInfo>& strategies() {
    static const std::vector<StrategyInfo> list{
        {"model", "Gaussian process on log features; proposes what may improve most",
         make_model_guided},
        {"hill", "hill climbing, first from the best known rows, then from random points",
         make_hill_climbing},
        {"annealing", "simulated annealing with restarts from the best", make_annealing},
        {"genetic", "a population that is crossed and mutated", make_genetic},
        {"random", "random points", make_random},
        {"exhaustive", "every point, in order", make_exhaustive}};
    return list;
}

const StrategyInfo& find_strategy(std::string_view name) {
    const auto& list = strategies();
    const auto found = std::ranges::find(list, name, &StrategyInfo::name);
    if (found == list.end()) {
        std::string names;
        for (const StrategyInfo& strategy : list) {
            names += (names.empty() ? "" : ", ") + std::string(strategy.name);
        }
        throw ArgumentError("strategy", std::string(name), "must be one of " + names);
    }
    return *found;
}

} // namespace libsgemm::tune
