// SPDX-License-Identifier: Apache-2.0
#include "tune/search/speedup_svg.hpp"

#include "support/text_stream.hpp"
#include "tune/worker/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>

namespace libsgemm::tune {
namespace {

constexpr double width = 820;
constexpr double left = 240;  // for the shapes' names
constexpr double right = 200; // for speed-up and GFLOPS
constexpr double top = 64;
constexpr double bottom = 30;
constexpr double row_height = 24;
constexpr double bar_height = 16;

std::string escaped(const std::string& text) {
    std::string result;
    for (const char c : text) {
        result += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
    }
    return result;
}

/// 1, 2 or 5 times a power of ten: about five steps to `span`.
double step_of(double span) {
    const double rough = span / 5;
    const double power = std::pow(10, std::floor(std::log10(rough)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= rough) {
            return factor * power;
        }
    }
    return 10 * power;
}

std::string fixed(double value, int digits) {
    support::TextWriter text;
    text << std::fixed << std::setprecision(digits) << value;
    return text.str();
}

std::string gflops(double value) {
    return fixed(value, value < 100 ? 1 : 0);
}

std::string title(const std::vector<ShapeOutcome>& shapes, const std::string& device) {
    std::vector<double> speedups;
    speedups.reserve(shapes.size());
    for (const ShapeOutcome& shape : shapes) {
        speedups.push_back(shape.speedup);
    }
    const double mean = speedups.empty() ? 1 : geometric_mean(speedups);
    constexpr double noise = 1.005;
    return mean < noise ? "Tuning found nothing faster on " + device
                        : "Tuned, " + device + " is " + fixed(mean, 2) + " times as fast as before";
}

/// Text and bars, at places in pixels.
class Picture {
public:
    explicit Picture(double height) {
        svg_ << std::setprecision(6) << R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 )"
             << width << ' ' << height << R"(" font-family="sans-serif" font-size="12">)" << '\n'
             << R"(<rect width="100%" height="100%" fill="white"/>)" << '\n';
    }
    void text(double x, double y, const std::string& words, const std::string& attributes = "") {
        svg_ << "<text x=\"" << x << "\" y=\"" << y << "\" " << attributes << '>' << escaped(words)
             << "</text>\n";
    }
    void rectangle(double x, double y, double length, const std::string& colour) {
        svg_ << "<rect x=\"" << x << "\" y=\"" << y << "\" width=\"" << length << "\" height=\""
             << bar_height << "\" fill=\"" << colour << "\"/>\n";
    }
    void vertical(double x, double height, const std::string& attributes) {
        svg_ << "<path d=\"M" << x << ' ' << top - 6 << 'V' << height << "\" " << attributes
             << "/>\n";
    }
    std::string end() { return svg_.str() + "</svg>\n"; }

private:
    support::TextWriter svg_;
};

} // namespace

std::string speedup_svg(const std::vector<ShapeOutcome>& shapes, const std::string& device) {
    constexpr double longest = 8; // a bar beyond is cut
    double most = 1.25;
    for (const ShapeOutcome& shape : shapes) {
        most = std::clamp(shape.speedup, most, longest);
    }
    const double foot = top + row_height * static_cast<double>(shapes.size());
    const auto x = [&](double speedup) { return left + (width - left - right) * speedup / most; };
    Picture picture(foot + bottom);
    picture.text(16, 26, title(shapes, device), R"(font-size="15")");
    picture.text(16, 44, "Times as fast as before, by shape; in brackets before and after",
                 R"(fill="#666666")");
    for (int i = 0; i * step_of(most) <= most; ++i) {
        const double value = i * step_of(most);
        picture.vertical(x(value), foot, R"(stroke="#e4e4e4")");
        picture.text(x(value), foot + 18, fixed(value, step_of(most) < 1 ? 1 : 0),
                     R"(text-anchor="middle" fill="#666666")");
    }
    double y = top;
    for (const ShapeOutcome& shape : shapes) {
        picture.text(left - 8, y + 12, shape.name, R"(text-anchor="end")");
        const double before = x(std::min(1.0, shape.speedup));
        const double after = x(std::clamp(shape.speedup, 1.0, longest));
        picture.rectangle(left, y, before - left, "#b9bec6");
        picture.rectangle(x(1), y, after - x(1), "#d1495b");
        picture.text(after + 8, y + 12,
                     (shape.speedup > longest ? "cut: " : "") + fixed(shape.speedup, 2) + " (" +
                         gflops(shape.gflops / shape.speedup) + " \u2192 " + gflops(shape.gflops) +
                         " GFLOPS)");
        y += row_height;
    }
    picture.vertical(x(1), foot, R"(stroke="#555555" stroke-dasharray="3")");
    return picture.end();
}

} // namespace libsgemm::tune
