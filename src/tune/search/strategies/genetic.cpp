// SPDX-License-Identifier: Apache-2.0
//
// A steady-state genetic search: one child at a time replaces the worst of the population.
#include "tune/search/strategy.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace libsgemm::tune {
namespace {

class Genetic : public Strategy {
public:
    explicit Genetic(SearchStart start) : start_(std::move(start)), random_(start_.seed) {}

    std::optional<Point> propose() override {
        if (next_ < start_.starts.size()) {
            return start_.starts[next_++];
        }
        if (population_.size() < most_alive) {
            return start_.space->random_point(random_);
        }
        constexpr int most_tries = 100;
        for (int i = 0; i < most_tries; ++i) {
            Point child = start_.space->crossed(parent(), parent(), random_);
            if (below(random_, 2) == 0) {
                child = start_.space->mutated(child, random_);
            }
            if (!seen_.contains(child)) {
                return child;
            }
        }
        return start_.space->random_point(random_);
    }

    void report(const Point& point, double cost) override {
        seen_.insert(point);
        population_.emplace_back(cost, point);
        std::sort(population_.begin(), population_.end());
        if (population_.size() > most_alive) {
            population_.pop_back();
        }
    }

private:
    using Member = std::pair<double, Point>;
    static constexpr std::size_t most_alive = 16;

    /// The better of two.
    const Point& parent() {
        const std::size_t x = below(random_, population_.size());
        const std::size_t y = below(random_, population_.size());
        return population_[std::min(x, y)].second;
    }

    SearchStart start_;
    Random random_;
    std::size_t next_ = 0;
    std::vector<Member> population_; ///< best first
    std::set<Point> seen_;
};

} // namespace

std::unique_ptr<Strategy> make_genetic(SearchStart start) {
    return std::make_unique<Genetic>(std::move(start));
}

} // namespace libsgemm::tune
