// SPDX-License-Identifier: Apache-2.0
//
// First-improvement hill climbing over single steps, in random order. At a hill's top it starts
// again: from the next best known point while there are any, then from a few changes to the best,
// or anywhere.
#include "tune/search/strategy.hpp"
#include "tune/worker/infinity.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace libsgemm::tune {
namespace {

class HillClimbing : public Strategy {
public:
    explicit HillClimbing(SearchStart start) : start_(std::move(start)), random_(start_.seed) {}

    std::optional<Point> propose() override {
        while (!untried_.empty()) {
            Point point = std::move(untried_.back());
            untried_.pop_back();
            if (!seen_.contains(point)) {
                return point;
            }
        }
        here_cost_ = infinity; // whatever comes is better
        return next_start();
    }

    void report(const Point& point, double cost) override {
        seen_.insert(point);
        if (cost < best_cost_) {
            best_cost_ = cost;
            best_ = point;
        }
        if (cost < here_cost_) {
            here_cost_ = cost;
            untried_ = start_.space->neighbours(point);
            shuffle(untried_);
        }
    }

private:
    std::optional<Point> next_start() {
        if (next_ < start_.starts.size()) {
            return start_.starts[next_++];
        }
        constexpr int most_tries = 200;
        for (int i = 0; i < most_tries; ++i) {
            const bool near_best = !best_.empty() && below(random_, 2) == 0;
            Point point =
                near_best ? start_.space->mutated(start_.space->mutated(best_, random_), random_)
                          : start_.space->random_point(random_);
            if (!seen_.contains(point)) {
                return point;
            }
        }
        return std::nullopt;
    }

    void shuffle(std::vector<Point>& points) {
        for (std::size_t i = points.size(); i > 1; --i) {
            std::swap(points[i - 1], points[below(random_, i)]);
        }
    }

    SearchStart start_;
    Random random_;
    std::size_t next_ = 0;
    std::set<Point> seen_;
    std::vector<Point> untried_;
    double here_cost_ = infinity;
    double best_cost_ = infinity;
    Point best_;
};

} // namespace

std::unique_ptr<Strategy> make_hill_climbing(SearchStart start) {
    return std::make_unique<HillClimbing>(std::move(start));
}

} // namespace libsgemm::tune
