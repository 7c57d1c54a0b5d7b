// SPDX-License-Identifier: Apache-2.0
// What a program calls, in a file that the tuner reads.
#include "context/shape_record.hpp"
#include "judge/suite.hpp"
#include "problem/problem.hpp"
#include "support/atomic_file.hpp"
#include "support/temporary_folder.hpp"
#include "tune/worker/canonical.hpp"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace sgemm_test {
namespace {

using libsgemm::judge::Shape;

class ShapeRecord : public ::testing::Test {
protected:
    void record(const libsgemm::validate::CanonicalProblem& problem) {
        libsgemm::detail::record_shape(file_, problem, log_);
    }
    const TemporaryFolder folder_;
    const std::string file_ = folder_ / "shapes.txt";
    const libsgemm::support::Log log_ = libsgemm::support::make_log({});
};

TEST_F(ShapeRecord, IsReadAsWhatWasCalled) {
    std::vector<Shape> shapes;
    for (const char* op : {"NN", "NT", "TN", "TT"}) {
        shapes.push_back(libsgemm::judge::make_shape(op, 7, 12769, 4425));
        shapes.push_back(libsgemm::judge::with_leading_dimensions(
            libsgemm::judge::make_shape(op, 64, 32, 16), 80, 96, 112));
    }
    for (int i = 0; i < 2; ++i) { // each one once
        for (const Shape& shape : shapes) {
            record(libsgemm::tune::canonical_of(shape));
        }
    }
    EXPECT_EQ(libsgemm::judge::find_suite(file_).shapes, shapes);
}

TEST_F(ShapeRecord, LeavesOutWhatNoChoiceIsKeptFor) {
    auto problem = libsgemm::tune::canonical_of(libsgemm::judge::make_shape("NN", 4, 5, 6));
    problem.batch = 3;
    record(problem);
    EXPECT_FALSE(libsgemm::support::read_file(file_));
}

TEST_F(ShapeRecord, OfAFileThatCannotBeWrittenIsAWarning) {
    std::vector<std::string> messages;
    libsgemm::detail::record_shape(
        "/dev/null/shapes.txt",
        libsgemm::tune::canonical_of(libsgemm::judge::make_shape("NN", 4, 5, 6)),
        libsgemm::support::make_log(
            [&](libsgemm::LogLevel, const std::string& text) { messages.push_back(text); }));
    ASSERT_EQ(messages.size(), 1U);
    EXPECT_NE(messages[0].find("SGEMM_RECORD: /dev/null/shapes.txt"), std::string::npos)
        << messages[0];
}

} // namespace
} // namespace sgemm_test
