// SPDX-License-Identifier: Apache-2.0
#include "problem/step_sums.hpp"

#include "support/round.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace libsgemm::validate {
namespace {

std::int64_t largest(const Steps& steps) {
    return steps.step * (steps.count - 1);
}

std::int64_t largest(const StepList& summands) {
    return std::accumulate(
        summands.begin(), summands.end(), std::int64_t{0},
        [](std::int64_t sum, const Steps& steps) { return sum + largest(steps); });
}

/// Sums of both where they are equidistant, too: the finer ones fill the coarser ones' steps.
std::optional<Steps> joined(const Steps& fine, const Steps& coarse) {
    const std::int64_t ratio = coarse.step / fine.step;
    if (coarse.step % fine.step != 0 || fine.count < ratio) {
        return std::nullopt;
    }
    return Steps{fine.step, fine.count + ratio * (coarse.count - 1)};
}

bool join_two(StepList& summands) {
    for (std::size_t i = 0; i < summands.size(); ++i) {
        for (std::size_t j = 0; j < summands.size(); ++j) {
            if (const auto both = i == j ? std::nullopt : joined(summands[i], summands[j])) {
                summands[i] = *both;
                summands.erase(&summands[j]);
                return true;
            }
        }
    }
    return false;
}

/// factor * x = modulus * quotient + rest.
struct Multiple {
    std::int64_t x;
    std::int64_t quotient;
    std::int64_t rest;
};

/// The smallest x whose rest is in [low, high]; 0 < low <= high < modulus, 0 <= factor < modulus.
std::optional<Multiple> first_with_rest(std::int64_t factor, std::int64_t modulus, std::int64_t low,
                                        std::int64_t high) {
    if (factor == 0) {
        return std::nullopt;
    }
    const std::int64_t x = support::ceil_div(low, factor);
    if (x * factor <= high) { // before the first wrap
        return Multiple{x, 0, x * factor};
    }
    // No multiple of the factor lies in [low, high]; behind `quotient` wraps one lies in it if what
    // the wraps leave modulo the factor is as much below a multiple as that.
    const auto wraps =
        first_with_rest(modulus % factor, factor, factor - high % factor, factor - low % factor);
    if (!wraps) {
        return std::nullopt;
    }
    const std::int64_t more = support::ceil_div(low + wraps->rest, factor);
    return Multiple{modulus / factor * wraps->x + wraps->quotient + more, wraps->x,
                    more * factor - wraps->rest};
}

/// With a.step * i + b.step * (b.count - 1 - j) in the range, the smallest i has the smallest j.
/// high - low is less than b's step.
bool two_within(const Steps& a, const Steps& b, std::int64_t low, std::int64_t high) {
    const std::int64_t width = high - low + 1;
    const std::int64_t begin =
        low - largest(b); // a.step * i - b.step * j in [begin, begin + width)
    std::int64_t i = begin <= 0 ? 0 : support::ceil_div(begin, a.step);
    if (i >= a.count) {
        return false;
    }
    const std::int64_t rest = (a.step * i - begin) % b.step;
    if (rest >= width) {
        const auto found =
            first_with_rest(a.step % b.step, b.step, b.step - rest, b.step - rest + width - 1);
        if (!found || found->x >= a.count - i) {
            return false;
        }
        i += found->x;
    }
    return (a.step * i - begin) / b.step < b.count;
}

/// Values of one summand, by number: [first, last].
struct Values {
    std::int64_t first;
    std::int64_t last;
    std::int64_t count() const { return std::max<std::int64_t>(0, last - first + 1); }
};

class Search {
public:
    explicit Search(std::int64_t most_tried) : left_(most_tried) {}

    /// Means nothing if it is exhausted.
    bool finds(StepList summands, std::int64_t low, std::int64_t high);
    bool is_exhausted() const { return left_ <= 0; }

private:
    bool tries_each(StepList summands, std::int64_t low, std::int64_t high);

    std::int64_t left_;
};

/// Values that the others can complete.
Values values_of(const Steps& steps, std::int64_t largest_sum, std::int64_t low,
                 std::int64_t high) {
    const std::int64_t needed = low - (largest_sum - largest(steps));
    return {needed <= 0 ? 0 : support::ceil_div(needed, steps.step),
            std::min(steps.count - 1, high / steps.step)};
}

bool Search::tries_each(StepList summands, std::int64_t low, std::int64_t high) {
    const std::int64_t all = largest(summands);
    const Steps* const fewest =
        std::min_element(summands.begin(), summands.end(), [&](const Steps& x, const Steps& y) {
            return values_of(x, all, low, high).count() < values_of(y, all, low, high).count();
        });
    const Steps tried = *fewest;
    const Values values = values_of(tried, all, low, high);
    summands.erase(fewest);
    for (std::int64_t i = values.first; i <= values.last; ++i) {
        if (--left_ <= 0 || finds(summands, low - i * tried.step, high - i * tried.step)) {
            return true;
        }
    }
    return false;
}

bool Search::finds(StepList summands, std::int64_t low, std::int64_t high) {
    low = std::max<std::int64_t>(low, 0);
    high = std::min(high, largest(summands));
    if (low > high) {
        return false;
    }
    // Steps that the range spans fill whatever lies between their values.
    const Steps* const narrow =
        std::find_if(summands.begin(), summands.end(),
                     [&](const Steps& steps) { return steps.step <= high - low + 1; });
    if (narrow != summands.end()) {
        low -= largest(*narrow);
        summands.erase(narrow);
        return finds(summands, low, high);
    }
    switch (summands.size()) {
    case 0:
        return true;
    case 1:
        return support::round_up(low, summands[0].step) <= high;
    case 2:
        return two_within(summands[0], summands[1], low, high);
    default:
        break;
    }
    std::int64_t period = 0;
    for (const Steps& steps : summands) {
        period = std::gcd(period, steps.step);
    }
    if (support::round_up(low, period) > high) {
        return false;
    }
    if (period > 1) {
        for (Steps& steps : summands) {
            steps.step /= period;
        }
        return finds(summands, support::ceil_div(low, period), high / period);
    }
    return tries_each(summands, low, high);
}

} // namespace

std::optional<bool> some_sum_is_within(StepList summands, std::int64_t low, std::int64_t high,
                                       std::int64_t most_tried) {
    while (join_two(summands)) {
    }
    Search search(most_tried);
    const bool found = search.finds(summands, low, high);
    return search.is_exhausted() ? std::nullopt : std::optional(found);
}

} // namespace libsgemm::validate
