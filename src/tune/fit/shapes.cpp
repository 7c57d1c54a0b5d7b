// SPDX-License-Identifier: Apache-2.0
#include "tune/fit/shapes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace libsgemm::tune {
namespace {

using judge::Shape;

/// The same numbers on every platform: the standard fixes engines but not distributions.
class Dice {
public:
    explicit Dice(std::uint64_t seed) : state_(seed) {}

    std::uint64_t bits() { // SplitMix64 (public domain)
        state_ += 0x9e3779b97f4a7c15U;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
        return z ^ (z >> 31U);
    }
    double unit() { return static_cast<double>(bits() >> 11U) * 0x1p-53; }
    bool chance(double probability) { return unit() < probability; }
    template <class Choices>
    auto pick(const Choices& choices) {
        return choices[bits() % std::size(choices)];
    }
    /// Log-uniform in [least, most].
    std::int64_t extent(double least, double most) {
        return std::llround(least * std::pow(std::max(1.0, most / least), unit()));
    }

private:
    std::uint64_t state_;
};

std::int64_t rounded(std::int64_t value, std::int64_t step) {
    return std::max(step, (value + step / 2) / step * step);
}

void set_op(Shape& shape, std::uint64_t bits) {
    shape.transpose_a = (bits & 1U) != 0;
    shape.transpose_b = (bits & 2U) != 0;
}

Shape sized(std::int64_t m, std::int64_t n, std::int64_t k) {
    Shape shape;
    shape.m = m;
    shape.n = n;
    shape.k = k;
    return shape;
}

Shape square(Dice& dice, double size) {
    constexpr std::array<std::int64_t, 4> steps{16, 32, 64, 128};
    const std::int64_t n = rounded(dice.extent(size / 48, size), dice.pick(steps));
    Shape shape = sized(n, n, n);
    set_op(shape, dice.bits());
    return shape;
}

/// Near a power of two, or anything.
std::int64_t odd_extent(Dice& dice, double size) {
    if (dice.chance(0.4)) {
        const double power = std::exp2(std::floor(std::log2(size) - 5 * dice.unit()));
        constexpr std::array<std::int64_t, 5> offsets{-1, 1, 3, -3, 2};
        return static_cast<std::int64_t>(power) + dice.pick(offsets);
    }
    return dice.extent(size / 32, size);
}

Shape odd(Dice& dice, double size) {
    Shape shape;
    shape.m = odd_extent(dice, size);
    const bool cube = dice.chance(0.4);
    shape.n = cube ? shape.m : odd_extent(dice, size);
    shape.k = cube ? shape.m : odd_extent(dice, size);
    set_op(shape, dice.bits());
    return shape;
}

Shape skinny(Dice& dice, double size) {
    const std::int64_t thin = dice.extent(1, 64);
    const std::int64_t wide = dice.extent(size / 16, 4 * size);
    const std::int64_t other = dice.extent(size / 16, 2 * size);
    Shape shape;
    switch (dice.bits() % 4) {
    case 0:
        shape = sized(thin, wide, other);
        break;
    case 1:
        shape = sized(wide, thin, other);
        break;
    case 2:
        shape = sized(rounded(wide, 16), rounded(other, 16), thin);
        break;
    default:
        shape = sized(4 * wide, thin, dice.extent(8, 128));
        break;
    }
    set_op(shape, dice.bits());
    return shape;
}

Shape deep(Dice& dice, double size) {
    const std::int64_t m = dice.extent(size / 256, size / 8);
    const std::int64_t n = dice.chance(0.5) ? m : dice.extent(size / 256, size / 8);
    const std::int64_t step = dice.chance(0.6) ? 16 : 1;
    Shape shape =
        sized(rounded(m, step), rounded(n, step), rounded(dice.extent(size, 16 * size), step));
    set_op(shape, dice.bits());
    return shape;
}

Shape llm(Dice& dice, double size) {
    constexpr std::array<int, 11> widths{768,  1024, 2048,  2304,  3072, 4096,
                                         5120, 8192, 11008, 12288, 14336};
    const double scale = size / 4096;
    const auto width = [&] {
        return rounded(static_cast<std::int64_t>(scale * dice.pick(widths)), 64);
    };
    const std::int64_t tokens = dice.extent(1, size / 2);
    const bool aligned = dice.chance(0.5);
    Shape shape = sized(width(), aligned ? rounded(tokens, 8) : tokens, width());
    if (dice.chance(0.15)) { // a head's scores or values
        shape.k = 128;
    }
    set_op(shape, dice.chance(0.8) ? 1 : dice.bits());
    return shape;
}

Shape conv(Dice& dice, double size) {
    constexpr std::array<std::int64_t, 5> sides{7, 14, 28, 56, 112};
    constexpr std::array<std::int64_t, 7> channels{32, 64, 128, 256, 512, 1024, 2048};
    constexpr std::array<std::int64_t, 4> filters{1, 9, 9, 49};
    constexpr std::array<std::int64_t, 4> batches{1, 1, 4, 16};
    const bool small = size < 4096;
    const std::int64_t side = sides[dice.bits() % (small ? 3 : 5)];
    const std::int64_t filter = dice.pick(filters);
    const std::int64_t pixels = side * side * (small ? 1 : dice.pick(batches));
    const std::int64_t out = channels[dice.bits() % (small ? 4 : 7)];
    const std::int64_t in = filter * (filter == 49 ? 3 : channels[dice.bits() % (small ? 4 : 6)]);
    Shape shape = sized(pixels, out, in);
    if (dice.chance(0.2)) { // the gradient of the weights
        shape = sized(in, out, pixels);
        set_op(shape, 1);
    } else if (dice.chance(0.2)) { // of the input
        shape = sized(pixels, in, out);
        set_op(shape, 2);
    }
    return shape;
}

Shape ld1024(Dice& dice, double size) {
    constexpr std::array<std::int64_t, 3> gaps{0, 16, 32};
    const auto extent = [&] { return rounded(dice.extent(size / 8, size), 64); };
    const std::int64_t n = extent();
    Shape shape = dice.chance(0.5) ? sized(n, n, n) : sized(extent(), extent(), extent());
    set_op(shape, dice.bits());
    const std::int64_t gap = dice.pick(gaps);
    const auto ld = [&](std::int64_t rows) { return (rows + 1023) / 1024 * 1024 + gap; };
    shape.lda = ld(shape.rows_a());
    shape.ldb = ld(shape.rows_b());
    shape.ldc = ld(shape.m);
    return shape;
}

struct SuiteDraw {
    const char* name;
    Shape (*draw)(Dice&, double);
};

constexpr std::array<SuiteDraw, 7> suites{{{"square", square},
                                           {"odd", odd},
                                           {"skinny", skinny},
                                           {"deep", deep},
                                           {"llm", llm},
                                           {"conv", conv},
                                           {"ld1024", ld1024}}};

bool is_affordable(const Shape& p, double most_flops) {
    const auto m = static_cast<double>(p.m);
    const auto n = static_cast<double>(p.n);
    const auto k = static_cast<double>(p.k);
    const double most_elements = most_flops / 2048; // 256 MB each for a cube of 4096
    return p.m > 0 && p.n > 0 && p.k > 0 && 2 * m * n * k <= most_flops &&
           std::max({m * k, k * n, m * n}) <= most_elements;
}

} // namespace

std::vector<DrawnShape> draw_shapes(const ShapeDraw& draw) {
    constexpr int all_turns = 2 * static_cast<int>(suites.size()); // of both kinds
    const auto size = static_cast<double>(draw.size);
    const double most_flops = 2 * size * size * size;
    // Two streams: how many fitted shapes there are does not change the held-out ones.
    std::array<Dice, 2> dice{Dice(2 * draw.seed), Dice(2 * draw.seed + 1)};
    std::set<std::string> known;
    std::vector<DrawnShape> shapes;
    constexpr int patience = 1000; // draws that bring nothing new: a suite may have no more
    int in_vain = 0;
    std::size_t passed_over = 0; // and is passed over
    while (static_cast<int>(shapes.size()) < draw.count && in_vain < patience * all_turns) {
        const std::size_t index = shapes.size() + passed_over;
        const bool held_out = index % 2 == 1;
        const SuiteDraw& suite = suites[index / 2 % suites.size()];
        Shape shape = suite.draw(dice[held_out ? 1 : 0], size);
        shape.lda = std::max(shape.lda, shape.rows_a()); // where a suite has none of its own
        shape.ldb = std::max(shape.ldb, shape.rows_b());
        shape.ldc = std::max(shape.ldc, shape.m);
        if (is_affordable(shape, most_flops) && known.insert(shape_name(shape)).second) {
            shapes.push_back({suite.name, held_out, shape});
            in_vain = 0;
        } else if (++in_vain % patience == 0) {
            ++passed_over;
        }
    }
    return shapes;
}

} // namespace libsgemm::tune
