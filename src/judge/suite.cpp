// SPDX-License-Identifier: Apache-2.0
#include "judge/suite.hpp"

#include "support/text.hpp"
#include "support/text_stream.hpp"

#include <algorithm>
#include <fstream>
#include <map>

namespace libsgemm::judge {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> words_of(const std::string& line) {
    support::TextReader stream(line);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) {
        words.push_back(word);
    }
    return words;
}

std::int64_t number(const std::string& word, const char* name) {
    const auto value = support::parse_number<std::int64_t>(word);
    if (!value) {
        throw UsageError(std::string(name) + " must be a whole number, not '" + word + "'");
    }
    return *value;
}

Shape parse_words(const std::vector<std::string>& words) {
    if (words.size() != 4 && words.size() != 7) {
        throw UsageError("expected 'OP M N K' or 'OP M N K LDA LDB LDC', found " +
                         std::to_string(words.size()) + (words.size() == 1 ? " word" : " words"));
    }
    const Shape shape =
        make_shape(words[0], number(words[1], "M"), number(words[2], "N"), number(words[3], "K"));
    if (words.size() == 4) {
        return shape;
    }
    return with_leading_dimensions(shape, number(words[4], "lda"), number(words[5], "ldb"),
                                   number(words[6], "ldc"));
}

std::string comment_text(const std::string& line, std::size_t hash) {
    const std::size_t begin = line.find_first_not_of("# \t", hash);
    const std::size_t end = line.find_last_not_of(" \t\r");
    return begin == std::string::npos ? "" : line.substr(begin, end + 1 - begin);
}

fs::path binary_folder() {
    std::error_code ignored;
    return fs::read_symlink("/proc/self/exe", ignored).parent_path();
}

Suite read_suite_file(const fs::path& path) {
    std::ifstream file(path);
    if (!file) {
        throw UsageError(path.string() + ": cannot be read");
    }
    return read_suite(file, path.stem().string(), path.string());
}

bool looks_like_a_shape(const std::string& what) {
    return what.size() > 2 && what[2] == '/' && what.find('x') != std::string::npos;
}

} // namespace

Suite read_suite(std::istream& input, const std::string& name, const std::string& origin) {
    Suite suite{name, {}, {}};
    int line_number = 0;
    for (std::string line; std::getline(input, line);) {
        ++line_number;
        const std::size_t hash = line.find('#');
        if (suite.summary.empty() && hash != std::string::npos) {
            suite.summary = comment_text(line, hash);
        }
        const auto words = words_of(line.substr(0, hash));
        if (words.empty()) {
            continue;
        }
        try {
            suite.shapes.push_back(parse_words(words));
        } catch (const UsageError& error) {
            throw UsageError(origin + ':' + std::to_string(line_number) + ": " + error.what());
        }
    }
    if (suite.shapes.empty()) {
        throw UsageError(origin + ": holds no shape");
    }
    return suite;
}

std::vector<fs::path> suite_folders() {
    std::vector<fs::path> folders;
    if (const fs::path here = binary_folder(); !here.empty()) {
        folders.push_back(here / "shapes");
        folders.push_back(here.parent_path() / "share" / "sgemm" / "shapes");
    }
    folders.emplace_back(SGEMM_SHAPES_DIR);
    return folders;
}

std::vector<Suite> list_suites() {
    std::map<std::string, Suite> suites; // the first folder that has a name wins
    for (const auto& folder : suite_folders()) {
        std::error_code absent;
        for (const auto& entry : fs::directory_iterator(folder, absent)) {
            if (entry.path().extension() == ".txt") {
                suites.try_emplace(entry.path().stem().string(), read_suite_file(entry.path()));
            }
        }
    }
    std::vector<Suite> list;
    list.reserve(suites.size());
    for (auto& [name, suite] : suites) {
        list.push_back(std::move(suite));
    }
    return list;
}

Suite find_suite(const std::string& what) {
    if (looks_like_a_shape(what) && !fs::exists(what)) {
        return {what, "one shape", {parse_shape_name(what)}};
    }
    if (fs::is_regular_file(what)) {
        return read_suite_file(what);
    }
    std::string searched;
    for (const auto& folder : suite_folders()) {
        const fs::path path = folder / (what + ".txt");
        if (fs::is_regular_file(path)) {
            return read_suite_file(path);
        }
        searched += "\n  " + folder.string();
    }
    throw UsageError("--shapes: '" + what + "' is neither a file nor a suite; looked in" +
                     searched);
}

} // namespace libsgemm::judge
