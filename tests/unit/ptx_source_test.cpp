// SPDX-License-Identifier: Apache-2.0
// How sources of kernels/ptx/ become plain PTX.
#include "catalog/kernel_catalog.hpp"
#include "catalog/sources.hpp"
#include "compile/ptx/expression.hpp"
#include "compile/ptx/source.hpp"

#include <gtest/gtest.h>
#include <string>

namespace libsgemm::compile {
namespace {

std::int64_t value(std::string_view expression) {
    return evaluate_ptx_expression(expression, {{"TSM", 64}, {"ZERO", 0}, {"W_2", 2}});
}

TEST(PtxExpression, HasTheOperatorsAndPrecedenceOfC) {
    EXPECT_EQ(value("2 + 3 * 4 - 6 / 4"), 13);
    EXPECT_EQ(value("(2 + 3) * -4"), -20);
    EXPECT_EQ(value("TSM % 10 - 10 - 2"), -8);
    EXPECT_EQ(value("100 / 5 / 2*TSM"), 640);
    EXPECT_EQ(value("1 + 1 < 3 == 4 >= 4 && 2 != 3"), 1);
    EXPECT_EQ(value("1 > 2 || 3 <= 2"), 0);
    EXPECT_EQ(value("!ZERO + !TSM"), 1);
    EXPECT_EQ(value("W_2"), 2);
}

TEST(PtxExpression, EvaluatesNoMoreThanItNeeds) {
    EXPECT_EQ(value("!defined(NONE) || NONE < 2"), 1);
    EXPECT_EQ(value("defined(NONE) && 1 / ZERO"), 0);
    EXPECT_EQ(value("defined(TSM) && TSM == 64"), 1);
    EXPECT_EQ(value("ZERO && NONE || TSM"), 1);
}

TEST(PtxExpression, RefusesWhatItDoesNotUnderstand) {
    for (const char* text : {"", "1 +", "NONE", "(1", "1)", "1 2", "5 / ZERO", "5 % 0", "2x", "~1",
                             "defined TSM", "99999999999999999999"}) {
        EXPECT_THROW(value(text), std::invalid_argument) << text;
    }
}

std::string expanded(std::string_view source, const catalog::Defines& defines = {}) {
    return expand_ptx(source, defines);
}

/// What the message says of a source that cannot be expanded.
std::string message_of(std::string_view source, const catalog::Defines& defines = {}) {
    try {
        return "expanded: " + expand_ptx(source, defines);
    } catch (const PtxSourceError& error) {
        return error.what();
    }
}

TEST(PtxSource, PlainTextStaysWithoutCommentsAndEmptyLines) {
    EXPECT_EQ(expanded("// about\n.version 8.0\n\n  ret; // done\n"), ".version 8.0\nret;\n");
}

TEST(PtxSource, ExpressionsBecomeNumbers) {
    EXPECT_EQ(expanded("add.u32 %r${W}, %r, ${4 * W};", {{"W", "3"}}), "add.u32 %r3, %r, 12;\n");
}

TEST(PtxSource, ListsAreJoinedByCommas) {
    EXPECT_EQ(expanded("ld.v${W} {${e < W: %r${2 * e}}}, [%p+${W}];", {{"W", "2"}}),
              "ld.v2 {%r0, %r2}, [%p+2];\n");
    EXPECT_EQ(expanded("f(${e < 0: %r});"), "f();\n");
}

TEST(PtxSource, LoopsNestAndTheirNamesAreGoneAtTheEnd) {
    EXPECT_EQ(expanded("#for i < 2\n#for j < i + 1\n${i}${j};\n#endfor\n#endfor\n"),
              "00;\n10;\n11;\n");
    EXPECT_NE(message_of("#for i < 2\n#endfor\n${i}\n").find("unknown name \"i\""),
              std::string::npos);
    EXPECT_EQ(expanded("#for i < 2\n#define NEXT i + 1\n${NEXT};\n#endfor\n"), "1;\n2;\n");
}

TEST(PtxSource, BranchesAreTakenByTheirConditions) {
    const std::string source = "#if W == 1\none\n#elif W == 2\n#if defined(X)\nx\n#endif\ntwo\n"
                               "#else\nmany\n#endif\nend\n";
    EXPECT_EQ(expanded(source, {{"W", "1"}}), "one\nend\n");
    EXPECT_EQ(expanded(source, {{"W", "2"}}), "two\nend\n");
    EXPECT_EQ(expanded(source, {{"W", "2"}, {"X", "0"}}), "x\ntwo\nend\n");
    EXPECT_EQ(expanded(source, {{"W", "3"}}), "many\nend\n");
}

TEST(PtxSource, WhatIsNotTakenNeedNotBeUnderstood) {
    EXPECT_EQ(expanded("#if 0\n#error \"no\"\n${NONE}\n#elif 1\nyes\n#elif NONE\n#endif\n"),
              "yes\n");
}

TEST(PtxSource, MessagesNameFileAndLine) {
    const std::string source = "#line 1 \"ptx/x.ptx\"\na\n#line 1 \"ptx/y.ptxh\"\nb\n#line 3 "
                               "\"ptx/x.ptx\"\n\n#error \"TS must be defined\"\n";
    EXPECT_EQ(message_of(source), "ptx/x.ptx:4: \"TS must be defined\"");
    EXPECT_EQ(message_of("#line 7 \"f\"\n${1 / 0}\n"),
              "f:7: division by zero in expression \"1 / 0\"");
}

TEST(PtxSource, RefusesWhatIsMalformed) {
    for (const char* source :
         {"#if 1\n", "#for i < 2\n", "#endif\n", "#endfor\n", "#else\n", "#if 1\n#endfor\n",
          "#for i < 2\n#endif\n", "#for i < 2\n#else\n#endfor\n", "#for i\n#endfor\n",
          "#if 1\n#else\n#else\n#endif\n", "#if 0\n#else\n#elif 1\n#endif\n", "#while 1\n",
          "#define A 1\n#define A 2\n", "#define A\n", "#for i < 1\n#for i < 1\n#endfor\n#endfor\n",
          "${1\n", "${}\n", "${e: x}\n"}) {
        EXPECT_THROW(expanded(source), PtxSourceError) << source;
    }
    EXPECT_THROW(expanded("a\n", {{"W", "many"}}), PtxSourceError);
    EXPECT_THROW(expanded("#for i < 1000000000\nadd.u32 %r, %r, 1;\n#endfor\n"), PtxSourceError);
}

TEST(PtxSource, TheDriverGetsATextThatEndsWithZero) {
    const std::string binary = ptx_binary(".version 8.0\n");
    EXPECT_TRUE(binary.starts_with("//\n"));
    EXPECT_TRUE(binary.ends_with(std::string("\n.version 8.0\n\0", 15)));
}

TEST(PtxSource, KernelsBeginWithVersionTargetAndAddressSize) {
    for (const catalog::KernelEntry& entry : catalog::ptx_entries()) {
        const auto b =
            entry.b == catalog::Accepts::mn_major ? validate::Major::mn : validate::Major::k;
        const auto defines =
            catalog::main_kernel_defines(entry, entry.defaults(), validate::Major::mn, b);
        const std::string text = expand_ptx(catalog::find_source(entry.source)->text, defines);
        EXPECT_TRUE(text.starts_with(".version 8.0\n.target sm_70, texmode_independent\n"
                                     ".address_size 64\n.entry " +
                                     std::string(entry.function) + "(\n"))
            << text.substr(0, 200);
        EXPECT_EQ(text.find('#'), std::string::npos) << entry.name;
        EXPECT_EQ(text.find("${"), std::string::npos) << entry.name;
    }
}

TEST(PtxSource, KernelsSayWhatIsMissing) {
    for (const catalog::KernelEntry& entry : catalog::ptx_entries()) {
        const std::string message = message_of(catalog::find_source(entry.source)->text, {});
        EXPECT_TRUE(message.starts_with(std::string(entry.source) + ":")) << message;
        EXPECT_NE(message.find("must be defined"), std::string::npos) << message;
    }
}

} // namespace
} // namespace libsgemm::compile
