// SPDX-License-Identifier: Apache-2.0
// What a program calls, in a file that the tuner reads.
#include "context/shape_record.hpp"
#include "judge/suite.hpp"
#include "problem/problem.hpp"
#include "support/atomic_file.hpp"
#include "support/temporary_folder.hpp"
#include "tune/worker/canonical.hpp"

#include <atomic>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace sgemm_test {
namespace {

using libsgemm::judge::Shape;

class ShapeRecord : public ::testing::Test {
protected:
    void record(const libsgemm::validate::CanonicalProblem& problem) {
        libsgemm::detail::record_shape(file_, problem, log_, warned_);
    }
    const TemporaryFolder folder_;
    const std::string file_ = folder_ / "shapes.txt";
    std::vector<std::string> messages_;
    const libsgemm::support::Log log_ = libsgemm::support::make_log(
        [&](libsgemm::LogLevel, const std::string& text) { messages_.push_back(text); });
    std::atomic<bool> warned_{false};
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

TEST_F(ShapeRecord, BeginsALineBehindOneThatHasNoEnd) {
    const Shape first = libsgemm::judge::make_shape("NN", 64, 32, 16);
    const Shape second = libsgemm::judge::make_shape("NT", 7, 8, 9);
    libsgemm::support::replace_file(file_, "NN 64 32 16");
    record(libsgemm::tune::canonical_of(first));
    record(libsgemm::tune::canonical_of(second));
    EXPECT_EQ(libsgemm::support::read_file(file_), "NN 64 32 16\nNT 7 8 9\n");
}

TEST_F(ShapeRecord, LeavesAFileAloneThatHasTheShape) {
    const auto problem =
        libsgemm::tune::canonical_of(libsgemm::judge::make_shape("NN", 64, 32, 16));
    record(problem);
    const std::filesystem::file_time_type of_old{};
    std::filesystem::last_write_time(file_, of_old);
    record(problem);
    EXPECT_EQ(std::filesystem::last_write_time(file_), of_old);
}

TEST_F(ShapeRecord, LeavesOutWhatNoChoiceIsKeptFor) {
    auto problem = libsgemm::tune::canonical_of(libsgemm::judge::make_shape("NN", 4, 5, 6));
    problem.batch = 3;
    record(problem);
    EXPECT_FALSE(libsgemm::support::read_file(file_));
}

/// A shape cannot say so, and what is found for it would be for another problem.
TEST_F(ShapeRecord, LeavesOutWhatIsLessAlignedThanItsLeadingDimensions) {
    using libsgemm::validate::CanonicalProblem;
    const CanonicalProblem aligned =
        libsgemm::tune::canonical_of(libsgemm::judge::make_shape("NN", 16, 16, 16));
    for (auto operand : {&CanonicalProblem::a, &CanonicalProblem::b, &CanonicalProblem::c}) {
        CanonicalProblem problem = aligned;
        (problem.*operand).offset_alignment = 4;
        record(problem);
    }
    EXPECT_FALSE(libsgemm::support::read_file(file_));
    ASSERT_EQ(messages_.size(), 1U) << "once";
    EXPECT_NE(messages_[0].find("less aligned"), std::string::npos) << messages_[0];

    CanonicalProblem odd = libsgemm::tune::canonical_of(libsgemm::judge::make_shape("NN", 4, 4, 4));
    odd.a.offset_alignment = 4; // no less than 4 columns apart allow
    record(odd);
    EXPECT_TRUE(libsgemm::support::read_file(file_));
}

TEST_F(ShapeRecord, OfAFileThatCannotBeWrittenIsAWarning) {
    libsgemm::detail::record_shape(
        "/dev/null/shapes.txt",
        libsgemm::tune::canonical_of(libsgemm::judge::make_shape("NN", 4, 5, 6)), log_, warned_);
    ASSERT_EQ(messages_.size(), 1U);
    EXPECT_NE(messages_[0].find("SGEMM_RECORD: /dev/null/shapes.txt"), std::string::npos)
        << messages_[0];
}

} // namespace
} // namespace sgemm_test
