// SPDX-License-Identifier: Apache-2.0
#include "tune/model/choose_models.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <random>
#include <utility>

namespace sgemm::tune {
namespace {

constexpr int parts = 2;

/// Drawn, since neighbours in a campaign are alike.
std::vector<int> parts_of(const Campaign& campaign) {
    std::mt19937 random(1); // NOLINT(cert-msc32-c,cert-msc51-cpp): equal from run to run
    std::vector<int> drawn;
    drawn.reserve(campaign.shapes.size());
    for (std::size_t i = 0; i < campaign.shapes.size(); ++i) {
        drawn.push_back(static_cast<int>(random() >> 16U) % parts);
    }
    return drawn;
}

std::vector<ShapeRegret> blind_regrets(ModelSource source, const Campaign& campaign,
                                       const tables::DeviceTable& given,
                                       const DeviceTraits& device) {
    const std::vector<int> part_of = parts_of(campaign);
    std::vector<ShapeRegret> all;
    for (int part = 0; part < parts; ++part) {
        Campaign divided = campaign;
        for (std::size_t i = 0; i < part_of.size(); ++i) {
            divided.shapes[i].held_out = part_of[i] == part;
        }
        const auto table = models_from(source, divided, given, device);
        auto some = regrets(divided, table, device, ShapeSet::held_out);
        std::move(some.begin(), some.end(), std::back_inserter(all));
    }
    return all;
}

/// Logarithmic, per shape: of the mean no more than what is left when chance is taken off.
double sure_gain(const std::vector<ShapeRegret>& from, const std::vector<ShapeRegret>& to) {
    std::map<std::string, double> before;
    for (const ShapeRegret& regret : from) {
        before[regret.shape] = regret.regret;
    }
    std::vector<double> gains;
    for (const ShapeRegret& regret : to) {
        if (before.contains(regret.shape)) {
            gains.push_back(std::log(before[regret.shape] / regret.regret));
        }
    }
    if (gains.size() < 2) {
        return 0;
    }
    const auto count = static_cast<double>(gains.size());
    const double mean = std::accumulate(gains.begin(), gains.end(), 0.0) / count;
    double squares = 0;
    for (const double gain : gains) {
        squares += (gain - mean) * (gain - mean);
    }
    constexpr double standard_errors = 2;
    return mean - standard_errors * std::sqrt(squares / (count - 1) / count);
}

} // namespace

std::string to_string(ModelSource source) {
    switch (source) {
    case ModelSource::given:
        return "as given";
    case ModelSource::adjusted:
        return "adjusted";
    case ModelSource::fitted:
        break;
    }
    return "fitted";
}

ChosenModels choose_models(const Campaign& campaign, const tables::DeviceTable& given,
                           const DeviceTraits& device) {
    const auto given_regrets = blind_regrets(ModelSource::given, campaign, given, device);
    ChosenModels best{ModelSource::given, given_regrets};
    double most = 0;
    for (const ModelSource source : {ModelSource::adjusted, ModelSource::fitted}) {
        auto regrets = blind_regrets(source, campaign, given, device);
        const double gain = sure_gain(given_regrets, regrets);
        if (gain > most) {
            most = gain;
            best = {source, std::move(regrets)};
        }
    }
    return best;
}

tables::DeviceTable models_from(ModelSource source, const Campaign& campaign,
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
        // The table may be one for many devices; and what was measured of this one is memory, where passes over what
        // caches hold are several times as fast.
        options.bandwidth_doubt = 8;
    }
    return fit_table(campaign, given, device, options).table;
}

} // namespace sgemm::tune
