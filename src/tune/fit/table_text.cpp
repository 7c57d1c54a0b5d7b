// SPDX-License-Identifier: Apache-2.0
//
// Changes the models in the text of a device table and nothing else.
#include "sgemm/error.hpp"
#include "support/text_stream.hpp"
#include "tables/coefficients.hpp"
#include "tune/fit/fit.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace libsgemm::tune {
namespace {

using tables::DeviceTable;
using tables::KernelModel;

constexpr int fitted_digits = 3;

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    support::TextReader stream(text);
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    return lines;
}

bool starts_with(const std::string& line, const std::string& start) {
    return line.compare(0, start.size(), start) == 0;
}

/// The key of a "KEY = VALUE" line; empty for others.
std::string key_of(const std::string& line) {
    const std::size_t end = line.find_first_of(" =");
    return end == std::string::npos || line[0] == '#' ? std::string() : line.substr(0, end);
}

/// Text in the making: where the models go is where the old ones were.
class Rewriter {
public:
    explicit Rewriter(const DeviceTable& fitted) : fitted_(fitted) {}

    std::string run(const std::string& text) {
        for (const std::string& line : lines_of(text)) {
            if (starts_with(line, "[")) {
                enter(line);
            }
            const std::string key = key_of(line);
            if (section_ == Section::kernel && key == "model") {
                add(model_line());
                has_model_ = true;
            } else if (!(section_ == Section::machine && is_fitted_machine_key(key))) {
                add(line);
            }
            if (line == "[machine]") {
                text_ += tables::fitted_machine_text(fitted_.machine, fitted_digits);
            }
        }
        leave();
        return text_;
    }

private:
    enum class Section { other, machine, kernel };

    void enter(const std::string& line) {
        leave();
        section_ = line == "[machine]"    ? Section::machine
                   : line == "[[kernel]]" ? Section::kernel
                                          : Section::other;
        if (section_ == Section::kernel) {
            row_ = next_row_++;
            has_model_ = false;
        }
    }

    /// A row without a model gets one behind its last line.
    void leave() {
        if (section_ != Section::kernel || has_model_) {
            return;
        }
        std::size_t end = text_.size();
        while (end > 1 && text_[end - 1] == '\n' && text_[end - 2] == '\n') {
            --end;
        }
        text_.insert(end, model_line() + "\n");
    }

    static bool is_fitted_machine_key(const std::string& key) {
        return std::ranges::any_of(tables::machine_coefficients(), [&](const auto& c) {
            return c.prior && (key == c.key || key == tables::earlier_key(c.key));
        });
    }

    std::string model_line() const {
        return "model = { " + tables::model_text(model(), fitted_digits) + " }";
    }

    void add(const std::string& line) { text_ += line + "\n"; }

    const KernelModel& model() const {
        if (row_ >= fitted_.rows.size()) {
            throw ConfigurationError(fitted_.origin + ": has other rows than its text");
        }
        return fitted_.rows[row_].model;
    }

    const DeviceTable& fitted_;
    std::string text_;
    Section section_ = Section::other;
    std::size_t row_ = 0;
    std::size_t next_row_ = 0;
    bool has_model_ = false;
};

} // namespace

std::string with_models(const std::string& text, const DeviceTable& fitted) {
    std::string result = Rewriter(fitted).run(text);
    const DeviceTable parsed = tables::parse_table(result, fitted.origin);
    for (std::size_t i = 0; i < parsed.rows.size(); ++i) {
        const double written = parsed.rows[i].model.efficiency;
        const double meant = fitted.rows.at(i).model.efficiency;
        if (std::abs(written / meant - 1) > 0.01) {
            throw ConfigurationError(fitted.origin + ": the model of row " + std::to_string(i + 1) +
                                     " does not stand in a line of its own");
        }
    }
    return result;
}

} // namespace libsgemm::tune
