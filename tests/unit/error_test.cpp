// SPDX-License-Identifier: Apache-2.0
#include "compile/program_cache.hpp"
#include "sgemm/error.hpp"
#include "sgemm/version.hpp"
#include "support/fake_device.hpp"
#include "support/text.hpp"

#include <gtest/gtest.h>
#include <string>

namespace libsgemm {
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

TEST(Errors, StatusesThatCallsReturnHaveTheNamesOfTheStandard) {
#define SGEMM_NAMED(status)                                                                        \
    { status, #status }
    struct Named {
        cl_int status;
        const char* name;
    };
    const Named all[] = {SGEMM_NAMED(CL_SUCCESS),
                         SGEMM_NAMED(CL_DEVICE_NOT_FOUND),
                         SGEMM_NAMED(CL_DEVICE_NOT_AVAILABLE),
                         SGEMM_NAMED(CL_COMPILER_NOT_AVAILABLE),
                         SGEMM_NAMED(CL_MEM_OBJECT_ALLOCATION_FAILURE),
                         SGEMM_NAMED(CL_OUT_OF_RESOURCES),
                         SGEMM_NAMED(CL_OUT_OF_HOST_MEMORY),
                         SGEMM_NAMED(CL_PROFILING_INFO_NOT_AVAILABLE),
                         SGEMM_NAMED(CL_MEM_COPY_OVERLAP),
                         SGEMM_NAMED(CL_BUILD_PROGRAM_FAILURE),
                         SGEMM_NAMED(CL_MAP_FAILURE),
                         SGEMM_NAMED(CL_MISALIGNED_SUB_BUFFER_OFFSET),
                         SGEMM_NAMED(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
                         SGEMM_NAMED(CL_INVALID_VALUE),
                         SGEMM_NAMED(CL_INVALID_PLATFORM),
                         SGEMM_NAMED(CL_INVALID_DEVICE),
                         SGEMM_NAMED(CL_INVALID_CONTEXT),
                         SGEMM_NAMED(CL_INVALID_QUEUE_PROPERTIES),
                         SGEMM_NAMED(CL_INVALID_COMMAND_QUEUE),
                         SGEMM_NAMED(CL_INVALID_MEM_OBJECT),
                         SGEMM_NAMED(CL_INVALID_BINARY),
                         SGEMM_NAMED(CL_INVALID_BUILD_OPTIONS),
                         SGEMM_NAMED(CL_INVALID_PROGRAM),
                         SGEMM_NAMED(CL_INVALID_PROGRAM_EXECUTABLE),
                         SGEMM_NAMED(CL_INVALID_KERNEL_NAME),
                         SGEMM_NAMED(CL_INVALID_KERNEL_DEFINITION),
                         SGEMM_NAMED(CL_INVALID_KERNEL),
                         SGEMM_NAMED(CL_INVALID_ARG_INDEX),
                         SGEMM_NAMED(CL_INVALID_ARG_VALUE),
                         SGEMM_NAMED(CL_INVALID_ARG_SIZE),
                         SGEMM_NAMED(CL_INVALID_KERNEL_ARGS),
                         SGEMM_NAMED(CL_INVALID_WORK_DIMENSION),
                         SGEMM_NAMED(CL_INVALID_WORK_GROUP_SIZE),
                         SGEMM_NAMED(CL_INVALID_WORK_ITEM_SIZE),
                         SGEMM_NAMED(CL_INVALID_GLOBAL_OFFSET),
                         SGEMM_NAMED(CL_INVALID_EVENT_WAIT_LIST),
                         SGEMM_NAMED(CL_INVALID_EVENT),
                         SGEMM_NAMED(CL_INVALID_OPERATION),
                         SGEMM_NAMED(CL_INVALID_BUFFER_SIZE),
                         SGEMM_NAMED(CL_INVALID_GLOBAL_WORK_SIZE)};
    for (const Named& named : all) {
        EXPECT_STREQ(opencl_status_name(named.status), named.name);
    }
#undef SGEMM_NAMED
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
} // namespace libsgemm
