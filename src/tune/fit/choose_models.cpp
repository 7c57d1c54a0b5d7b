// SPDX-License-Identifier: Apache-2.0
#include "tune/fit/choose_models.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <random>
#include <utility>

namespace libsgemm::tune {
namespace {

constexpr int folds = 2;

/// "64x32x16" of "NT/64x32x16/ld...".
std::string extents_of(const std::string& shape) {
    const std::size_t begin = shape.find('/') + 1;
    return shape.substr(begin, shape.find('/', begin) - begin);
}

/// Drawn, since neighbours in a measurement run are alike.
std::vector<int> folds_of(const MeasurementRun& run) {
    std::mt19937 random(1); // NOLINT(cert-msc32-c,cert-msc51-cpp): equal from run to run
    std::map<std::string, int> fold_of;
    std::vector<int> drawn;
    drawn.reserve(run.shapes.size());
    for (const ShapeTimes& shape : run.shapes) {
        const int fold = static_cast<int>(random() >> 16U) % folds;
        drawn.push_back(fold_of.try_emplace(extents_of(shape.shape), fold).first->second);
    }
    return drawn;
}

/// Mean logarithmic gain at each of the extents that both can be compared at.
std::vector<double> gains(const std::vector<ShapeRegret>& from,
                          const std::vector<ShapeRegret>& to) {
    std::map<std::string, double> before;
    for (const ShapeRegret& regret : from) {
        if (regret.covered) {
            before[regret.shape] = regret.regret;
        }
    }
    std::map<std::string, std::vector<double>> by_extents;
    for (const ShapeRegret& regret : to) {
        if (regret.covered && before.contains(regret.shape)) {
            by_extents[extents_of(regret.shape)].push_back(
                std::log(before[regret.shape] / regret.regret));
        }
    }
    std::vector<double> means;
    means.reserve(by_extents.size());
    for (const auto& [extents, values] : by_extents) {
        means.push_back(std::accumulate(values.begin(), values.end(), 0.0) /
                        static_cast<double>(values.size()));
    }
    return means;
}

} // namespace

std::string to_string(ModelSource source) {
    switch (source) {
    case ModelSource::given:
        return "as given";
    case ModelSource::adjusted:
        return "adjusted";
    case ModelSource::refitted:
        break;
    }
    return "fitted";
}

tables::DeviceTable models_from(ModelSource source, const MeasurementRun& run,
                                const tables::DeviceTable& given, const DeviceTraits& device) {
    if (source == ModelSource::given) {
        return given;
    }
    FitOptions options;
    // Of a table that is tuned again and again it would be a row more each time.
    options.doubt_unmeasured = false;
    if (source == ModelSource::adjusted) {
        options.prior = Prior::given;
    } else {
        // The table may be one for many devices; and what was measured of this one is memory, where
        // passes over what caches hold are several times as fast.
        options.bandwidth_doubt = 8;
    }
    return fit_table(run, given, device, options).table;
}

std::vector<ShapeRegret> cross_validated_regrets(ModelSource source, const MeasurementRun& run,
                                                 const tables::DeviceTable& given,
                                                 const DeviceTraits& device) {
    const std::vector<int> fold_of = folds_of(run);
    std::vector<ShapeRegret> all;
    for (int fold = 0; fold < folds; ++fold) {
        MeasurementRun divided = run;
        for (std::size_t i = 0; i < fold_of.size(); ++i) {
            divided.shapes[i].held_out = fold_of[i] == fold;
        }
        const auto table = models_from(source, divided, given, device);
        auto some = regrets(divided, table, device, ShapeSet::held_out);
        std::move(some.begin(), some.end(), std::back_inserter(all));
    }
    return all;
}

double sure_gain(const std::vector<ShapeRegret>& from, const std::vector<ShapeRegret>& to) {
    constexpr std::size_t least = 8;
    constexpr double standard_errors = 2;
    const std::vector<double> values = gains(from, to);
    if (values.size() < least) {
        return 0;
    }
    const auto count = static_cast<double>(values.size());
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
    double squares = 0;
    for (const double gain : values) {
        squares += (gain - mean) * (gain - mean);
    }
    return mean - standard_errors * std::sqrt(squares / (count - 1) / count);
}

ModelSource choose_models(const MeasurementRun& run, const tables::DeviceTable& given,
                          const DeviceTraits& device) {
    const auto of_given = cross_validated_regrets(ModelSource::given, run, given, device);
    ModelSource best = ModelSource::given;
    double most = 0;
    for (const ModelSource source : {ModelSource::adjusted, ModelSource::refitted}) {
        const double gain =
            sure_gain(of_given, cross_validated_regrets(source, run, given, device));
        if (gain > most) {
            most = gain;
            best = source;
        }
    }
    return best;
}

} // namespace libsgemm::tune
