// SPDX-License-Identifier: Apache-2.0
#include "compile/retarget.hpp"

#include <gtest/gtest.h>

namespace libsgemm::compile {
namespace {

constexpr const char* before = ".version 9.0\n"
                               ".target sm_90, texmode_independent\n"
                               ".address_size 64\n"
                               ".entry first(\n.param .u64 m\n)\n"
                               ".reqntid 384, 1, 1\n"
                               "{\nret;\n}\n"
                               ".entry second()\n"
                               ".reqntid 128, 1, 1\n"
                               "{\nret;\n}\n";

TEST(Retarget, NamesTheArchitectureAndTheLeastNumberOfWorkGroups) {
    EXPECT_EQ(retarget_to_sm_90a(before), ".version 9.0\n"
                                          ".target sm_90a, texmode_independent\n"
                                          ".address_size 64\n"
                                          ".entry first(\n.param .u64 m\n)\n"
                                          ".reqntid 384, 1, 1\n"
                                          ".minnctapersm 1\n"
                                          "{\nret;\n}\n"
                                          ".entry second()\n"
                                          ".reqntid 128, 1, 1\n"
                                          ".minnctapersm 1\n"
                                          "{\nret;\n}\n");
}

TEST(Retarget, OtherTargetsAndOtherTextsAreLeftAlone) {
    for (const char* text : {"",
                             "\x7f"
                             "ELF",
                             ".target sm_80, texmode_independent\n", ".target sm_90a\n",
                             ".target sm_900\n", ".target sm_90"}) {
        EXPECT_FALSE(retarget_to_sm_90a(text)) << text;
    }
    EXPECT_EQ(retarget_to_sm_90a(".target sm_90\n"), ".target sm_90a\n");
}

} // namespace
} // namespace libsgemm::compile
