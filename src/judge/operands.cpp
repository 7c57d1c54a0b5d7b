// SPDX-License-Identifier: Apache-2.0
#include "judge/operands.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace libsgemm::judge {
namespace {

/// SplitMix64 (Steele, Lea, Flood 2014) at a position of its sequence: the same numbers everywhere.
std::uint64_t random_bits(std::uint64_t position) {
    std::uint64_t z = position * 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}

/// Odd multiples of 2^-24 between -1 and 1: symmetric, exact in a float, never zero.
float to_uniform(std::uint64_t bits) {
    const auto odd = static_cast<std::int32_t>((bits >> 40) << 1) + 1;
    return static_cast<float>(odd - (1 << 24)) * 0x1p-24F;
}

/// Box and Muller 1958.
float to_normal(std::uint64_t bits) {
    const double radius = std::abs(static_cast<double>(to_uniform(bits)));
    const double angle = std::numbers::pi * static_cast<double>(to_uniform(random_bits(bits)));
    return static_cast<float>(std::sqrt(-2.0 * std::log(radius)) * std::cos(angle));
}

float to_value(std::uint64_t bits, Values values) {
    switch (values) {
    case Values::positive:
        return std::abs(to_uniform(bits));
    case Values::normal:
        return to_normal(bits);
    default:
        return to_uniform(bits);
    }
}

} // namespace

void extend(std::vector<float>& matrix, std::size_t count, std::uint64_t seed, Values values) {
    matrix.reserve(count);
    const std::uint64_t begin = random_bits(seed) + 1;
    while (matrix.size() < count) {
        matrix.push_back(to_value(random_bits(begin + matrix.size()), values));
    }
}

Operands::Operands(const std::vector<Shape>& shapes, std::uint64_t seed, Values values)
    : seed_(seed), values_(values) {
    for (const Shape& shape : shapes) {
        size_a_ = std::max(size_a_, shape.elements_a());
        size_b_ = std::max(size_b_, shape.elements_b());
        size_c_ = std::max(size_c_, shape.elements_c());
    }
}

const std::vector<float>& Operands::filled(std::vector<float>& matrix, std::int64_t size,
                                           std::uint64_t stream) const {
    if (matrix.empty()) {
        extend(matrix, static_cast<std::size_t>(size), seed_ ^ (stream << 56), values_);
    }
    return matrix;
}

} // namespace libsgemm::judge
