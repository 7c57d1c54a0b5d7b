// SPDX-License-Identifier: Apache-2.0
// Build logs name files and lines of kernels/: what is embedded says at each line where it comes
// from.
#include "catalog/sources.hpp"

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace libsgemm::catalog {
namespace {

std::vector<std::string> lines_of(std::istream& text) {
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) {
        lines.push_back(line);
    }
    return lines;
}

/// Expects each line behind a `#line` to be what the file that it names has there. Returns how many
/// files it names.
std::size_t expect_lines_of_files(std::string_view source) {
    static const std::regex directive(R"~(#line (\d+) "(.*)")~");
    std::istringstream text{std::string(source)};
    std::map<std::string, std::vector<std::string>> files;
    std::string file;
    std::size_t number = 0;
    for (const std::string& line : lines_of(text)) {
        if (std::smatch match; std::regex_match(line, match, directive)) {
            file = match[2];
            number = std::stoul(match[1]);
            std::ifstream stream(std::string(SGEMM_KERNELS_DIR "/") + file);
            files.try_emplace(file, lines_of(stream));
            continue;
        }
        const auto& expected = files[file];
        const bool is_behind_its_end = line.empty() && number == expected.size() + 1;
        if (!is_behind_its_end && (number > expected.size() || expected[number - 1] != line)) {
            ADD_FAILURE() << file << ':' << number << " is not: " << line;
            return files.size();
        }
        ++number;
    }
    return files.size();
}

TEST(EmbeddedLines, AreThoseOfTheFilesThatTheyName) {
    std::size_t most_files = 0;
    for (const EmbeddedSource& source : embedded_sources()) {
        SCOPED_TRACE(source.path);
        EXPECT_EQ(source.text.find("#include \""), std::string_view::npos);
        most_files = std::max(most_files, expect_lines_of_files(source.text));
    }
    EXPECT_GT(most_files, 4U) << "several included files, one behind the other";
}

} // namespace
} // namespace libsgemm::catalog
