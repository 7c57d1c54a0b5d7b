// SPDX-License-Identifier: Apache-2.0
#include "tune/search/curve_svg.hpp"

#include "support/text_stream.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>

namespace libsgemm::tune {
namespace {

constexpr double width = 720;
constexpr double height = 360;
constexpr double left = 60;
constexpr double right = 20;
constexpr double top = 40;
constexpr double bottom = 50;

std::string escaped(const std::string& text) {
    std::string result;
    for (const char c : text) {
        result += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
    }
    return result;
}

/// 1, 2 or 5 times a power of ten: about five steps to `span`.
double step_of(double span) {
    const double rough = std::max(span, 1e-9) / 5;
    const double power = std::pow(10, std::floor(std::log10(rough)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= rough) {
            return factor * power;
        }
    }
    return 10 * power;
}

/// Round values from `low` to `high`, the first at `low`.
std::vector<double> grid_lines(double low, double high) {
    const double step = step_of(high - low);
    std::vector<double> lines(static_cast<std::size_t>((high - low) / step) + 1);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        lines[i] = low + static_cast<double>(i) * step;
    }
    return lines;
}

} // namespace

std::string curve_svg(const std::vector<CurvePoint>& curve, double seconds,
                      const std::string& title) {
    double most = 1.1;
    for (const CurvePoint& point : curve) {
        most = std::max(most, 1.05 * point.speedup);
    }
    const double span = std::max(seconds, 1.0);
    const auto x = [&](double t) { return left + (width - left - right) * t / span; };
    const auto y = [&](double v) {
        return height - bottom - (height - top - bottom) * (v - 1) / (most - 1);
    };
    support::TextWriter svg;
    svg << std::setprecision(6);
    svg << R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 )" << width << ' ' << height
        << R"(" font-family="sans-serif" font-size="12">)" << '\n'
        << R"(<rect width="100%" height="100%" fill="white"/>)" << '\n'
        << R"(<text x=")" << left << R"(" y="24" font-size="14">)" << escaped(title) << "</text>\n"
        << R"(<g stroke="#ddd">)" << '\n';
    support::TextWriter labels;
    labels << std::setprecision(4);
    for (const double v : grid_lines(1, most)) {
        svg << R"(<path d="M)" << left << ' ' << y(v) << 'H' << width - right << R"("/>)" << '\n';
        labels << R"(<text text-anchor="end" x=")" << left - 6 << R"(" y=")" << y(v) + 4 << R"(">)"
               << v << "</text>\n";
    }
    for (const double t : grid_lines(0, span)) {
        svg << R"(<path d="M)" << x(t) << ' ' << top << 'V' << height - bottom << R"("/>)" << '\n';
        labels << R"(<text text-anchor="middle" x=")" << x(t) << R"(" y=")" << height - bottom + 16
               << R"(">)" << t << "</text>\n";
    }
    svg << "</g>\n" << labels.str();
    svg << R"(<text text-anchor="middle" x=")" << (left + width) / 2 << R"(" y=")" << height - 12
        << R"(">seconds</text>)" << '\n'
        << R"(<text transform="translate(16 )" << height / 2
        << R"lit() rotate(-90)" text-anchor="middle">times as fast as before</text>)lit" << '\n'
        << R"(<path fill="none" stroke="#1f6fb4" stroke-width="2" d="M)" << x(0) << ' ' << y(1);
    for (const CurvePoint& point : curve) {
        svg << 'H' << x(std::min(point.seconds, span)) << 'V' << y(std::max(1.0, point.speedup));
    }
    svg << 'H' << x(span) << R"("/>)"
        << "\n</svg>\n";
    return svg.str();
}

} // namespace libsgemm::tune
