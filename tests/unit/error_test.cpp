// SPDX-License-Identifier: Apache-2.0
#include "compile/program_cache.hpp"
#include "sgemm/error.hpp"
#include "sgemm/version.hpp"
#include "support/fake_device.hpp"
#include "support/text.hpp"

#include <gtest/gtest.h>
#include <string>

namespace sgemm {
namespace {

bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

TEST(Errors, SayWhatTheyHold) {
    const ArgumentError argument("lda", "3", "must be at least 5");
    EXPECT_EQ(argument.argument(), "lda");
    EXPECT_EQ(argument.value(), "3");
    EXPECT_EQ(argument.rule(), "must be at least 5");
    EXPECT_EQ(std::string(argument.what()).rfind("lda: must be at least 5 (", 0), 0U)
        << argument.what();
    EXPECT_TRUE(holds(argument.what(), "3"));

    const OpenClError opencl("clCreateBuffer", CL_OUT_OF_RESOURCES);
    EXPECT_EQ(opencl.status(), CL_OUT_OF_RESOURCES);
    EXPECT_TRUE(holds(opencl.what(), "clCreateBuffer"));
    EXPECT_TRUE(holds(opencl.what(), "CL_OUT_OF_RESOURCES"));

    const BuildError build("some_kernel", "file.cl:3: error");
    EXPECT_EQ(build.kernel(), "some_kernel");
    EXPECT_TRUE(holds(build.what(), "some_kernel"));
    EXPECT_TRUE(holds(build.what(), "file.cl:3: error"));
}

TEST(Errors, ShareOneBase) {
    EXPECT_THROW(throw ArgumentError("a", "b", "c"), Error);
    EXPECT_THROW(throw UnsupportedError("a"), Error);
    EXPECT_THROW(throw BuildError("a", "b"), Error);
    EXPECT_THROW(throw OpenClError("a", -5), Error);
    EXPECT_THROW(throw ConfigurationError("a"), Error);
    EXPECT_THROW(throw Error("a"), std::runtime_error);
}

TEST(Errors, StatusesHaveNames) {
    EXPECT_STREQ(opencl_status_name(CL_SUCCESS), "CL_SUCCESS");
    EXPECT_STREQ(opencl_status_name(CL_INVALID_WORK_GROUP_SIZE), "CL_INVALID_WORK_GROUP_SIZE");
    EXPECT_STREQ(opencl_status_name(-123456), "unknown OpenCL status");
}

TEST(Version, MatchesTheMacros) {
    EXPECT_EQ(std::string(version()), std::to_string(SGEMM_VERSION_MAJOR) + "." +
                                          std::to_string(SGEMM_VERSION_MINOR) + "." +
                                          std::to_string(SGEMM_VERSION_PATCH));
}

TEST(Text, Formats) {
    EXPECT_EQ(support::to_lower("GeForce RTX"), "geforce rtx");
    EXPECT_EQ(support::join({"a", "b", "c"}, ", "), "a, b, c");
    EXPECT_EQ(support::join({}, ", "), "");
    EXPECT_EQ(support::format_seconds(1.5e-6), "1.50 us");
    EXPECT_EQ(support::format_bytes(2097152), "2.0 MiB");
}

TEST(BuildOptions, HoldTheDefinesInOrder) {
    planning::KernelBuild build;
    build.defines = {{"TSM", "64"}, {"A_K_MAJOR", "0"}};
    const std::string options =
        compile::build_options(build, sgemm_test::fake_device(DeviceType::cpu));
    EXPECT_EQ(options, "-DTSM=64 -DA_K_MAJOR=0 ");
    EXPECT_TRUE(
        holds(compile::build_options(build, sgemm_test::fake_device()), "-DSGEMM_FMA_NATIVE"));
}

} // namespace
} // namespace sgemm
