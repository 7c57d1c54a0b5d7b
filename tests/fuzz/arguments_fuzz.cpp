// SPDX-License-Identifier: Apache-2.0
// Any problem is checked or refused with an ArgumentError; what was checked keeps its promises; two
// matrices are said to overlap exactly if an element-by-element look says so.
#include "doors/c/convert.hpp"
#include "fuzz/bytes.hpp"
#include "problem/overlap.hpp"
#include "problem/problem.hpp"
#include "sgemm/error.hpp"

#include <limits>
#include <string>
#include <vector>

namespace {

using libsgemm::validate::Stored;
using sgemm_fuzz::Bytes;
using sgemm_fuzz::require;

/// Small numbers, and numbers at which something may overflow.
std::int64_t take_size(Bytes& bytes) {
    const auto shape = bytes.take<std::uint8_t>();
    switch (shape % 4) {
    case 0:
    case 1:
        return bytes.take<std::uint8_t>() % 24;
    case 2: {
        const int shift = bytes.take<std::uint8_t>() % 64;
        const auto one = static_cast<std::int64_t>(std::uint64_t{1} << shift);
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(one) +
                                         bytes.take<std::uint8_t>() - 128U);
    }
    default:
        return bytes.take<std::int64_t>();
    }
}

std::int64_t take_step(Bytes& bytes) {
    return bytes.take<std::uint8_t>() % 3 == 0 ? libsgemm::tight : take_size(bytes);
}

sgemm_problem take_problem(Bytes& bytes) {
    sgemm_problem problem = SGEMM_PROBLEM_INIT;
    const auto bits = bytes.take<std::uint8_t>();
    problem.layout = bits & 1U ? SGEMM_ROW_MAJOR : SGEMM_COLUMN_MAJOR;
    problem.transpose_a = bits & 2U ? SGEMM_TRANSPOSE : SGEMM_NO_TRANSPOSE;
    problem.transpose_b = bits & 4U ? SGEMM_CONJUGATE_TRANSPOSE : SGEMM_NO_TRANSPOSE;
    if ((bits & 0xf8U) == 0xf8U) { // now and then what is no value of its type, or no size
        problem.struct_bytes = bytes.take<std::uint16_t>() % (2 * sizeof problem);
    }
    for (std::int64_t* size : {&problem.m, &problem.n, &problem.k, &problem.batch_count}) {
        *size = take_size(bytes);
    }
    for (std::int64_t* step : {&problem.lda, &problem.ldb, &problem.ldc, &problem.batch_stride_a,
                               &problem.batch_stride_b, &problem.batch_stride_c}) {
        *step = take_step(bytes);
    }
    return problem;
}

void check_promises(const Stored& stored) {
    require(stored.line >= 0 && stored.lines >= 0 && stored.batch >= 0 && stored.batch_stride >= 0);
    require(stored.ld >= 1 && stored.ld >= stored.line);
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 4;
    require(stored.extent() >= 0 && stored.extent() <= most);
}

constexpr std::int64_t small = 4096;

/// Elements by their places; only for small ones.
std::vector<int> places(const Stored& stored, std::int64_t offset, std::int64_t extent) {
    std::vector<int> taken(static_cast<std::size_t>(extent), 0);
    for (std::int64_t b = 0; b < stored.batch; ++b) {
        for (std::int64_t j = 0; j < stored.lines; ++j) {
            for (std::int64_t i = 0; i < stored.line; ++i) {
                ++taken[static_cast<std::size_t>(offset + b * stored.batch_stride + j * stored.ld +
                                                 i)];
            }
        }
    }
    return taken;
}

void check_overlap(const Stored& x, std::int64_t x_offset, const Stored& y, std::int64_t y_offset) {
    if (x.empty() || y.empty() || x.extent() > small || y.extent() > small || x.batch > 64 ||
        y.batch > 64) {
        return;
    }
    const std::int64_t extent = 2 * small + 256;
    const auto of_x = places(x, x_offset, extent);
    const auto of_y = places(y, y_offset, extent);
    bool meet = false;
    for (std::size_t i = 0; i < of_x.size(); ++i) {
        meet = meet || (of_x[i] > 0 && of_y[i] > 0);
    }
    require(libsgemm::validate::overlaps(x, x_offset, y, y_offset) == meet);
    bool meets_itself = false;
    for (const int count : of_x) {
        meets_itself = meets_itself || count > 1;
    }
    require(libsgemm::validate::overlaps_itself(x) == meets_itself);
}

void check(const sgemm_problem& given, Bytes& bytes) {
    const auto checked = libsgemm::validate::check_problem(libsgemm::c_api::problem_of(&given));
    for (const Stored* stored : {&checked.a, &checked.b, &checked.c}) {
        check_promises(*stored);
    }
    const auto& p = checked.canonical;
    require(p.m >= 0 && p.n >= 0 && p.k >= 0 && p.batch >= 0);
    require(p.c.major == libsgemm::validate::Major::mn && p.c.ld == checked.c.ld);
    check_overlap(checked.a, bytes.take<std::uint8_t>(), checked.c, bytes.take<std::uint8_t>());
    check_overlap(checked.c, bytes.take<std::uint8_t>(), checked.b, bytes.take<std::uint8_t>());
}

void read_options(Bytes bytes) {
    sgemm_plan_options options = SGEMM_PLAN_OPTIONS_INIT;
    options.edges = static_cast<sgemm_edges>(bytes.take<std::uint8_t>() % 8);
    options.split_k = bytes.take<std::int32_t>();
    options.peel = static_cast<sgemm_peel>(bytes.take<std::uint8_t>() % 4);
    const std::string text(bytes.rest());
    options.parameters = text.c_str();
    const auto read = libsgemm::c_api::plan_options_of(options);
    require(read.split_k == options.split_k);
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Bytes bytes(data, size);
    try {
        if (bytes.take<std::uint8_t>() % 4 == 3) {
            read_options(bytes);
        } else {
            const sgemm_problem problem = take_problem(bytes);
            check(problem, bytes);
        }
    } catch (const libsgemm::ArgumentError& error) {
        require(!error.argument().empty() && !error.rule().empty());
    }
    return 0;
}
