// SPDX-License-Identifier: Apache-2.0
#include "device/emulated_numbers.hpp"

#include <algorithm>
#include <cmath>

namespace sgemm_test::emulated {

std::vector<Distribution> ordinary() {
    const Element uniform = [](Random& r, auto, auto) { return r.between(-1, 1); };
    const Element positive = [](Random& r, auto, auto) { return r.unit(); };
    const Element normal = [](Random& r, auto, auto) { return r.normal(); };
    const Element rectified = [](Random& r, auto, auto) { return std::max(0.0, r.normal()); };
    const Element graded_rows = [](Random& r, std::int64_t row, auto) {
        return std::ldexp(r.between(-1, 1), static_cast<int>(row % 41) - 20);
    };
    const Element outliers = [](Random& r, auto, std::int64_t p) {
        return r.normal() * (p % 97 == 5 ? 60 : 1);
    };
    const Element integers = [](Random& r, auto, auto) { return r.integer(-100, 100); };
    const Element identity = [](Random&, std::int64_t row, std::int64_t p) {
        return row == p ? 3.0 : 0.0;
    };
    const Element zeros = [](Random&, std::int64_t row, auto) { return row % 3 == 0 ? 0.0 : 1.5; };
    return {{"uniform", uniform, uniform},
            {"positive", positive, positive},
            {"normal", normal, normal},
            {"rectified", rectified, normal},
            {"graded rows", graded_rows, graded_rows},
            {"outliers", outliers, normal},
            {"integers", integers, integers},
            {"identity", identity, integers},
            {"zero rows", zeros, uniform},
            {"tiny", [](Random& r, auto, auto) { return r.between(-1, 1) * 0x1p-20; }, uniform}};
}

std::vector<Distribution> hostile() {
    const auto wide = [](int range) {
        return [range](Random& r, auto, auto) {
            return r.sign() * std::exp2(r.between(-range, range));
        };
    };
    const auto scaled_by_k = [](int direction) {
        return [direction](Random& r, auto, std::int64_t p) {
            return std::ldexp(r.between(-1, 1), direction * (static_cast<int>(p * 37 % 61) - 30));
        };
    };
    const Element checkerboard = [](Random& r, std::int64_t row, std::int64_t p) {
        return std::ldexp(r.between(0.5, 1), (row + p) % 2 == 0 ? 30 : -30);
    };
    const auto one_large = [](std::int64_t at) {
        return [at](Random& r, auto, std::int64_t p) {
            return p == at ? 1.0 : r.between(-1, 1) * 0x1p-22;
        };
    };
    const auto half = [](bool first) { // large where the other operand is small
        return [first](Random& r, auto, std::int64_t p) {
            return r.between(0.5, 1) * ((p % 2 == 0) == first ? 1 : 0x1p-20);
        };
    };
    const Element subnormal = [](Random& r, auto, auto) { return r.between(-1, 1) * 0x1p-130; };
    const Element ones = [](Random& r, auto, auto) { return r.between(-1, 1); };
    const Element huge = [](Random& r, auto, auto) { return r.between(-1, 1) * 0x1p120; };
    const Element small = [](Random& r, auto, auto) { return r.between(-1, 1) * 0x1p-110; };
    const Element alternating = [](Random& r, auto, std::int64_t p) {
        return (p % 2 == 0 ? 1 : -1) * (1 + r.unit() * 0x1p-12);
    };
    const Element constant = [](Random&, auto, auto) { return 1.0; };
    const Element vanishing = [](Random&, auto, std::int64_t p) { // zero once its row is scaled
        return p == 0 ? 0x1p60 : 0x1p-110;
    };
    const Element not_first = [](Random&, auto, std::int64_t p) { return p == 0 ? 0.0 : 1.0; };
    const Element sparse = [](Random& r, auto, auto) {
        return r.integer(0, 20) == 0 ? r.normal() : 0.0;
    };
    return {{"wide", wide(29), wide(29)},
            {"widest", wide(120), wide(5)},
            {"columns of A against rows of B", scaled_by_k(1), scaled_by_k(-1)},
            {"graded columns", scaled_by_k(1), ones},
            {"checkerboard", checkerboard, checkerboard},
            {"one large", one_large(3), one_large(4)},
            {"large against small", half(true), half(false)},
            {"subnormal", subnormal, ones},
            {"near overflow", huge, small},
            {"near overflow, both signs of exponent", huge, subnormal},
            {"vanishing", vanishing, not_first},
            {"cancellation", alternating, constant},
            {"sparse", sparse, ones},
            {"sparse both", sparse, sparse}};
}

} // namespace sgemm_test::emulated
