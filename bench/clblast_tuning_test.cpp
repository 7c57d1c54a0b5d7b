// SPDX-License-Identifier: Apache-2.0
#include "clblast_tuning.hpp"
#include "judge/shape.hpp"
#include "support/temporary_folder.hpp"

#include <fstream>
#include <gtest/gtest.h>

namespace libsgemm::bench {
namespace {

using judge::UsageError;

class ClblastTuning : public testing::Test {
protected:
    void write(const std::string& name, const std::string& text) const {
        std::ofstream(folder_ / name) << text;
    }
    void write_search(const std::string& family, const std::string& time,
                      const std::string& parameters, const std::string& precision = "32",
                      const std::string& device = "A GPU") const {
        write("clblast_" + family + '_' + precision + ".json",
              R"({"kernel_family": ")" + family + R"(", "precision": ")" + precision +
                  R"(", "device": ")" + device + R"(", "best_time": ")" + time +
                  R"(", "best_parameters": ")" + parameters + R"(", "results": []})");
    }

    ClblastParameters read() const { return read_clblast_tuning(folder_.path(), "A GPU"); }

    const sgemm_test::TemporaryFolder folder_;
};

TEST_F(ClblastTuning, TakesTheFastestSearchOfEachKernel) {
    write_search("xgemm_1", "0.20", "MWG=32 NWG=64");
    write_search("xgemm_2", "0.10", "MWG=128 NWG=16");
    write_search("xgemm_11", "0.30", "MWG=8 NWG=8");
    write_search("xgemm_direct_1", "0.05", "WGD=16");
    write_search("gemm_routine", "3.0", "XGEMM_MIN_INDIRECT_SIZE=448");
    const ClblastParameters expected{{"Xgemm", {{"MWG", 128}, {"NWG", 16}}},
                                     {"XgemmDirect", {{"WGD", 16}}},
                                     {"GemmRoutine", {{"XGEMM_MIN_INDIRECT_SIZE", 448}}}};
    EXPECT_EQ(read(), expected);
}

TEST_F(ClblastTuning, LeavesOutOtherRoutinesPrecisionsAndFiles) {
    write_search("copy", "0.02", "COPY_VW=4");
    write_search("xgemv_1", "0.01", "WGS1=64");
    write_search("pad", "0.01", "PAD_WPTX=1", "64");
    write("notes.json", "not one of theirs");
    const ClblastParameters expected{{"Copy", {{"COPY_VW", 4}}}};
    EXPECT_EQ(read(), expected);
}

TEST_F(ClblastTuning, RefusesWhatTheTunersDidNotWrite) {
    EXPECT_THROW(read(), UsageError); // nothing in it
    EXPECT_THROW(read_clblast_tuning(folder_ / "none", "A GPU"), UsageError);
    for (const char* parameters : {"COPY_VW", "COPY_VW=", "=4", "COPY_VW=4x", "COPY_VW=-1"}) {
        write_search("copy", "0.02", parameters);
        EXPECT_THROW(read(), UsageError) << parameters;
    }
    write("clblast_copy_32.json", "{}");
    EXPECT_THROW(read(), UsageError);
}

TEST_F(ClblastTuning, RefusesFilesOfAnotherDevice) {
    write_search("copy", "0.02", "COPY_VW=4");
    write_search("pad", "0.02", "PAD_WPTX=1", "32", "Another GPU");
    EXPECT_THROW(read(), UsageError);
}

TEST_F(ClblastTuning, TakesTheFirstByNameOfEqualTimes) {
    write_search("xgemm_direct_2", "0.05", "WGD=32");
    write_search("xgemm_direct_1", "0.05", "WGD=16");
    const ClblastParameters expected{{"XgemmDirect", {{"WGD", 16}}}};
    EXPECT_EQ(read(), expected);
}

TEST_F(ClblastTuning, ReplacesWholeKernelsOnly) {
    const ClblastParameters stock{{"Copy", {{"COPY_VW", 1}}},
                                  {"Pad", {{"PAD_DIMX", 8}, {"PAD_WPTX", 1}}}};
    const ClblastParameters expected{{"Copy", {{"COPY_VW", 1}}},
                                     {"Pad", {{"PAD_DIMX", 16}, {"PAD_WPTX", 2}}}};
    EXPECT_EQ(with_tuned(stock, {{"Pad", {{"PAD_DIMX", 16}, {"PAD_WPTX", 2}}}}), expected);
    EXPECT_THROW(with_tuned(stock, {{"Pad", {{"PAD_DIMX", 16}}}}), UsageError);
}

TEST_F(ClblastTuning, IsWrittenInOrder) {
    EXPECT_EQ(to_string({{"Pad", {{"PAD_WPTY", 1}, {"PAD_DIMX", 8}}}, {"Copy", {{"COPY_VW", 4}}}}),
              "Copy COPY_VW=4, Pad PAD_DIMX=8 PAD_WPTY=1");
}

} // namespace
} // namespace libsgemm::bench
