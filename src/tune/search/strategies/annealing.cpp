// SPDX-License-Identifier: Apache-2.0
//
// Simulated annealing on the logarithm of the cost: twice the time is as bad at every level.
#include "tune/search/strategy.hpp"
#include "tune/worker/infinity.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace libsgemm::tune {
namespace {

class Annealing : public Strategy {
public:
    explicit Annealing(SearchStart start) : start_(std::move(start)), random_(start_.seed) {
        if (start_.expected_trials == 0) {
            start_.expected_trials = 200;
        }
    }

    std::optional<Point> propose() override {
        if (next_ < start_.starts.size()) {
            return start_.starts[next_++];
        }
        if (here_.empty() || std::isinf(here_cost_)) {
            return start_.space->random_point(random_);
        }
        return start_.space->mutated(here_, random_);
    }

    void report(const Point& point, double cost) override {
        ++reports_;
        if (cost < best_cost_) {
            best_cost_ = cost;
            best_ = point;
        }
        const bool choosing_start = next_ < start_.starts.size() || here_.empty();
        if (cost <= here_cost_ ||
            (!choosing_start &&
             unit(random_) < std::exp(std::log(here_cost_ / cost) / temperature()))) {
            here_cost_ = cost;
            here_ = point;
            idle_ = 0;
            return;
        }
        // Stuck in a valley of its own: back to the best.
        constexpr int patience = 25;
        if (++idle_ > patience && !best_.empty()) {
            here_ = best_;
            here_cost_ = best_cost_;
            idle_ = 0;
        }
    }

private:
    /// From accepting a third more time as often as not to accepting a hundredth.
    double temperature() const {
        constexpr double first = 0.4;
        constexpr double last = 0.01;
        const double done = std::min(1.0, static_cast<double>(reports_) /
                                              static_cast<double>(start_.expected_trials));
        return first * std::pow(last / first, done);
    }

    SearchStart start_;
    Random random_;
    std::size_t next_ = 0;
    std::size_t reports_ = 0;
    int idle_ = 0;
    Point here_, best_;
    double here_cost_ = infinity;
    double best_cost_ = infinity;
};

} // namespace

std::unique_ptr<Strategy> make_annealing(SearchStart start) {
    return std::make_unique<Annealing>(std::move(start));
}

} // namespace libsgemm::tune
