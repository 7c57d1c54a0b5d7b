// SPDX-License-Identifier: Apache-2.0
#include "problem/problem.hpp"

#include "problem/overlap.hpp"
#include "sgemm/error.hpp"
#include "support/checked.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace libsgemm::validate {
namespace {

constexpr std::int64_t max_elements =
    std::numeric_limits<std::int64_t>::max() / static_cast<std::int64_t>(sizeof(float));

/// Every call is checked: text is only made where it is needed.
void require(bool holds, const char* argument, std::int64_t value, const char* rule) {
    if (!holds) {
        throw ArgumentError(argument, std::to_string(value), rule);
    }
}

/// Names of an operand's arguments, for messages.
struct Names {
    const char* matrix;
    const char* ld;
    const char* batch_stride;
};

std::int64_t resolve_ld(const Names& names, std::int64_t ld, std::int64_t line) {
    const std::int64_t least = std::max<std::int64_t>(1, line);
    if (ld == tight) {
        return least;
    }
    if (ld < least) {
        throw ArgumentError(names.ld, std::to_string(ld),
                            "must be at least " + std::to_string(least) +
                                ", the length of a stored column, or row where row-major");
    }
    return ld;
}

template <class Enumeration>
void require_enumerator(Enumeration value, Enumeration last, const char* argument,
                        const char* rule) {
    require(value <= last, argument, static_cast<int>(value), rule);
}

/// A line or line count of zero makes the whole operand empty; nothing can overflow then.
void check_extent(const Names& names, const Stored& stored) {
    if (stored.empty()) {
        return;
    }
    using support::checked_add;
    using support::checked_multiply;
    const auto matrix =
        checked_add(checked_multiply(stored.lines - 1, stored.ld), support::Count(stored.line));
    const auto whole = checked_add(checked_multiply(stored.batch - 1, stored.batch_stride), matrix);
    if (!whole || *whole > max_elements) {
        throw ArgumentError(names.matrix,
                            std::to_string(stored.line) + " x " + std::to_string(stored.lines) +
                                ", ld " + std::to_string(stored.ld) + ", batch " +
                                std::to_string(stored.batch),
                            "its extent in bytes must fit in 63 bits");
    }
}

std::int64_t resolve_stride(const Names& names, std::int64_t stride, const Stored& stored) {
    if (stored.batch <= 1) {
        return 0;
    }
    if (stride != tight) {
        require(stride >= 0, names.batch_stride, stride, "must not be negative");
        return stride;
    }
    const auto dense = support::checked_multiply(stored.lines, stored.ld);
    require(dense.has_value(), names.batch_stride, stored.ld, "ld times lines must fit in 63 bits");
    return *dense;
}

struct Shape {
    std::int64_t line;
    std::int64_t lines;
};

/// `is_used`: false where C is empty, so that nothing is touched: the arguments keep their rules,
/// but what they would extend to does not matter.
Stored check_operand(const Names& names, Shape shape, std::int64_t ld, std::int64_t batch,
                     std::int64_t stride, bool is_used) {
    Stored stored;
    stored.line = shape.line;
    stored.lines = is_used ? shape.lines : 0;
    stored.batch = batch;
    stored.ld = resolve_ld(names, ld, shape.line);
    stored.batch_stride = resolve_stride(names, stride, stored);
    check_extent(names, stored);
    return stored;
}

Operand canonical_operand(const Stored& stored, Major major, Vectors vectors) {
    const bool is_vector = stored.line == 1 && stored.ld == 1 && stored.lines > 1;
    if (is_vector && vectors == Vectors::one_line) {
        return {other(major), stored.lines, stored.batch_stride, 1};
    }
    return {major, stored.ld, stored.batch_stride, 1};
}

} // namespace

std::int64_t alignment_of(std::int64_t offset) {
    constexpr std::int64_t most = 64;
    return offset == 0 ? most : std::min<std::int64_t>(most, offset & -offset);
}

void check_values(const Problem& p) {
    require_enumerator(p.layout, Layout::row_major, "layout", "must be a value of Layout");
    for (const auto& [argument, transpose] :
         {std::pair{"transpose_a", p.transpose_a}, std::pair{"transpose_b", p.transpose_b}}) {
        require_enumerator(transpose, Transpose::yes, argument, "must be a value of Transpose");
    }
    require_enumerator(p.precision, Precision::strict, "precision", "must be a value of Precision");
    require(p.m >= 0, "m", p.m, "must not be negative");
    require(p.n >= 0, "n", p.n, "must not be negative");
    require(p.k >= 0, "k", p.k, "must not be negative");
    require(p.batch_count >= 0, "batch_count", p.batch_count, "must not be negative");
}

CheckedProblem check_problem(const Problem& p, Vectors vectors) {
    check_values(p);
    const bool row_major = p.layout == Layout::row_major;
    const bool plain_a = p.transpose_a == Transpose::no;
    const bool plain_b = p.transpose_b == Transpose::no;
    const Shape shape_a = plain_a != row_major ? Shape{p.m, p.k} : Shape{p.k, p.m};
    const Shape shape_b = plain_b != row_major ? Shape{p.k, p.n} : Shape{p.n, p.k};
    const Shape shape_c = row_major ? Shape{p.n, p.m} : Shape{p.m, p.n};

    const bool is_used = p.m > 0 && p.n > 0 && p.batch_count > 0;
    CheckedProblem checked;
    checked.a = check_operand({"A", "lda", "batch_stride_a"}, shape_a, p.lda, p.batch_count,
                              p.batch_stride_a, is_used);
    checked.b = check_operand({"B", "ldb", "batch_stride_b"}, shape_b, p.ldb, p.batch_count,
                              p.batch_stride_b, is_used);
    checked.c = check_operand({"C", "ldc", "batch_stride_c"}, shape_c, p.ldc, p.batch_count,
                              p.batch_stride_c, is_used);
    require(!overlaps_itself(checked.c), "batch_stride_c", checked.c.batch_stride,
            "matrices of the batch in C must not overlap");

    // Row-major C = op(A) op(B) is column-major C^T = op(B)^T op(A)^T: what the caller calls B
    // comes first, and each operand's memory is read as its own transpose, so the flags stay.
    CanonicalProblem& canonical = checked.canonical;
    canonical.batch = p.batch_count;
    canonical.k = p.k;
    canonical.m = row_major ? p.n : p.m;
    canonical.n = row_major ? p.m : p.n;
    canonical.operands_swapped = row_major;
    canonical.precision = p.precision == Precision::automatic ? Precision::strict : p.precision;
    const bool plain_first = row_major ? plain_b : plain_a;
    const bool plain_second = row_major ? plain_a : plain_b;
    canonical.a = canonical_operand(row_major ? checked.b : checked.a,
                                    plain_first ? Major::mn : Major::k, vectors);
    canonical.b = canonical_operand(row_major ? checked.a : checked.b,
                                    plain_second ? Major::k : Major::mn, vectors);
    canonical.c = canonical_operand(checked.c, Major::mn, Vectors::as_given);
    return checked;
}

} // namespace libsgemm::validate
