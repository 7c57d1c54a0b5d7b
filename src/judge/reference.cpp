// SPDX-License-Identifier: Apache-2.0
#include "judge/reference.hpp"

#include "support/text_stream.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <set>

namespace libsgemm::judge {
namespace {

constexpr std::uint32_t poison_bits = 0x7FC0DEADU;

/// `count` vectors of length k, one behind the other, out of a stored matrix.
std::vector<float> gather(const float* matrix, std::int64_t ld, bool along_columns,
                          const std::vector<std::int64_t>& indices, std::int64_t k) {
    std::vector<float> packed;
    packed.reserve(indices.size() * static_cast<std::size_t>(k));
    for (const std::int64_t index : indices) {
        for (std::int64_t p = 0; p < k; ++p) {
            packed.push_back(along_columns ? matrix[index * ld + p] : matrix[p * ld + index]);
        }
    }
    return packed;
}

struct Dot {
    double value = 0.0;
    double magnitude = 0.0; ///< the same sum over absolute values
};

Dot dot(const float* x, const float* y, std::int64_t k) {
    Dot sum;
    for (std::int64_t p = 0; p < k; ++p) {
        const double product = static_cast<double>(x[p]) * static_cast<double>(y[p]);
        sum.value += product;
        sum.magnitude += std::abs(product);
    }
    return sum;
}

std::string at(std::int64_t row, std::int64_t column) {
    return "at (" + std::to_string(row) + ", " + std::to_string(column) + ")";
}

/// Elements that a call must write and did not, and gaps that it must not write and did.
std::string check_coverage(const Shape& shape, const float* c) {
    for (std::int64_t j = 0; j < shape.n; ++j) {
        const float* column = c + j * shape.ldc;
        for (std::int64_t i = 0; i < shape.m; ++i) {
            if (std::isnan(column[i])) {
                return "C is NaN or was not written " + at(i, j);
            }
        }
        for (std::int64_t i = shape.m; i < shape.ldc; ++i) {
            if (!is_poison(column[i])) {
                return "wrote beyond C's column " + at(i, j);
            }
        }
    }
    return {};
}

} // namespace

float poison() {
    return std::bit_cast<float>(poison_bits);
}

bool is_poison(float value) {
    return std::bit_cast<std::uint32_t>(value) == poison_bits;
}

double error_bound(std::int64_t k, double magnitude) {
    return static_cast<double>(k + 4) * 0x1p-24 * magnitude;
}

Reference::Reference(const Workload& workload, const float* a, const float* b, const float* c,
                     std::vector<std::int64_t> rows, std::vector<std::int64_t> columns)
    : shape_(workload.shape), rows_(std::move(rows)), columns_(std::move(columns)) {
    const std::int64_t k = shape_.k;
    const auto op_a = gather(a, shape_.lda, shape_.transpose_a, rows_, k);
    const auto op_b = gather(b, shape_.ldb, !shape_.transpose_b, columns_, k);
    const double alpha = workload.alpha;
    const double beta = workload.beta;
    for (std::size_t j = 0; j < columns_.size(); ++j) {
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            const auto stride = static_cast<std::size_t>(k);
            const Dot sum = dot(op_a.data() + i * stride, op_b.data() + j * stride, k);
            const double before =
                beta == 0.0 ? 0.0 : static_cast<double>(c[columns_[j] * shape_.ldc + rows_[i]]);
            values_.push_back(alpha * sum.value + beta * before);
            bounds_.push_back(
                error_bound(k, std::abs(alpha) * sum.magnitude + std::abs(beta * before)));
        }
    }
}

std::string Reference::check(const float* c, Errors& errors) const {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    errors = {infinity, infinity};
    if (std::string problem = check_coverage(shape_, c); !problem.empty()) {
        return problem;
    }
    errors = {};
    double squares = 0.0, squares_of_errors = 0.0;
    std::int64_t worst_row = 0;
    std::int64_t worst_column = 0;
    for (std::size_t index = 0; index < values_.size(); ++index) {
        const std::int64_t row = rows_[index % rows_.size()];
        const std::int64_t column = columns_[index / rows_.size()];
        const double got = c[column * shape_.ldc + row];
        const double difference = std::abs(got - values_[index]);
        const double error = difference == 0.0 ? 0.0 : difference / bounds_[index];
        squares += values_[index] * values_[index];
        squares_of_errors += difference * difference;
        if (error > errors.largest) {
            errors.largest = error;
            worst_row = row;
            worst_column = column;
        }
    }
    errors.frobenius = squares > 0.0 ? std::sqrt(squares_of_errors / squares) : 0.0;
    if (errors.largest <= 1.0) {
        return {};
    }
    support::TextWriter message;
    message << "error is " << errors.largest << " times the bound " << at(worst_row, worst_column);
    return message.str();
}

std::vector<std::int64_t> sample_indices(std::int64_t extent, std::int64_t count,
                                         std::uint64_t seed) {
    if (count >= extent) {
        std::vector<std::int64_t> all(static_cast<std::size_t>(extent));
        std::iota(all.begin(), all.end(), std::int64_t{0});
        return all;
    }
    std::set<std::int64_t> chosen{0, extent - 1};
    std::mt19937_64 random(seed);
    while (static_cast<std::int64_t>(chosen.size()) < count) {
        chosen.insert(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(extent)));
    }
    return {chosen.begin(), chosen.end()};
}

} // namespace libsgemm::judge
