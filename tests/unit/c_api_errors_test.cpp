// SPDX-License-Identifier: Apache-2.0
// What becomes of an exception at the border to C.
#include "doors/c/errors.hpp"
#include "sgemm/error.hpp"

#include <gtest/gtest.h>
#include <new>
#include <stdexcept>
#include <thread>

namespace sgemm_test {
namespace {

using libsgemm::c_api::Errors;
using libsgemm::c_api::guarded;

template <class Exception>
libsgemm::c_api::Failure failure_of(const Exception& exception) {
    Errors errors;
    const sgemm_status status = guarded(errors, [&] { throw exception; });
    EXPECT_EQ(errors.latest().status, status);
    return errors.latest();
}

TEST(CApiErrors, EveryExceptionHasItsStatusAndItsText) {
    const auto argument = failure_of(libsgemm::ArgumentError("lda", "3", "must be larger"));
    EXPECT_EQ(argument.status, SGEMM_INVALID_ARGUMENT);
    EXPECT_EQ(argument.detail, "lda: must be larger (is 3)");
    EXPECT_EQ(failure_of(libsgemm::UnsupportedError("x")).status, SGEMM_UNSUPPORTED);
    const auto build = failure_of(libsgemm::BuildError("tiled", "the log"));
    EXPECT_EQ(build.status, SGEMM_BUILD_FAILED);
    EXPECT_NE(build.detail.find("the log"), std::string::npos);
    const auto opencl = failure_of(libsgemm::OpenClError("clFlush", CL_OUT_OF_RESOURCES));
    EXPECT_EQ(opencl.status, SGEMM_OPENCL_ERROR);
    EXPECT_EQ(opencl.opencl_status, CL_OUT_OF_RESOURCES);
    EXPECT_EQ(failure_of(libsgemm::ConfigurationError("x")).status, SGEMM_CONFIGURATION_ERROR);
    EXPECT_EQ(failure_of(std::bad_alloc()).status, SGEMM_OUT_OF_MEMORY);
    EXPECT_EQ(failure_of(std::runtime_error("x")).status, SGEMM_INTERNAL_ERROR);
    const auto unknown = failure_of(42);
    EXPECT_EQ(unknown.status, SGEMM_INTERNAL_ERROR);
    EXPECT_EQ(unknown.detail, "internal error");
}

TEST(CApiErrors, SuccessChangesNothing) {
    Errors errors;
    EXPECT_EQ(guarded(errors, [] {}), SGEMM_SUCCESS);
    EXPECT_EQ(errors.latest().status, SGEMM_SUCCESS);
    guarded(errors, [] { throw libsgemm::UnsupportedError("kept"); });
    guarded(errors, [] {});
    EXPECT_EQ(errors.latest().detail, "kept");
}

TEST(CApiErrors, AThreadSeesItsOwnFailureFirst) {
    Errors errors;
    guarded(errors, [] { throw libsgemm::UnsupportedError("mine"); });
    std::string seen_before;
    std::thread([&] {
        seen_before = errors.latest().detail;
        guarded(errors, [] { throw libsgemm::UnsupportedError("the other's"); });
        EXPECT_EQ(errors.latest().detail, "the other's");
    }).join();
    EXPECT_EQ(seen_before, "mine");
    EXPECT_EQ(errors.latest().detail, "mine");
    std::thread([&] { EXPECT_EQ(errors.latest().detail, "the other's"); }).join();
}

TEST(CApiErrors, ANewContextHasNoFailureOfAnOldOne) {
    for (int i = 0; i < 3; ++i) { // likely at the same address
        Errors errors;
        EXPECT_EQ(errors.latest().detail, "");
        guarded(errors, [] { throw libsgemm::UnsupportedError("old"); });
    }
}

} // namespace
} // namespace sgemm_test
