// SPDX-License-Identifier: Apache-2.0
#include "support/reference.hpp"

#include <cmath>

namespace sgemm_test {
namespace {

/// Matrix number `matrix` as doubles, row by row.
std::vector<double> dense(const HostMatrix& host, std::int64_t matrix) {
    const Storage& storage = host.storage();
    std::vector<double> result;
    result.reserve(static_cast<std::size_t>(storage.rows * storage.columns));
    for (std::int64_t row = 0; row < storage.rows; ++row) {
        for (std::int64_t column = 0; column < storage.columns; ++column) {
            result.push_back(static_cast<double>(host.at(matrix, row, column)));
        }
    }
    return result;
}

/// sum += a * b[0 .. n), with magnitudes.
void accumulate(double a, const double* b, std::int64_t n, double* sum, double* magnitude) {
    for (std::int64_t column = 0; column < n; ++column) {
        const double product = a * b[column];
        sum[column] += product;
        magnitude[column] += std::fabs(product);
    }
}

struct Row {
    std::vector<double> sum, magnitude;
};

Row product_row(const std::vector<double>& a, const std::vector<double>& b, std::int64_t row,
                std::int64_t k, std::int64_t n) {
    Row result{std::vector<double>(static_cast<std::size_t>(n)),
               std::vector<double>(static_cast<std::size_t>(n))};
    for (std::int64_t p = 0; p < k; ++p) {
        accumulate(a[static_cast<std::size_t>(row * k + p)], b.data() + p * n, n, result.sum.data(),
                   result.magnitude.data());
    }
    return result;
}

} // namespace

Reference reference_gemm(float alpha, const HostMatrix& a, const HostMatrix& b, float beta,
                         const HostMatrix& c) {
    const Storage& storage = c.storage();
    const std::int64_t k = alpha == 0.0F ? 0 : a.storage().columns;
    const auto scale = static_cast<double>(alpha);
    const auto keep = static_cast<double>(beta);
    Reference result{storage.rows, storage.columns, {}};
    for (std::int64_t matrix = 0; matrix < storage.batch; ++matrix) {
        const std::vector<double> left = k == 0 ? std::vector<double>{} : dense(a, matrix);
        const std::vector<double> right = k == 0 ? std::vector<double>{} : dense(b, matrix);
        for (std::int64_t row = 0; row < storage.rows; ++row) {
            const Row products = product_row(left, right, row, k, storage.columns);
            for (std::int64_t column = 0; column < storage.columns; ++column) {
                const auto j = static_cast<std::size_t>(column);
                Expected element;
                if (k != 0) {
                    element.value = scale * products.sum[j];
                    element.magnitude = std::fabs(scale) * products.magnitude[j];
                }
                if (beta != 0.0F) {
                    const double old = keep * static_cast<double>(c.at(matrix, row, column));
                    element.value += old;
                    element.magnitude += std::fabs(old);
                }
                result.elements.push_back(element);
            }
        }
    }
    return result;
}

double error_bound(std::int64_t k, double magnitude) {
    return static_cast<double>(k + 4) * 0x1p-24 * magnitude;
}

bool acceptable(float result, const Expected& expected, std::int64_t k) {
    const auto got = static_cast<double>(result);
    if (std::isnan(expected.value)) {
        return std::isnan(got);
    }
    if (std::isinf(expected.value)) {
        return got == expected.value;
    }
    return std::fabs(got - expected.value) <= error_bound(k, expected.magnitude);
}

} // namespace sgemm_test
