// SPDX-License-Identifier: Apache-2.0
// What is embedded compiles everywhere: no compiler need accept a long string literal.
#include <algorithm>
#include <cctype>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <string_view>

namespace sgemm_test {
namespace {

constexpr std::size_t longest_of_msvc = 16380;

/// The length of the longest string literal of a C++ source, those side by side taken as one.
std::size_t longest_literal(std::string_view source) {
    std::size_t longest = 0;
    std::size_t length = 0;
    bool is_inside = false;
    for (std::size_t i = 0; i < source.size(); ++i) {
        const char c = source[i];
        if (c == '"') {
            is_inside = !is_inside;
        } else if (is_inside) {
            i += c == '\\' ? 1 : 0;
            longest = std::max(longest, ++length);
        } else if (std::isspace(static_cast<unsigned char>(c)) == 0) {
            length = 0;
        }
    }
    return longest;
}

TEST(EmbeddedLiterals, OfAnyCompilerAreShortEnough) {
    ASSERT_EQ(longest_literal(R"(a "bc" "\"d" 'e', "fg")"), 4U);
    for (const char* file : {"embedded_sources.cpp", "embedded_tables.cpp"}) {
        std::ifstream stream(std::string(SGEMM_EMBEDDED_DIR "/") + file, std::ios::binary);
        const std::string source{std::istreambuf_iterator<char>(stream), {}};
        ASSERT_FALSE(source.empty()) << file;
        EXPECT_EQ(source.find("R\""), std::string::npos) << file << ": lengths are not known";
        const std::size_t longest = longest_literal(source);
        EXPECT_GT(longest, 0U) << file;
        EXPECT_LE(longest, longest_of_msvc) << file;
    }
}

} // namespace
} // namespace sgemm_test
