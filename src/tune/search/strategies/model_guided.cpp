// SPDX-License-Identifier: Apache-2.0
//
// Fits the logarithm of the cost over log features of what was measured, and proposes the point
// that may improve on the best by most: among random points, and among changes to the best ones.
#include "tune/search/strategies/gaussian_process.hpp"
#include "tune/search/strategy.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

namespace libsgemm::tune {
namespace {

/// A fit costs the cube of this: the worst of more points are left out.
constexpr std::size_t most_fitted = 300;

class ModelGuided : public Strategy {
public:
    explicit ModelGuided(SearchStart start) : start_(std::move(start)), random_(start_.seed) {
        // All of a small space can be looked at every time.
        constexpr double small = 5000;
        if (start_.space->size() <= small) {
            all_ = start_.space->all_feasible();
        }
    }

    std::optional<Point> propose() override {
        if (next_ < start_.starts.size()) {
            return start_.starts[next_++];
        }
        constexpr std::size_t least_known = 5;
        if (count_runnable() < least_known) {
            return unseen_random();
        }
        return most_promising();
    }

    void report(const Point& point, double cost) override {
        if (seen_.insert(point).second) {
            known_.push_back({cost, point, start_.space->features(point)});
        }
    }

private:
    struct Known {
        double cost;
        Point point;
        Features features;
    };

    std::size_t count_runnable() const {
        return static_cast<std::size_t>(std::ranges::count_if(
            known_, [](const Known& known) { return std::isfinite(known.cost); }));
    }

    std::optional<Point> unseen_random() {
        constexpr int most_tries = 1000;
        for (int i = 0; i < most_tries; ++i) {
            Point point = start_.space->random_point(random_);
            if (!seen_.contains(point)) {
                return point;
            }
        }
        return std::nullopt;
    }

    /// Points to choose from, all of them new.
    std::set<Point> candidates() {
        constexpr int strangers = 300;
        constexpr std::size_t families = 6;
        constexpr int children = 25;
        std::set<Point> points;
        const auto add = [&](Point point) {
            if (!seen_.contains(point)) {
                points.insert(std::move(point));
            }
        };
        if (!all_.empty()) {
            for (const Point& point : all_) {
                add(point);
            }
            return points;
        }
        for (int i = 0; i < strangers; ++i) {
            add(start_.space->random_point(random_));
        }
        for (std::size_t i = 0; i < std::min(families, known_.size()); ++i) {
            const Point& parent = known_[i].point;
            for (Point& neighbour : start_.space->neighbours(parent)) {
                add(std::move(neighbour));
            }
            for (int j = 0; j < children; ++j) {
                add(start_.space->mutated(parent, random_));
            }
        }
        return points;
    }

    std::optional<Point> most_promising() {
        std::stable_sort(known_.begin(), known_.end(),
                         [](const Known& x, const Known& y) { return x.cost < y.cost; });
        const double best = fit();
        std::optional<Point> chosen;
        double most = -1;
        for (const Point& point : candidates()) {
            const double improvement =
                expected_improvement(process_.predict(scaled(start_.space->features(point))), best);
            if (improvement > most) {
                most = improvement;
                chosen = point;
            }
        }
        return chosen ? chosen : unseen_random();
    }

    /// Fits to the best points; returns the best value as the process counts.
    double fit() {
        const std::size_t count = std::min(most_fitted, known_.size());
        std::vector<double> values;
        double worst = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const double cost = known_[i].cost;
            worst = std::isfinite(cost) ? std::log(cost) : worst;
            // What cannot run is a little worse than the worst that can.
            values.push_back(std::isfinite(cost) ? std::log(cost) : worst + 0.5);
        }
        scale_features(count);
        std::vector<Features> points;
        for (std::size_t i = 0; i < count; ++i) {
            points.push_back(scaled(known_[i].features));
        }
        const double mean =
            std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(count);
        double variance = 1e-6;
        for (const double value : values) {
            variance += (value - mean) * (value - mean) / static_cast<double>(count);
        }
        for (double& value : values) {
            value = (value - mean) / std::sqrt(variance);
        }
        process_.fit(points, values);
        return values.front();
    }

    /// Each feature to mean 0 and deviation 1; what never changes stays out.
    void scale_features(std::size_t count) {
        const std::size_t width = known_.front().features.size();
        means_.assign(width, 0);
        factors_.assign(width, 0);
        for (std::size_t f = 0; f < width; ++f) {
            double squares = 0;
            for (std::size_t i = 0; i < count; ++i) {
                means_[f] += known_[i].features[f] / static_cast<double>(count);
            }
            for (std::size_t i = 0; i < count; ++i) {
                const double difference = known_[i].features[f] - means_[f];
                squares += difference * difference / static_cast<double>(count);
            }
            factors_[f] = squares > 1e-9 ? 1 / std::sqrt(squares) : 0;
        }
    }

    Features scaled(Features features) const {
        for (std::size_t f = 0; f < features.size(); ++f) {
            features[f] = (features[f] - means_[f]) * factors_[f];
        }
        return features;
    }

    SearchStart start_;
    Random random_;
    std::size_t next_ = 0;
    std::vector<Point> all_; ///< of a small space
    std::set<Point> seen_;
    std::vector<Known> known_;
    GaussianProcess process_;
    std::vector<double> means_, factors_;
};

} // namespace

std::unique_ptr<Strategy> make_model_guided(SearchStart start) {
    return std::make_unique<ModelGuided>(std::move(start));
}

} // namespace libsgemm::tune
