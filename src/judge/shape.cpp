// SPDX-License-Identifier: Apache-2.0
#include "judge/shape.hpp"

#include "support/text.hpp"

#include <regex>

namespace libsgemm::judge {
namespace {

bool parse_transpose(char letter, std::string_view op) {
    if (letter != 'N' && letter != 'T') {
        throw UsageError("op must be NN, NT, TN or TT, not '" + std::string(op) + "'");
    }
    return letter == 'T';
}

void require_size(const char* name, std::int64_t value) {
    if (value < 1) {
        throw UsageError(std::string(name) + " must be at least 1, not " + std::to_string(value));
    }
    // Keeps every product of two sizes, and so every extent in bytes, within 64 bits.
    constexpr std::int64_t largest = std::int64_t{1} << 30;
    if (value > largest) {
        throw UsageError(std::string(name) + " must be at most 2^30, not " + std::to_string(value));
    }
}

void require_leading_dimension(const char* name, std::int64_t value, std::int64_t rows) {
    require_size(name, value);
    if (value < rows) {
        throw UsageError(std::string(name) + " must be at least " + std::to_string(rows) +
                         ", the rows of the stored matrix, not " + std::to_string(value));
    }
}

std::int64_t to_integer(const std::string& digits) {
    const auto value = support::parse_number<std::int64_t>(digits);
    if (!value) {
        throw UsageError("not a size: '" + digits + "'");
    }
    return *value;
}

} // namespace

double Shape::flops() const {
    return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
}

bool Shape::has_gaps() const {
    return lda != rows_a() || ldb != rows_b() || ldc != m;
}

Shape make_shape(std::string_view op, std::int64_t m, std::int64_t n, std::int64_t k) {
    if (op.size() != 2) {
        throw UsageError("op must be NN, NT, TN or TT, not '" + std::string(op) + "'");
    }
    Shape shape;
    shape.transpose_a = parse_transpose(op[0], op);
    shape.transpose_b = parse_transpose(op[1], op);
    require_size("M", m);
    require_size("N", n);
    require_size("K", k);
    shape.m = m;
    shape.n = n;
    shape.k = k;
    return with_leading_dimensions(shape, shape.rows_a(), shape.rows_b(), m);
}

Shape with_leading_dimensions(Shape shape, std::int64_t lda, std::int64_t ldb, std::int64_t ldc) {
    require_leading_dimension("lda", lda, shape.rows_a());
    require_leading_dimension("ldb", ldb, shape.rows_b());
    require_leading_dimension("ldc", ldc, shape.m);
    shape.lda = lda;
    shape.ldb = ldb;
    shape.ldc = ldc;
    return shape;
}

std::string op_name(const Shape& shape) {
    return {shape.transpose_a ? 'T' : 'N', shape.transpose_b ? 'T' : 'N'};
}

std::string shape_name(const Shape& shape) {
    std::string name = op_name(shape) + '/' + std::to_string(shape.m) + 'x' +
                       std::to_string(shape.n) + 'x' + std::to_string(shape.k);
    if (shape.has_gaps()) {
        name += "/ld" + std::to_string(shape.lda) + ',' + std::to_string(shape.ldb) + ',' +
                std::to_string(shape.ldc);
    }
    return name;
}

Shape parse_shape_name(const std::string& name) {
    static const std::regex pattern(
        "([A-Z]+)/([0-9]+)x([0-9]+)x([0-9]+)(?:/ld([0-9]+),([0-9]+),([0-9]+))?");
    std::smatch part;
    if (!std::regex_match(name, part, pattern)) {
        throw UsageError("'" + name + "' is not of the form NT/64x32x16 or NT/64x32x16/ld80,40,64");
    }
    const Shape shape =
        make_shape(part[1].str(), to_integer(part[2]), to_integer(part[3]), to_integer(part[4]));
    return part[5].matched ? with_leading_dimensions(shape, to_integer(part[5]),
                                                     to_integer(part[6]), to_integer(part[7]))
                           : shape;
}

} // namespace libsgemm::judge
