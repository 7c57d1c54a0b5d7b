// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/kernel_entry.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace libsgemm::tune {

/// One thing to choose, with the values to choose from, ascending.
struct Dimension {
    std::string name;
    std::vector<int> values;
};

/// A choice of all dimensions: for each the index of its value.
using Point = std::vector<std::uint16_t>;

/// Random numbers: equal seeds give equal searches on every platform.
using Random = std::mt19937_64;

/// A number below `count`, the same with every standard library.
inline std::size_t below(Random& random, std::size_t count) {
    return static_cast<std::size_t>(random() % count);
}

/// In [0, 1).
inline double unit(Random& random) {
    return static_cast<double>(random() >> 11U) * 0x1p-53;
}

/// What a strategy searches: dimensions, and which points may be tried at all.
class Space {
public:
    using Rule = std::function<bool(const Point&)>;
    using Features = std::function<std::vector<double>(const Point&)>;

    /// Without features of its own a point's are the logarithms of its values.
    Space(std::vector<Dimension> dimensions, Rule feasible, Features features = {});

    const std::vector<Dimension>& dimensions() const { return dimensions_; }
    int value(const Point& point, std::size_t dimension) const {
        return dimensions_[dimension].values[point[dimension]];
    }
    bool feasible(const Point& point) const { return feasible_(point); }

    /// Numbers of similar size, by which a model compares points.
    std::vector<double> features(const Point& point) const;

    /// Number of points, rules aside.
    double size() const;
    /// Number of points that keep the rules: counted where there are at most a few million, else
    /// estimated from a sample.
    struct Count {
        double points = 0;
        bool exact = true;
    };
    Count count_feasible() const;
    /// All of them in order; for small spaces.
    std::vector<Point> all_feasible() const;

    /// A random feasible point. Throws Error if none is found.
    Point random_point(Random& random) const;
    /// Feasible points that differ in one dimension, by one value, or in two where a rule couples
    /// them; in a fixed order.
    std::vector<Point> neighbours(const Point& point) const;
    /// One to three dimensions changed at random; feasible. The point itself if nothing is found.
    Point mutated(const Point& point, Random& random) const;

private:
    std::vector<Dimension> dimensions_;
    Rule feasible_;
    Features features_;
};

/// Values that the user allows a parameter to have: a part of the search.
using Restrictions = std::map<std::string, std::vector<int>, std::less<>>;

/// The search space of a kernel on a device: its parameters with the catalogue's values, its
/// constraints and the device's limits. Restrictions of
/// parameters that it does not have are for other kernels. `kernel` and `device` outlive the space.
Space kernel_space(const catalog::KernelEntry& kernel, const DeviceTraits& device,
                   const Restrictions& restrictions = {});

/// Whether restrictions leave something of the search: each is of a parameter that some of the
/// kernels have, and each kernel that has one can run with some of the values. Throws ArgumentError
/// that says what cannot be had.
void check_restrictions(const Restrictions& restrictions,
                        const std::vector<const catalog::KernelEntry*>& kernels,
                        const DeviceTraits& device);

catalog::Parameters parameters_of(const Space& space, const Point& point);
/// The point of some parameters; each one's nearest value where they are between two.
Point nearest_point(const Space& space, const catalog::Parameters& parameters);

/// Which rules reduce the space, in words and numbers: for --list.
struct RuleShare {
    std::string reason;
    double share = 0; ///< of a sample of points that break it
};
std::vector<RuleShare> rule_shares(const catalog::KernelEntry& kernel, const DeviceTraits& device);

} // namespace libsgemm::tune
