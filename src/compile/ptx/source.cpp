// SPDX-License-Identifier: Apache-2.0
#include "compile/ptx/source.hpp"

#include "compile/ptx/expression.hpp"
#include "support/text.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace libsgemm::compile {
namespace {

/// Far above what any kernel has; a source that repeats too much ends there, not with the memory.
constexpr std::size_t most_bytes = std::size_t{32} << 20U;

struct Line {
    std::string_view text; ///< without comment and surrounding spaces
    std::string_view file;
    std::int64_t number = 0;
};

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) {
        return {};
    }
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// Takes the part before `separator`, and it, off `text`; all of it where there is none.
std::string_view take_until(std::string_view& text, char separator) {
    const std::size_t at = std::min(text.find(separator), text.size());
    const std::string_view part = text.substr(0, at);
    text.remove_prefix(std::min(at + 1, text.size()));
    return part;
}

/// "#word" of a line that is a directive; empty else.
std::string_view directive_of(const Line& line) {
    std::string_view rest = line.text;
    return rest.starts_with('#') ? take_until(rest, ' ') : std::string_view();
}

std::string_view after_directive(const Line& line) {
    return trimmed(line.text.substr(directive_of(line).size()));
}

[[noreturn]] void fail(const Line& line, const std::string& what) {
    std::string message(line.file);
    message += ':';
    message += std::to_string(line.number);
    message += ": ";
    throw PtxSourceError(message + what);
}

/// `#line NUMBER "file"` applies to the lines that follow, and is gone then.
std::vector<Line> split_lines(std::string_view source) {
    std::vector<Line> lines;
    std::string_view file;
    std::int64_t number = 1;
    while (!source.empty()) {
        std::string_view text = take_until(source, '\n');
        const Line line{trimmed(text.substr(0, text.find("//"))), file, number++};
        if (directive_of(line) == "#line") {
            std::string_view rest = after_directive(line);
            number = support::parse_number<std::int64_t>(take_until(rest, ' ')).value_or(1);
            rest = trimmed(rest);
            file = rest.substr(std::min<std::size_t>(1, rest.size()), rest.find_last_of('"') - 1);
        } else if (!line.text.empty()) {
            lines.push_back(line);
        }
    }
    return lines;
}

class Expander {
public:
    Expander(std::string_view source, const catalog::Defines& defines)
        : lines_(split_lines(source)) {
        for (const auto& [name, value] : defines) {
            const auto number = support::parse_number<std::int64_t>(value);
            if (!number) {
                throw PtxSourceError("not an integer: " + value);
            }
            constants_[name] = *number;
        }
    }

    std::string expand() {
        expand_lines(0, lines_.size());
        return std::move(out_);
    }

private:
    std::int64_t evaluate(const Line& line, std::string_view expression) const {
        try {
            return evaluate_ptx_expression(trimmed(expression), constants_);
        } catch (const std::invalid_argument& error) {
            fail(line, error.what());
        }
    }

    // NOLINTBEGIN(misc-no-recursion): as deep as the source is nested

    void expand_lines(std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const std::string_view directive = directive_of(lines_[i]);
            if (directive == "#if") {
                i = expand_branch(i);
            } else if (directive == "#for") {
                i = expand_loop(i);
            } else if (directive == "#define") {
                define(lines_[i]);
            } else if (directive == "#error") {
                fail(lines_[i], std::string(after_directive(lines_[i])));
            } else if (!directive.empty()) {
                fail(lines_[i], "unexpected " + std::string(directive));
            } else {
                out_ += substitute(lines_[i], lines_[i].text);
                out_ += '\n';
                check_size(lines_[i]);
            }
        }
    }

    /// The next line of the block that `opening` begins which is its own: a branch of an #if, or
    /// the end.
    std::size_t next_of_block(std::size_t opening, std::size_t from) const {
        int depth = 0;
        for (std::size_t i = from; i < lines_.size(); ++i) {
            const std::string_view directive = directive_of(lines_[i]);
            const bool ends = directive == "#endif" || directive == "#endfor";
            if (depth == 0 && (ends || directive == "#elif" || directive == "#else")) {
                return i;
            }
            depth += (directive == "#if" || directive == "#for") ? 1 : 0;
            depth -= ends ? 1 : 0;
        }
        fail(lines_[opening], "no end of " + std::string(directive_of(lines_[opening])));
    }

    /// Returns the index of the #endif.
    std::size_t expand_branch(std::size_t opening) {
        bool taken = false;
        bool last = false;
        std::size_t branch = opening;
        while (true) {
            const std::string_view directive = directive_of(lines_[branch]);
            const std::size_t end = next_of_block(opening, branch + 1);
            if (last && directive_of(lines_[end]) != "#endif") {
                fail(lines_[end], "a branch behind #else");
            }
            last = last || directive_of(lines_[end]) == "#else";
            if (!taken && (directive == "#else" ||
                           evaluate(lines_[branch], after_directive(lines_[branch])) != 0)) {
                taken = true;
                expand_lines(branch + 1, end);
            }
            if (directive_of(lines_[end]) == "#endif") {
                return end;
            }
            if (directive_of(lines_[end]) == "#endfor") {
                fail(lines_[end], "#endfor ends an #if");
            }
            branch = end;
        }
    }

    /// Returns the index of the #endfor.
    std::size_t expand_loop(std::size_t opening) {
        const Line& line = lines_[opening];
        const std::size_t end = next_of_block(opening, opening + 1);
        if (directive_of(lines_[end]) != "#endfor") {
            fail(lines_[end], std::string(directive_of(lines_[end])) + " in a #for");
        }
        repeat(line, after_directive(line), [&] { expand_lines(opening + 1, end); });
        return end;
    }

    /// Calls `body` with NAME = 0, 1, ... for the head "NAME < EXPRESSION".
    template <class Body>
    void repeat(const Line& line, std::string_view head, Body body) {
        std::string_view limit = head;
        const std::string name(trimmed(take_until(limit, '<')));
        if (name.empty() || limit.empty()) {
            fail(line, "expected NAME < EXPRESSION, not \"" + std::string(head) + '"');
        }
        const std::int64_t count = evaluate(line, limit);
        const PtxConstants outside = constants_;
        for (std::int64_t i = 0; i < count; ++i) {
            declare(line, name, i);
            body();
            constants_ = outside; // what the body defined is its own
        }
    }

    std::string substitute(const Line& line, std::string_view text) {
        std::string result;
        while (true) {
            const std::size_t begin = text.find("${");
            result += text.substr(0, begin);
            if (begin == std::string_view::npos) {
                return result;
            }
            const std::size_t end = end_of_braces(line, text, begin + 2);
            result += value_of(line, text.substr(begin + 2, end - begin - 2));
            text.remove_prefix(end + 1);
        }
    }

    std::string value_of(const Line& line, std::string_view inside) {
        if (inside.find(':') == std::string_view::npos) {
            return std::to_string(evaluate(line, inside));
        }
        const std::string_view head = take_until(inside, ':');
        std::vector<std::string> items;
        repeat(line, head, [&] { items.push_back(substitute(line, trimmed(inside))); });
        return support::join(items, ", ");
    }

    // NOLINTEND(misc-no-recursion)

    static std::size_t end_of_braces(const Line& line, std::string_view text, std::size_t from) {
        int depth = 0;
        for (std::size_t i = from; i < text.size(); ++i) {
            if (text[i] == '}' && depth-- == 0) {
                return i;
            }
            depth += text[i] == '{' ? 1 : 0;
        }
        fail(line, "no end of ${");
    }

    void define(const Line& line) {
        std::string_view rest = after_directive(line);
        const std::string name(take_until(rest, ' '));
        const std::int64_t value = evaluate(line, rest);
        declare(line, name, value);
    }

    void declare(const Line& line, const std::string& name, std::int64_t value) {
        if (!constants_.try_emplace(name, value).second) {
            fail(line, '"' + name + "\" is defined twice");
        }
    }

    void check_size(const Line& line) const {
        if (out_.size() > most_bytes) {
            fail(line, "expands to more than " + std::to_string(most_bytes) + " bytes");
        }
    }

    std::vector<Line> lines_;
    PtxConstants constants_;
    std::string out_;
};

} // namespace

std::string expand_ptx(std::string_view source, const catalog::Defines& defines) {
    return Expander(source, defines).expand();
}

std::string ptx_binary(std::string_view expanded) {
    std::string binary = "//\n// libsgemm\n//\n";
    binary += expanded;
    binary += '\0';
    return binary;
}

} // namespace libsgemm::compile
