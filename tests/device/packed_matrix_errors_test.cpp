// SPDX-License-Identifier: Apache-2.0
// Packed operands used wrongly: an ArgumentError that says what is wrong, and nothing is enqueued.
#include "device/packed_fixture.hpp"

#include <functional>
#include <utility>
#include <vector>

namespace sgemm_test::packed {
namespace {

struct WrongUse {
    const char* name;
    const char* argument;
    const char* part; ///< of the message
    std::function<void(libsgemm::Problem&)> spoil;
};

TEST_P(Packed, AnotherProblemIsAnArgumentError) {
    const std::vector<WrongUse> uses = {
        {"rows", "A", "extents", [](libsgemm::Problem& p) { --p.m; }},
        {"depth", "A", "extents", [](libsgemm::Problem& p) { --p.k; }},
        {"op", "A", "transposed",
         [](libsgemm::Problem& p) { p.transpose_a = libsgemm::Transpose::yes; }},
        {"layout", "A", "row-major",
         [](libsgemm::Problem& p) { p.layout = libsgemm::Layout::row_major; }},
        {"precision", "A", "tf32x3", [](libsgemm::Problem& p) { p.precision = Precision::tf32x3; }},
        {"no precision", "precision", "value of Precision",
         [](libsgemm::Problem& p) { p.precision = static_cast<Precision>(17); }},
        {"batch", "A", "matrices", [](libsgemm::Problem& p) { p.batch_count = 3; }},
    };
    Case c = make_case({20, 20, 128}, all_forms()[0]);
    c.problem.batch_count = 2;
    CaseData data(device(), c);
    const PackedMatrix a = pack(data, Operand::a);
    for (const WrongUse& use : uses) {
        libsgemm::Problem problem = c.problem;
        use.spoil(problem);
        const auto before = library().statistics().kernels_enqueued;
        try {
            library().gemm(queue(), problem, 1.0F, a, data.b(), 0.0F, data.c());
            ADD_FAILURE() << use.name << " is accepted";
        } catch (const libsgemm::ArgumentError& error) {
            EXPECT_EQ(error.argument(), use.argument) << use.name;
            EXPECT_NE(std::string(error.what()).find(use.part), std::string::npos) << error.what();
        }
        EXPECT_EQ(library().statistics().kernels_enqueued, before);
    }
    EXPECT_TRUE(data.untouched(queue()));
}

TEST_P(Packed, AnotherPlaceContextOrNothingIsAnArgumentError) {
    const Case c = make_case({20, 20, 128}, all_forms()[0]);
    CaseData data(device(), c);
    PackedMatrix a = pack(data, Operand::a);
    const auto expect_error = [&](const char* argument, const char* part, const auto& call) {
        try {
            call();
            ADD_FAILURE() << part;
        } catch (const libsgemm::ArgumentError& error) {
            EXPECT_EQ(error.argument(), argument);
            EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
        }
    };
    expect_error("B", "packed as",
                 [&] { library().gemm(queue(), c.problem, 1.0F, data.a(), a, 0.0F, data.c()); });
    const libsgemm::Context other = device().make_library();
    expect_error("A", "this Context",
                 [&] { other.gemm(queue(), c.problem, 1.0F, a, data.b(), 0.0F, data.c()); });
    const PackedMatrix kept = std::move(a);
    expect_error("packed matrix", "moved from", [&] {
        library().gemm(queue(), c.problem, 1.0F, a, // NOLINT(bugprone-use-after-move)
                       data.b(), 0.0F, data.c());
    });
    EXPECT_THROW(a.describe(), libsgemm::ArgumentError); // NOLINT(bugprone-use-after-move)
    EXPECT_EQ(kept.operand(), Operand::a);
    a = kept;
    multiply(data, Which::a, &a, nullptr);
    EXPECT_TRUE(data.verify(queue()));
}

TEST_P(Packed, WhatIsPackedIsCheckedAsACallIs) {
    const Case c = make_case({20, 20, 128}, all_forms()[0]);
    const CaseData data(device(), c);
    const auto fails = [&](const libsgemm::Problem& problem, Operand operand,
                           const libsgemm::Matrix& matrix, const char* argument) {
        try {
            library().pack(queue(), problem, operand, matrix);
            ADD_FAILURE() << argument << " is accepted";
        } catch (const libsgemm::ArgumentError& error) {
            EXPECT_EQ(error.argument(), argument);
        }
    };
    libsgemm::Problem short_line = c.problem;
    short_line.lda = 19;
    fails(short_line, Operand::a, data.a(), "lda");
    fails(c.problem, Operand::a, {nullptr, 0}, "A.buffer");
    fails(c.problem, Operand::b, {data.b().buffer, 1 << 20}, "B.offset");
    fails(c.problem, static_cast<Operand>(7), data.a(), "operand");
    // Braces are a matrix, as they were before there were packed ones.
    EXPECT_NO_THROW(library().gemm(queue(), c.problem, 0, {nullptr, 0}, {nullptr, 0}, 1, data.c()));
    EXPECT_NO_THROW(library().gemm(queue(), c.problem, 0, {}, {}, 1, data.c()));
    short_line.ldb = 1; // not the operand's
    short_line.lda = libsgemm::tight;
    EXPECT_NO_THROW(library().pack(queue(), short_line, Operand::a, data.a()));
}

} // namespace
} // namespace sgemm_test::packed
