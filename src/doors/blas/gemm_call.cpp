// SPDX-License-Identifier: Apache-2.0
#include "doors/blas/gemm_call.hpp"

#include <algorithm>

namespace libsgemm::blas {
namespace {

/// Element (row, column) of op(X).
float element(const float* x, std::int64_t ld, bool transposed, std::int64_t row,
              std::int64_t column) {
    return transposed ? x[row * ld + column] : x[column * ld + row];
}

/// beta == 0 overwrites whatever C holds.
void scale_column(const GemmCall& call, float* column) {
    for (std::int64_t i = 0; i < call.m; ++i) {
        column[i] = call.beta == 0 ? 0 : call.beta * column[i];
    }
}

void add_column(const GemmCall& call, std::int64_t j, float* column) {
    for (std::int64_t p = 0; p < call.k; ++p) {
        const float factor = call.alpha * element(call.b, call.ldb, call.transpose_b, p, j);
        for (std::int64_t i = 0; i < call.m; ++i) {
            column[i] += factor * element(call.a, call.lda, call.transpose_a, i, p);
        }
    }
}

} // namespace

int first_wrong_argument(const GemmCall& call) noexcept {
    const auto too_short = [](std::int64_t ld, std::int64_t rows) {
        return ld < std::max<std::int64_t>(1, rows);
    };
    if (call.m < 0) {
        return 3;
    }
    if (call.n < 0) {
        return 4;
    }
    if (call.k < 0) {
        return 5;
    }
    if (too_short(call.lda, call.transpose_a ? call.k : call.m)) {
        return 8;
    }
    if (too_short(call.ldb, call.transpose_b ? call.n : call.k)) {
        return 10;
    }
    return too_short(call.ldc, call.m) ? 13 : 0;
}

bool changes_nothing(const GemmCall& call) noexcept {
    return call.m == 0 || call.n == 0 || ((call.alpha == 0 || call.k == 0) && call.beta == 1);
}

double square_equivalent(const GemmCall& call) noexcept {
    const auto m = static_cast<double>(call.m);
    const auto n = static_cast<double>(call.n);
    const auto k = static_cast<double>(call.k);
    const double moved = m * k + k * n + 2 * m * n; // C goes there and back
    return moved > 0 ? 4 * m * n * k / moved : 0;
}

void multiply_plainly(const GemmCall& call) noexcept {
    for (std::int64_t j = 0; j < call.n; ++j) {
        float* const column = call.c + j * call.ldc;
        scale_column(call, column);
        if (call.alpha != 0) {
            add_column(call, j, column);
        }
    }
}

} // namespace libsgemm::blas
