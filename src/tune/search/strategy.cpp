// SPDX-License-Identifier: Apache-2.0
#include "tune/search/strategy.hpp"

#include "sgemm/error.hpp"

#include <algorithm>

namespace libsgemm::tune {

const std::vector<StrategyInfo>& strategies() {
    static const std::vector<StrategyInfo> list{{"model", make_model_guided},
                                                {"hill", make_hill_climbing},
                                                {"exhaustive", make_exhaustive}};
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
