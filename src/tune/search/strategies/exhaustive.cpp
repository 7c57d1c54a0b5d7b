// SPDX-License-Identifier: Apache-2.0
//
// Every point, in order: what the other searches are compared with (sgemm-tune replay).
#include "tune/search/strategy.hpp"

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

} // namespace

std::unique_ptr<Strategy> make_exhaustive(SearchStart start) {
    return std::make_unique<Exhaustive>(std::move(start));
}

} // namespace libsgemm::tune
