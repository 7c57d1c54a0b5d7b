// SPDX-License-Identifier: Apache-2.0
// sgemm/clblast.h and CLBlast's own headers: the same values, and the two in one source.
#if defined(SGEMM_TEST_CLBLAST_CXX)
#include <clblast.h>
#else
#include <clblast_c.h>
#endif
#include "sgemm/clblast.h"

#include <gtest/gtest.h>

// One language's codes are CLBlast's, the other's the library's.
#define SGEMM_SAME(name, value)                                                                    \
    static_assert(static_cast<int>(clblast::StatusCode::k##name) == CLBlast##name);
SGEMM_CLBLAST_STATUS_CODES(SGEMM_SAME)
#undef SGEMM_SAME
static_assert(static_cast<int>(clblast::Layout::kRowMajor) == CLBlastLayoutRowMajor);
static_assert(static_cast<int>(clblast::Layout::kColMajor) == CLBlastLayoutColMajor);
static_assert(static_cast<int>(clblast::Transpose::kNo) == CLBlastTransposeNo);
static_assert(static_cast<int>(clblast::Transpose::kYes) == CLBlastTransposeYes);
static_assert(static_cast<int>(clblast::Transpose::kConjugate) == CLBlastTransposeConjugate);

namespace {

#if defined(SGEMM_TEST_CLBLAST_CXX)
TEST(ClblastHeader, TheTemplateThatClblastDeclaresIsServed) {
    EXPECT_EQ(libsgemm::clblast::Gemm<float>(clblast::Layout::kRowMajor, clblast::Transpose::kNo,
                                             clblast::Transpose::kNo, 1, 1, 1, 1.0F, nullptr, 0, 1,
                                             nullptr, 0, 1, 0.0F, nullptr, 0, 1, nullptr),
              clblast::StatusCode::kInvalidCommandQueue);
}
#else
TEST(ClblastHeader, TheFunctionThatClblastDeclaresIsServed) {
    EXPECT_EQ(CLBlastSgemm(CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeNo, 1, 1, 1,
                           1.0F, nullptr, 0, 1, nullptr, 0, 1, 0.0F, nullptr, 0, 1, nullptr,
                           nullptr),
              CLBlastInvalidCommandQueue);
}
#endif

} // namespace
