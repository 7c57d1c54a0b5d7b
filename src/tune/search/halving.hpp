// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tune/search/space.hpp"
#include "tune/search/tasks.hpp"
#include "tune/worker/infinity.hpp"
#include "tune/worker/statistics.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace libsgemm::tune {

/// What one task's search has found: successive halving over shapes. Every point is measured at the
/// first shape; the best third of all so far also at the others.
class Halving {
public:
    explicit Halving(Space space) : space_(std::move(space)) {}

    const Space& space() const { return space_; }
    const std::map<Point, double>& costs() const { return costs_; }
    void set_cost(const Point& point, double cost) { costs_[point] = cost; }

    bool is_promising(double first_ratio) const {
        constexpr std::size_t eta = 3;
        const auto better = static_cast<std::size_t>(std::ranges::count_if(
            firsts_, [first_ratio](double other) { return other < first_ratio; }));
        return better * eta <= firsts_.size();
    }
    void note_first(double ratio) { firsts_.push_back(ratio); }

    /// The cost of a point that got no further than the first shape, from those that did.
    double extrapolated(double first_ratio) const {
        return first_ratio * (gains_.empty() ? 1 : geometric_mean(gains_));
    }
    void note_complete(const Point& point, double first_ratio, double cost) {
        gains_.push_back(cost / first_ratio);
        complete_.emplace_back(cost, point);
    }

    /// The best of those measured at all shapes.
    std::vector<Configuration> best(const Task& task, std::size_t count) const {
        auto sorted = complete_;
        std::sort(sorted.begin(), sorted.end());
        std::vector<Configuration> configurations;
        for (const auto& [cost, point] : sorted) {
            if (configurations.size() < count) {
                configurations.push_back(
                    {std::string(task.kernel->name), parameters_of(space_, point), {}});
            }
        }
        return configurations;
    }
    double best_cost() const {
        double best = infinity;
        for (const auto& [cost, point] : complete_) {
            best = std::min(best, cost);
        }
        return best;
    }

private:
    Space space_;
    std::map<Point, double> costs_;
    std::vector<double> firsts_;
    std::vector<double> gains_;
    std::vector<std::pair<double, Point>> complete_;
};

} // namespace libsgemm::tune
