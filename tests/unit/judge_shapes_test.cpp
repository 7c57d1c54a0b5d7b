// SPDX-License-Identifier: Apache-2.0
#include "judge/shape.hpp"
#include "judge/suite.hpp"

#include <gtest/gtest.h>
#include <set>
#include <sstream>

namespace libsgemm::judge {
namespace {

Suite read(const std::string& text) {
    std::istringstream input(text);
    return read_suite(input, "test", "test.txt");
}

std::string mistake_in(const std::string& text) {
    try {
        read(text);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "no mistake";
}

TEST(Shape, StoredExtentsFollowTheOp) {
    const Shape shape = make_shape("TN", 2, 3, 5);
    EXPECT_EQ(shape.rows_a(), 5);
    EXPECT_EQ(shape.columns_a(), 2);
    EXPECT_EQ(shape.rows_b(), 5);
    EXPECT_EQ(shape.columns_b(), 3);
    EXPECT_EQ(shape.elements_c(), 6);
    EXPECT_EQ(shape.flops(), 60.0);
}

TEST(Shape, NamesLeadingDimensionsOnlyWhereThereAreGaps) {
    const Shape tight = make_shape("NT", 64, 32, 16);
    EXPECT_EQ(shape_name(tight), "NT/64x32x16");
    EXPECT_EQ(shape_name(with_leading_dimensions(tight, 80, 32, 64)), "NT/64x32x16/ld80,32,64");
    EXPECT_EQ(shape_name(with_leading_dimensions(tight, 64, 32, 64)), "NT/64x32x16");
}

TEST(Shape, NameReadsBack) {
    for (const std::string name : {"NN/1x2x3", "TT/64x32x16/ld80,40,64"}) {
        EXPECT_EQ(shape_name(parse_shape_name(name)), name);
    }
    EXPECT_THROW(parse_shape_name("NN/1x2"), UsageError);
    EXPECT_THROW(parse_shape_name("NN/1x2x3/ld1,2"), UsageError);
    EXPECT_THROW(parse_shape_name("NN/99999999999999999999x2x3"), UsageError);
}

TEST(ShapeFile, ReadsShapesCommentsAndBlankLines) {
    const Suite suite = read("# The summary.\n# more\n\nNN 1 2 3 # here too\n\tTT 4 5 6 7 8 9\r\n");
    EXPECT_EQ(suite.summary, "The summary.");
    ASSERT_EQ(suite.shapes.size(), 2U);
    EXPECT_EQ(suite.shapes[0], make_shape("NN", 1, 2, 3));
    EXPECT_EQ(suite.shapes[1], with_leading_dimensions(make_shape("TT", 4, 5, 6), 7, 8, 9));
}

TEST(ShapeFile, MistakesNameFileLineAndRule) {
    EXPECT_EQ(mistake_in("NN 1 2 3\nXN 1 2 3\n"),
              "test.txt:2: op must be NN, NT, TN or TT, not 'XN'");
    EXPECT_EQ(mistake_in("NN 1 2\n"),
              "test.txt:1: expected 'OP M N K' or 'OP M N K LDA LDB LDC', found 3 words");
    EXPECT_EQ(mistake_in("NN 1 2 3 4\n"),
              "test.txt:1: expected 'OP M N K' or 'OP M N K LDA LDB LDC', found 5 words");
    EXPECT_EQ(mistake_in("NN 1 2.5 3\n"), "test.txt:1: N must be a whole number, not '2.5'");
    EXPECT_EQ(mistake_in("NN 1 0 3\n"), "test.txt:1: N must be at least 1, not 0");
    EXPECT_EQ(mistake_in("NN 1 -2 3\n"), "test.txt:1: N must be at least 1, not -2");
    EXPECT_EQ(mistake_in("NT 4 4 2 4 3 4\n"),
              "test.txt:1: ldb must be at least 4, the rows of the stored matrix, not 3");
    EXPECT_EQ(mistake_in("# nothing\n"), "test.txt: holds no shape");
    EXPECT_NE(mistake_in("NN 9999999999 1 1\n").find("at most 2^30"), std::string::npos);
}

TEST(ShapeFile, SuitesAreFoundByNamePathAndShape) {
    EXPECT_EQ(find_suite("square").shapes.size(), 10U);
    EXPECT_EQ(find_suite("square-small").shapes.size(), 10U);
    EXPECT_EQ(find_suite("NT/64x32x16").shapes.front(), make_shape("NT", 64, 32, 16));
    EXPECT_THROW(find_suite("no-such-suite"), UsageError);
}

TEST(ShapeFile, EveryShippedSuiteReadsHasASummaryAndNoDuplicates) {
    const auto suites = list_suites();
    std::set<std::string> names;
    for (const Suite& suite : suites) {
        EXPECT_FALSE(suite.summary.empty()) << suite.name;
        std::set<std::string> shapes;
        for (const Shape& shape : suite.shapes) {
            EXPECT_TRUE(shapes.insert(shape_name(shape)).second)
                << suite.name << ": " << shape_name(shape) << " is there twice";
        }
        names.insert(suite.name);
    }
    for (const std::string name :
         {"square", "square-all", "odd", "skinny", "deep", "llm", "conv", "ld1024"}) {
        EXPECT_TRUE(names.count(name)) << name;
        EXPECT_TRUE(names.count(name + "-small")) << name;
    }
}

} // namespace
} // namespace libsgemm::judge
