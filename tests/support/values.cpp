// SPDX-License-Identifier: Apache-2.0
#include "support/values.hpp"

#include <limits>
#include <ostream>

namespace sgemm_test {
namespace {

using Engine = std::mt19937_64;

// Not std::uniform_*_distribution: their results differ between standard libraries.
float uniform(Engine& engine) {
    const auto bits = static_cast<std::int32_t>(engine() >> 40U); // 24 bits
    return static_cast<float>(bits - (1 << 23)) * 0x1p-23F;
}

float small_integer(Engine& engine) {
    return static_cast<float>(engine() % 17U) - 8.0F;
}

float uniform_or_outlier(Engine& engine) {
    return engine() % 500U == 0 ? uniform(engine) * 0x1p9F : uniform(engine);
}

float uniform_or_zero(Engine& engine) {
    return engine() % 8U == 0 ? 0.0F : uniform(engine);
}

/// Few enough that most elements of a product stay finite.
void plant_specials(std::vector<float>& values, Engine& engine) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    for (const float special : {std::numeric_limits<float>::quiet_NaN(), infinity, -infinity}) {
        values[engine() % values.size()] = special;
    }
}

} // namespace

std::ostream& operator<<(std::ostream& out, Values values) {
    switch (values) {
    case Values::uniform:
        return out << "uniform";
    case Values::small_integers:
        return out << "small integers";
    case Values::outliers:
        return out << "with outliers";
    case Values::nan_and_inf:
        return out << "with NaN and Inf";
    case Values::all_nan:
        return out << "all NaN";
    }
    return out;
}

std::vector<float> make_values(Values values, std::int64_t count, std::uint64_t seed) {
    Engine engine(seed);
    std::vector<float> result(static_cast<std::size_t>(count));
    for (float& value : result) {
        switch (values) {
        case Values::uniform:
            value = uniform(engine);
            break;
        case Values::small_integers:
            value = small_integer(engine);
            break;
        case Values::outliers:
            value = uniform_or_outlier(engine);
            break;
        case Values::nan_and_inf:
            value = uniform_or_zero(engine);
            break;
        case Values::all_nan:
            value = std::numeric_limits<float>::quiet_NaN();
            break;
        }
    }
    if (values == Values::nan_and_inf && !result.empty()) {
        plant_specials(result, engine);
    }
    return result;
}

} // namespace sgemm_test
