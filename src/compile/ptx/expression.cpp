// SPDX-License-Identifier: Apache-2.0
#include "compile/ptx/expression.hpp"

#include "support/text.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace libsgemm::compile {
namespace {

bool is_of_name(char c) {
    return support::is_letter_or_digit(c) || c == '_';
}

struct Operator {
    std::string_view sign;
    int precedence;
};

// Longer signs before those that they begin with.
constexpr std::array operators{
    Operator{"||", 1}, Operator{"&&", 2}, Operator{"==", 3}, Operator{"!=", 3}, Operator{"<=", 4},
    Operator{">=", 4}, Operator{"<", 4},  Operator{">", 4},  Operator{"+", 5},  Operator{"-", 5},
    Operator{"*", 6},  Operator{"/", 6},  Operator{"%", 6}};

/// Recursive descent, by precedence.
class Evaluator {
public:
    Evaluator(std::string_view text, const PtxConstants& constants)
        : text_(text), constants_(constants) {}

    std::int64_t all() {
        const std::int64_t value = binary(1, true);
        skip_spaces();
        if (at_ != text_.size()) {
            fail("unexpected \"" + std::string(text_.substr(at_)) + '"');
        }
        return value;
    }

private:
    [[noreturn]] void fail(const std::string& what) const {
        throw std::invalid_argument(what + " in expression \"" + std::string(text_) + '"');
    }

    void skip_spaces() {
        while (at_ < text_.size() && text_[at_] == ' ') {
            ++at_;
        }
    }

    bool take(std::string_view sign) {
        skip_spaces();
        if (!text_.substr(at_).starts_with(sign)) {
            return false;
        }
        at_ += sign.size();
        return true;
    }

    void expect(std::string_view sign) {
        if (!take(sign)) {
            fail("missing \"" + std::string(sign) + '"');
        }
    }

    std::string_view word() {
        skip_spaces();
        const std::size_t begin = at_;
        while (at_ < text_.size() && is_of_name(text_[at_])) {
            ++at_;
        }
        return text_.substr(begin, at_ - begin);
    }

    const Operator* take_operator(int least_precedence) {
        skip_spaces();
        const auto* found = std::ranges::find_if(
            operators, [&](const Operator& o) { return text_.substr(at_).starts_with(o.sign); });
        if (found == operators.end() || found->precedence < least_precedence) {
            return nullptr;
        }
        at_ += found->sign.size();
        return found;
    }

    // `counts`: whether the value matters. Where it does not, names need not be known.

    std::int64_t binary(int least_precedence, bool counts) {
        std::int64_t left = unary(counts);
        while (const Operator* found = take_operator(least_precedence)) {
            const bool decided =
                (found->sign == "&&" && left == 0) || (found->sign == "||" && left != 0);
            const bool right_counts = counts && !decided;
            const std::int64_t right = binary(found->precedence + 1, right_counts);
            left = counts ? apply(found->sign, left, right) : 0;
        }
        return left;
    }

    std::int64_t apply(std::string_view sign, std::int64_t x, std::int64_t y) const {
        if (sign == "||") {
            return x != 0 || y != 0;
        }
        if (sign == "&&") {
            return x != 0 && y != 0;
        }
        switch (sign[0]) {
        case '=':
            return x == y;
        case '!':
            return x != y;
        case '<':
            return sign == "<" ? x < y : x <= y;
        case '>':
            return sign == ">" ? x > y : x >= y;
        case '+':
            return x + y;
        case '-':
            return x - y;
        case '*':
            return x * y;
        default:
            break;
        }
        if (y == 0) {
            fail("division by zero");
        }
        return sign == "/" ? x / y : x % y;
    }

    std::int64_t unary(bool counts) {
        if (take("!")) {
            return unary(counts) == 0;
        }
        if (take("-")) {
            return -unary(counts);
        }
        if (take("(")) {
            const std::int64_t value = binary(1, counts);
            expect(")");
            return value;
        }
        const std::string_view name = word();
        if (name == "defined") {
            expect("(");
            const bool known = constants_.contains(word());
            expect(")");
            return known;
        }
        return counts ? value_of(name) : 0;
    }

    std::int64_t value_of(std::string_view name) const {
        if (const auto found = constants_.find(name); found != constants_.end()) {
            return found->second;
        }
        const auto number = support::parse_number<std::int64_t>(std::string(name));
        if (!number) {
            fail(name.empty() ? "missing value" : "unknown name \"" + std::string(name) + '"');
        }
        return *number;
    }

    std::string_view text_;
    const PtxConstants& constants_;
    std::size_t at_ = 0;
};

} // namespace

std::int64_t evaluate_ptx_expression(std::string_view text, const PtxConstants& constants) {
    return Evaluator(text, constants).all();
}

} // namespace libsgemm::compile
