// SPDX-License-Identifier: Apache-2.0
#include "tune/search/space.hpp"

#include "sgemm/error.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace libsgemm::tune {
namespace {

/// Beyond this nobody waits for a count.
constexpr double most_counted = 2e6;
constexpr int sample_size = 400'000;

/// The next point in order; false after the last.
bool advance(Point& point, const std::vector<Dimension>& dimensions) {
    for (std::size_t i = 0; i < point.size(); ++i) {
        if (++point[i] < dimensions[i].values.size()) {
            return true;
        }
        point[i] = 0;
    }
    return false;
}

Point any_point(const std::vector<Dimension>& dimensions, Random& random) {
    Point point(dimensions.size());
    for (std::size_t i = 0; i < point.size(); ++i) {
        point[i] = static_cast<std::uint16_t>(below(random, dimensions[i].values.size()));
    }
    return point;
}

void change_one(Point& point, const std::vector<Dimension>& dimensions, Random& random) {
    const std::size_t i = below(random, dimensions.size());
    point[i] = static_cast<std::uint16_t>(below(random, dimensions[i].values.size()));
}

} // namespace

Space::Space(std::vector<Dimension> dimensions, Rule feasible, Features features)
    : dimensions_(std::move(dimensions)), feasible_(std::move(feasible)),
      features_(std::move(features)) {}

std::vector<double> Space::features(const Point& point) const {
    if (features_) {
        return features_(point);
    }
    std::vector<double> values;
    for (std::size_t i = 0; i < point.size(); ++i) {
        values.push_back(std::log2(value(point, i) + 1.0));
    }
    return values;
}

double Space::size() const {
    return std::accumulate(dimensions_.begin(), dimensions_.end(), 1.0,
                           [](double product, const Dimension& dimension) {
                               return product * static_cast<double>(dimension.values.size());
                           });
}

Space::Count Space::count_feasible() const {
    if (size() <= most_counted) {
        return {static_cast<double>(all_feasible().size()), true};
    }
    Random random(1); // NOLINT(cert-msc32-c,cert-msc51-cpp): the same answer every time
    int hits = 0;
    for (int i = 0; i < sample_size; ++i) {
        hits += feasible(any_point(dimensions_, random)) ? 1 : 0;
    }
    return {size() * hits / sample_size, false};
}

std::vector<Point> Space::all_feasible() const {
    std::vector<Point> points;
    Point point(dimensions_.size(), 0);
    do {
        if (feasible(point)) {
            points.push_back(point);
        }
    } while (advance(point, dimensions_));
    return points;
}

Point Space::random_point(Random& random) const {
    constexpr int most_tries = 3'000'000;
    for (int i = 0; i < most_tries; ++i) {
        Point point = any_point(dimensions_, random);
        if (feasible(point)) {
            return point;
        }
    }
    throw Error("the search space holds no point that keeps the rules");
}

std::vector<Point> Space::neighbours(const Point& point) const {
    std::vector<Point> found;
    const auto stepped = [this](Point from, std::size_t i, int step) {
        const int index = from[i] + step;
        const bool inside = index >= 0 && index < static_cast<int>(dimensions_[i].values.size());
        from[i] = static_cast<std::uint16_t>(inside ? index : from[i]);
        return from;
    };
    const auto add = [&](const Point& candidate) {
        if (candidate != point && feasible(candidate)) {
            found.push_back(candidate);
        }
    };
    for (std::size_t i = 0; i < point.size(); ++i) {
        for (const int step : {-1, 1}) {
            const Point one = stepped(point, i, step);
            if (one == point) {
                continue;
            }
            if (feasible(one)) {
                found.push_back(one);
                continue;
            }
            // A rule couples two: a tile and its share per work-item, a width and what it divides.
            for (std::size_t j = 0; j < point.size(); ++j) {
                for (const int other : {-1, 1}) {
                    if (j != i) {
                        add(stepped(one, j, other));
                    }
                }
            }
        }
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

Point Space::mutated(const Point& point, Random& random) const {
    constexpr int most_tries = 2000;
    for (int i = 0; i < most_tries; ++i) {
        Point other = point;
        for (std::size_t changes = 1 + below(random, 3); changes > 0; --changes) {
            change_one(other, dimensions_, random);
        }
        if (other != point && feasible(other)) {
            return other;
        }
    }
    return point;
}

// --- kernels -------------------------------------------------------------------------------------

Space kernel_space(const catalog::KernelEntry& kernel, const DeviceTraits& device,
                   const Restrictions& restrictions) {
    std::vector<Dimension> dimensions;
    for (const catalog::ParameterSpec& spec : kernel.parameters) {
        std::vector<int> values(spec.values.begin(), spec.values.end());
        if (const auto found = restrictions.find(spec.name); found != restrictions.end()) {
            values = found->second;
        }
        std::sort(values.begin(), values.end());
        dimensions.push_back({std::string(spec.name), std::move(values)});
    }
    auto feasible = [dimensions, &kernel, &device](const Point& point) {
        catalog::Parameters parameters;
        for (std::size_t i = 0; i < point.size(); ++i) {
            parameters.set(dimensions[i].name, dimensions[i].values[point[i]]);
        }
        return catalog::can_run(kernel, parameters, device);
    };
    // What registers, caches and schedulers see, beside the parameters.
    auto features = [dimensions, &kernel](const Point& point) {
        catalog::Parameters parameters;
        std::vector<double> values;
        for (std::size_t i = 0; i < point.size(); ++i) {
            const int value = dimensions[i].values[point[i]];
            parameters.set(dimensions[i].name, value);
            values.push_back(std::log2(value + 1.0));
        }
        const catalog::TileShape tile = kernel.tile(parameters);
        const double area = static_cast<double>(tile.m) * tile.n;
        values.push_back(std::log2(tile.work_items()));
        values.push_back(std::log2(area / tile.work_items() + 1));
        values.push_back(std::log2(area / (tile.m + tile.n) + 1));
        values.push_back(std::log2(static_cast<double>(tile.local_memory_bytes) / 1024 + 1));
        return values;
    };
    return {std::move(dimensions), std::move(feasible), std::move(features)};
}

void check_restrictions(const Restrictions& restrictions,
                        const std::vector<const catalog::KernelEntry*>& kernels,
                        const DeviceTraits& device) {
    for (const auto& [name, values] : restrictions) {
        bool is_known = false;
        bool can_run = false;
        for (const catalog::KernelEntry* kernel : kernels) {
            const bool has_it = kernel->find_parameter(name) != nullptr;
            is_known = is_known || has_it;
            can_run =
                can_run ||
                (has_it && kernel_space(*kernel, device, restrictions).count_feasible().points > 0);
        }
        if (!can_run) {
            std::string text = name;
            for (const int value : values) {
                text += (text == name ? '=' : ',') + std::to_string(value);
            }
            throw ArgumentError("--restrict", text,
                                is_known ? "must leave a kernel something that keeps its rules and "
                                           "the device's limits; --list --kernels NAME shows them"
                                         : "must name a parameter of the kernels that are tuned");
        }
    }
}

catalog::Parameters parameters_of(const Space& space, const Point& point) {
    catalog::Parameters parameters;
    for (std::size_t i = 0; i < point.size(); ++i) {
        parameters.set(space.dimensions()[i].name, space.value(point, i));
    }
    return parameters;
}

Point nearest_point(const Space& space, const catalog::Parameters& parameters) {
    Point point;
    for (const Dimension& dimension : space.dimensions()) {
        const int wanted = parameters.get_or(dimension.name, dimension.values.front());
        const auto nearest = std::ranges::min_element(dimension.values, {}, [wanted](int value) {
            return std::abs(std::log2((value + 1.0) / (wanted + 1.0)));
        });
        point.push_back(static_cast<std::uint16_t>(nearest - dimension.values.begin()));
    }
    return point;
}

std::vector<RuleShare> rule_shares(const catalog::KernelEntry& kernel, const DeviceTraits& device) {
    const Space space = kernel_space(kernel, device);
    constexpr int samples = 20'000;
    std::vector<RuleShare> shares;
    for (const catalog::Constraint& constraint : kernel.constraints) {
        Random random(1); // NOLINT(cert-msc32-c,cert-msc51-cpp): the same answer every time
        int broken = 0;
        for (int i = 0; i < samples; ++i) {
            const auto parameters = parameters_of(space, any_point(space.dimensions(), random));
            broken += constraint.holds(parameters) ? 0 : 1;
        }
        shares.push_back({std::string(constraint.reason), static_cast<double>(broken) / samples});
    }
    // What is left for the device's limits to exclude.
    Random random(1); // NOLINT(cert-msc32-c,cert-msc51-cpp): the same answer every time
    int lawful = 0;
    int excluded = 0;
    for (int i = 0; i < sample_size && lawful < samples; ++i) {
        const auto parameters = parameters_of(space, any_point(space.dimensions(), random));
        if (std::ranges::all_of(kernel.constraints,
                                [&](const auto& rule) { return rule.holds(parameters); })) {
            ++lawful;
            excluded += catalog::can_run(kernel, parameters, device) ? 0 : 1;
        }
    }
    shares.push_back({"of the rest: limits of the device (work-group, local and private memory, "
                      "vector size)",
                      lawful == 0 ? 0 : static_cast<double>(excluded) / lawful});
    return shares;
}

} // namespace libsgemm::tune
