// SPDX-License-Identifier: Apache-2.0
#include "print_regret.hpp"

#include "support/atomic_file.hpp"
#include "support/text.hpp"
#include "support/text_stream.hpp"
#include "temporary_file.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <iomanip>
#include <map>
#include <ostream>
#include <stdexcept>

namespace libsgemm::tune {
namespace {

std::string script_of(const std::string& file, const std::string& title,
                      const std::vector<PredictedTime>& times) {
    std::map<std::string, support::TextWriter> blocks;
    for (const PredictedTime& time : times) {
        blocks[time.kernel] << time.measured_us << ' ' << time.predicted_us << '\n';
    }
    support::TextWriter script;
    script << "set terminal svg size 900,800 noenhanced background 'white'\n"
           << "set output " << support::quoted(file) << "\n"
           << "set title " << support::quoted(title) << "\n"
           << "set logscale xy\nset grid\nset key left top\n"
           << "set xlabel 'measured, us'\nset ylabel 'predicted, us'\n";
    std::string curves = "x with lines lc 'black' notitle, 1.15*x with lines dt 2 lc 'grey' title "
                         "'15 % off', x/1.15 with lines dt 2 lc 'grey' notitle";
    std::size_t number = 0;
    for (const auto& [kernel, data] : blocks) {
        script << "$data" << number << " << EOD\n" << data.str() << "EOD\n";
        curves += ", $data" + std::to_string(number++) + " with points pt 7 ps 0.25 title " +
                  support::quoted(kernel);
    }
    script << "plot " << curves << "\n";
    return script.str();
}

/// While it lives, writing to a process that is gone is an error and not the end of this one.
class PipeSignalIgnored {
public:
    PipeSignalIgnored() : before_(std::signal(SIGPIPE, SIG_IGN)) {}
    ~PipeSignalIgnored() { std::signal(SIGPIPE, before_); }
    PipeSignalIgnored(const PipeSignalIgnored&) = delete;
    PipeSignalIgnored& operator=(const PipeSignalIgnored&) = delete;

private:
    void (*before_)(int);
};

/// The shell that looks for gnuplot is always there: only its exit status tells whether gnuplot is.
bool is_drawn(const std::string& script) {
    const PipeSignalIgnored ignored;
    FILE* const gnuplot = popen("gnuplot", "w");
    if (gnuplot == nullptr) {
        return false;
    }
    const bool is_written = std::fwrite(script.data(), 1, script.size(), gnuplot) == script.size();
    return pclose(gnuplot) == 0 && is_written;
}

} // namespace

void print_summaries(std::ostream& stream, const std::vector<RegretSummary>& summaries) {
    stream << "| suite | shapes | geomean | 95 % | worst | worst shape | first choice measured |\n"
           << "|---|---|---|---|---|---|---|\n"
           << std::fixed << std::setprecision(3);
    for (const RegretSummary& s : summaries) {
        stream << "| " << s.suite << " | " << s.shapes << " | " << s.geomean << " | " << s.p95
               << " | " << s.worst << " | " << s.worst_shape << " | " << s.covered << " |\n";
    }
}

void print_worst(std::ostream& stream, std::vector<ShapeRegret> regrets, std::size_t count) {
    std::stable_sort(
        regrets.begin(), regrets.end(),
        [](const ShapeRegret& x, const ShapeRegret& y) { return x.regret > y.regret; });
    regrets.resize(std::min(count, regrets.size()));
    stream
        << "| regret | shape | chosen | predicted, measured us | best | predicted, measured us |\n"
        << "|---|---|---|---|---|---|\n"
        << std::setprecision(3);
    for (const ShapeRegret& r : regrets) {
        stream << std::fixed << "| " << r.regret << " | " << r.shape << " | " << r.chosen << " | "
               << std::defaultfloat << r.chosen_predicted_us << ", " << r.chosen_us << " | "
               << r.best << " | " << r.best_predicted_us << ", " << r.best_us << " |\n";
    }
}

void draw_scatter(const std::string& file, const std::string& title,
                  const std::vector<PredictedTime>& times) {
    // gnuplot does not say whether all of it was written.
    const TemporaryFile picture;
    const std::string svg = is_drawn(script_of(picture.path(), title, times))
                                ? support::read_file(picture.path()).value_or("")
                                : "";
    if (svg.find("</svg>") == std::string::npos) {
        throw std::runtime_error(file + ": cannot be drawn (is gnuplot installed?)");
    }
    support::replace_file(file, svg);
}

} // namespace libsgemm::tune
