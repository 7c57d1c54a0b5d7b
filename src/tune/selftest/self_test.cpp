// SPDX-License-Identifier: Apache-2.0
#include "tune/selftest/self_test.hpp"

#include "support/text.hpp"
#include "support/text_stream.hpp"
#include "tables/disabled_kernels.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>

namespace libsgemm::tune {
namespace {

using Clock = std::chrono::steady_clock;
using tables::DisabledKernel;

/// A kernel with parameters, and what is known of it.
struct Subject {
    const catalog::KernelEntry* kernel = nullptr;
    catalog::Parameters parameters; ///< complete
    std::size_t problems = 0;
    bool failed = false;
    bool verified = false; ///< at every remainder
};

/// Parts that a first look at a configuration is divided into, so that all kernels get some of the
/// time. A number without a common factor strides through them: neighbours are alike.
constexpr int rounds = 16;
constexpr int round_stride = 5;
constexpr int shapes_at_first = 3;

class SelfTest {
public:
    explicit SelfTest(const SelfTestSetup& setup)
        : setup_(setup), worker_(setup.worker, setup.limits) {
        list_subjects();
    }

    SelfTestReport run() {
        for (Subject& subject : subjects_) { // what was disabled may come back, but not lightly
            if (is_disabled(subject) && has_time()) {
                verify_all(subject);
            }
        }
        bool every_case = true;
        for (int i = 0; i < rounds && every_case; ++i) {
            for (Subject& subject : subjects_) {
                every_case = every_case && has_time();
                look_at(subject, {i * round_stride % rounds, rounds, shapes_at_first});
            }
            tell(std::to_string(i + 1) + " of " + std::to_string(rounds) + " rounds, " +
                 std::to_string(problems()) + " problems");
        }
        for (Subject& subject : subjects_) {
            verify_all(subject);
        }
        return report(every_case);
    }

private:
    void list_subjects() {
        const auto add = [this](const catalog::KernelEntry& kernel,
                                const catalog::Parameters& parameters) {
            const bool known =
                std::any_of(subjects_.begin(), subjects_.end(), [&](const Subject& s) {
                    return s.kernel == &kernel && s.parameters == parameters;
                });
            // The others are checked by the library when they are first used.
            const bool is_strict = kernel.precision == Precision::strict;
            if (!known && is_strict &&
                catalog::obstacles(kernel, parameters, setup_.device).empty()) {
                subjects_.push_back({&kernel, parameters});
            }
        };
        const catalog::KernelCatalog& catalog = *setup_.kernels;
        add(catalog.naive(), catalog.naive().defaults());
        for (const tables::TableRow& row : setup_.table.rows) {
            if (const catalog::KernelEntry* kernel = catalog.find(row.kernel)) {
                add(*kernel, kernel->completed(row.parameters));
            }
        }
        for (const catalog::KernelEntry& kernel : catalog.entries()) {
            add(kernel, kernel.defaults());
        }
    }

    bool is_disabled(const Subject& subject) const {
        return tables::find_disabled(setup_.table, subject.kernel->name, subject.parameters) !=
               nullptr;
    }

    double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
    bool has_time() const { return seconds() < setup_.seconds; }

    void tell(const std::string& text) const {
        if (setup_.progress) {
            setup_.progress(text);
        }
    }

    void verify_all(Subject& subject) {
        if (!subject.verified) {
            subject.verified = look_at(subject, {0, 1, 0});
        }
    }

    /// False where it was not looked at, or something is wrong.
    bool look_at(Subject& subject, Part part) {
        if (subject.failed || subject.verified || !has_time()) {
            return false;
        }
        const TrialResult result = judge(subject, part);
        if (result.ok()) {
            return true;
        }
        subject.failed = true;
        tell(std::string(subject.kernel->name) + ": " + std::string(to_string(result.verdict)));
        return false;
    }

    TrialResult verify(const Subject& subject, Part part, std::size_t& problems) {
        return worker_.verify({std::string(subject.kernel->name), subject.parameters, {}}, part,
                              problems);
    }

    /// A wrong result is believed at once. Anything else may be the moment's fault: it must repeat.
    TrialResult judge(Subject& subject, Part part) {
        std::size_t problems = 0;
        TrialResult result = verify(subject, part, problems);
        if (!result.ok() && result.verdict != Verdict::wrong) {
            const SelfTestFinding first = finding_of(subject, result);
            tell(first.kernel + ": " + std::string(to_string(first.verdict)) +
                 ", once more in a new process");
            result = repeat(subject, part, problems);
            const bool is_decided =
                result.verdict == Verdict::wrong ||
                (result.verdict == first.verdict && result.verdict != Verdict::shortage);
            if (!is_decided) {
                troubles_.push_back({first, result.ok()});
            }
            if (result.ok() || !is_decided) {
                subject.problems += problems;
                return result;
            }
        }
        subject.problems += problems;
        if (!result.ok()) {
            findings_.push_back(finding_of(subject, result));
        }
        return result;
    }

    /// In a new process that has just run the plainest kernel.
    TrialResult repeat(const Subject& subject, Part part, std::size_t& problems) {
        worker_.restart();
        const Subject& plainest = subjects_.front();
        if (subject.kernel != plainest.kernel) {
            constexpr Part little{0, rounds, 1};
            std::size_t ignored = 0;
            const TrialResult plain = verify(plainest, little, ignored);
            if (!plain.ok() && plain.verdict != Verdict::wrong) {
                return failed(Verdict::shortage,
                              "the plainest kernel does not run either: " + plain.message);
            }
        }
        return verify(subject, part, problems);
    }

    static SelfTestFinding finding_of(const Subject& subject, const TrialResult& result) {
        return {std::string(subject.kernel->name), subject.parameters, result.verdict,
                result.message};
    }

    std::size_t problems() const {
        return std::accumulate(
            subjects_.begin(), subjects_.end(), std::size_t{0},
            [](std::size_t sum, const Subject& subject) { return sum + subject.problems; });
    }

    /// Every set of parameters that an entry is about has been found right, at every remainder.
    bool is_lifted(const DisabledKernel& entry) const {
        bool any = false;
        bool all = true;
        const tables::DeviceTable alone = [&] {
            tables::DeviceTable table;
            table.disabled = {entry};
            return table;
        }();
        for (const Subject& subject : subjects_) {
            if (tables::find_disabled(alone, subject.kernel->name, subject.parameters) != nullptr) {
                any = true;
                all = all && subject.verified;
            }
        }
        return any && all;
    }

    DisabledKernel entry_of(const SelfTestFinding& finding) const {
        constexpr std::size_t most = 300;
        DisabledKernel entry;
        entry.kernel = finding.kernel;
        if (finding.verdict != Verdict::wrong) {
            entry.parameters = finding.parameters;
        }
        entry.reason =
            std::string(to_string(finding.verdict)) + ": " + finding.message.substr(0, most);
        entry.source = setup_.kernels->short_source_hash(finding.kernel);
        return entry;
    }

    SelfTestReport report(bool every_case) const {
        SelfTestReport report;
        report.findings = findings_;
        report.troubles = troubles_;
        report.seconds = seconds();
        report.every_case = every_case;
        for (const catalog::KernelEntry& kernel : setup_.kernels->entries()) {
            KernelReport of;
            of.kernel = kernel.name;
            for (const Subject& subject : subjects_) {
                if (subject.kernel == &kernel) {
                    of.configurations += subject.problems > 0 || subject.failed ? 1 : 0;
                    of.problems += subject.problems;
                }
            }
            if (of.configurations == 0) {
                of.obstacles = catalog::obstacles(kernel, kernel.defaults(), setup_.device);
            }
            of.is_left_out = kernel.precision != Precision::strict;
            report.kernels.push_back(std::move(of));
        }
        for (const SelfTestFinding& finding : findings_) {
            report.disabled.push_back(entry_of(finding));
        }
        for (const DisabledKernel& before : setup_.table.disabled) {
            const bool again = std::any_of(
                report.disabled.begin(), report.disabled.end(), [&](const DisabledKernel& now) {
                    return now.kernel == before.kernel &&
                           (now.parameters.empty() || now.parameters == before.parameters);
                });
            if (is_lifted(before)) {
                ++report.lifted;
            } else if (!again) {
                report.disabled.push_back(before);
            }
        }
        return report;
    }

    const SelfTestSetup& setup_;
    Worker worker_;
    Clock::time_point start_ = Clock::now();
    std::vector<Subject> subjects_;
    std::vector<SelfTestFinding> findings_;
    std::vector<SelfTestTrouble> troubles_;
};

std::string words_for(const SelfTestFinding& finding) {
    switch (finding.verdict) {
    case Verdict::wrong:
        return "gives WRONG results";
    case Verdict::build_failed:
        return "does not compile with the parameters " + finding.parameters.to_string();
    case Verdict::timeout:
        return "does not come to an end with the parameters " + finding.parameters.to_string();
    case Verdict::shortage:
        return "cannot be tested: memory or the device is not to be had";
    default:
        return "cannot be run with the parameters " + finding.parameters.to_string();
    }
}

std::string count_text(std::size_t count, const char* one) {
    return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
}

void add_kernel(std::ostream& out, const KernelReport& kernel, const SelfTestReport& report) {
    out << "  " << kernel.kernel << ": ";
    bool is_right = true;
    for (const SelfTestFinding& finding : report.findings) {
        if (finding.kernel == kernel.kernel) {
            out << (is_right ? "" : "; ") << words_for(finding);
            is_right = false;
        }
    }
    for (const SelfTestTrouble& trouble : report.troubles) {
        if (trouble.what.kernel == kernel.kernel && !trouble.went_away) {
            out << (is_right ? "" : "; ") << "NOT decided, see below";
            is_right = false;
        }
    }
    if (!is_right) {
        out << '\n';
    } else if (kernel.is_left_out) {
        out << "left out: not strict, and checked when it is first used\n";
    } else if (!kernel.obstacles.empty()) {
        out << "not for this device (" << kernel.obstacles.front() << ")\n";
    } else if (kernel.problems == 0) {
        out << "not looked at: the time was up\n";
    } else {
        out << "right (" << count_text(kernel.problems, "problem") << ", "
            << count_text(kernel.configurations, "set") << " of parameters)\n";
    }
}

} // namespace

std::size_t SelfTestReport::problems() const {
    return std::accumulate(
        kernels.begin(), kernels.end(), std::size_t{0},
        [](std::size_t sum, const KernelReport& kernel) { return sum + kernel.problems; });
}

bool SelfTestReport::all_right() const {
    return findings.empty() && disabled.empty() &&
           std::all_of(troubles.begin(), troubles.end(),
                       [](const SelfTestTrouble& trouble) { return trouble.went_away; });
}

SelfTestReport run_self_test(const SelfTestSetup& setup) {
    return SelfTest(setup).run();
}

std::string self_test_text(const SelfTestReport& report, const std::string& file) {
    support::TextWriter out;
    for (const KernelReport& kernel : report.kernels) {
        add_kernel(out, kernel, report);
    }
    out << '\n'
        << count_text(report.problems(), "problem") << " in "
        << support::format_seconds(report.seconds) << ", each against a float64 reference";
    out << (report.every_case
                ? ".\n"
                : "; the time was up before every case had its turn (--seconds gives more).\n");
    for (const SelfTestFinding& finding : report.findings) {
        out << "\n"
            << finding.kernel << " " << words_for(finding) << ":\n    " << finding.message << '\n';
    }
    for (const SelfTestTrouble& trouble : report.troubles) {
        out << "\n"
            << trouble.what.kernel << " (" << trouble.what.parameters.to_string() << "): "
            << (trouble.went_away ? "right when tried again in a new process; at first"
                                  : "not decided, and not disabled for it: tried twice; at first")
            << " a " << to_string(trouble.what.verdict) << ":\n    " << trouble.what.message
            << '\n';
    }
    if (report.lifted > 0) {
        out << "\n"
            << count_text(report.lifted, "entry")
            << " of kernels that were disabled before: right now, and in use again.\n";
    }
    if (report.disabled.empty()) {
        out << (report.all_right() ? "\nNothing wrong was found.\n"
                                   : "\nNothing wrong was found in what could be tested. Try "
                                     "again when the device is free.\n");
        return out.str();
    }
    out << "\nDisabled from now on for every program on this machine and device ("
        << (file.empty() ? "not kept: there is no home folder" : file) << "):\n";
    for (const DisabledKernel& disabled : report.disabled) {
        out << "  " << disabled.kernel
            << (disabled.parameters.empty() ? "" : " (" + disabled.parameters.to_string() + ")")
            << '\n';
    }
    if (!report.kernels.empty() &&
        std::any_of(report.disabled.begin(), report.disabled.end(), [&](const DisabledKernel& d) {
            return d.kernel == report.kernels.front().kernel && d.parameters.empty();
        })) {
        out << "The plainest kernel is among them: this driver or device cannot be trusted. Calls "
               "that no other\n"
               "kernel can run will fail. Use another device or driver.\n";
    } else {
        out << "Calls use other kernels instead. A newer driver may help: run the self-test again "
               "after an update.\n";
    }
    return out.str();
}

} // namespace libsgemm::tune
