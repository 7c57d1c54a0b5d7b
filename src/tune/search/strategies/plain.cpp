// SPDX-License-Identifier: Apache-2.0
//
// Searches that learn nothing: every point in order, and random ones.
#include "tune/search/strategy.hpp"

#include <set>
#include <utility>

namespace libsgemm::tune {
namespace {

class Exhaustive : public Strategy {
public:
    explicit Exhaustive(SearchStart start)
        : start_(std::move(start)), points_(start_.space->all_feasible()) {}

    std::optional<Point> propose() override {
        return next_ < points_.size() ? std::optional(points_[next_++]) : std::nullopt;
    }
    void report(const Point& /*point*/, double /*cost*/) override {}

private:
    SearchStart start_;
    std::vector<Point> points_;
    std::size_t next_ = 0;
};

class RandomPoints : public Strategy {
public:
    explicit RandomPoints(SearchStart start) : start_(std::move(start)), random_(start_.seed) {}

    std::optional<Point> propose() override {
        if (next_ < start_.starts.size()) {
            return start_.starts[next_++];
        }
        // In a small space new points become rare.
        constexpr int most_tries = 1000;
        for (int i = 0; i < most_tries; ++i) {
            Point point = start_.space->random_point(random_);
            if (seen_.insert(point).second) {
                return point;
            }
        }
        return std::nullopt;
    }
    void report(const Point& point, double /*cost*/) override { seen_.insert(point); }

private:
    SearchStart start_;
    Random random_;
    std::size_t next_ = 0;
    std::set<Point> seen_;
};

} // namespace

std::unique_ptr<Strategy> make_exhaustive(SearchStart start) {
    return std::make_unique<Exhaustive>(std::move(start));
}

std::unique_ptr<Strategy> make_random(SearchStart start) {
    return std::make_unique<RandomPoints>(std::move(start));
}

} // namespace libsgemm::tune
