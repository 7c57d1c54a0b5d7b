// SPDX-License-Identifier: Apache-2.0
#include "context/shape_record.hpp"

#include "plan/exact_choice.hpp"
#include "support/atomic_file.hpp"

#include <array>
#include <exception>

namespace libsgemm::detail {
namespace {

/// "NT 64 32 16", with leading dimensions behind it where one is larger than it must be.
std::string line_of(const tables::ExactProblem& p) {
    std::string line{p.transpose_a ? 'T' : 'N', p.transpose_b ? 'T' : 'N'};
    for (const std::int64_t extent : {p.m, p.n, p.k}) {
        line += ' ' + std::to_string(extent);
    }
    const std::array<std::int64_t, 3> tight{p.transpose_a ? p.k : p.m, p.transpose_b ? p.n : p.k,
                                            p.m};
    for (const std::int64_t ld : p.ld) {
        line += p.ld == tight ? "" : ' ' + std::to_string(ld);
    }
    return line + '\n';
}

/// Whether offsets leave operands as aligned as their leading dimensions do.
bool is_as_aligned(const tables::ExactProblem& p, validate::CanonicalProblem problem) {
    for (validate::Operand* operand : {&problem.a, &problem.b, &problem.c}) {
        operand->offset_alignment = 64; // of the offset 0
    }
    return planning::exact_problem(problem) == p;
}

/// An editor may have left out the end of the last line.
bool has_line(const std::string& text, const std::string& line) {
    return ('\n' + text + '\n').find('\n' + line) != std::string::npos;
}

void add_line(const std::string& file, const std::string& line) {
    if (has_line(support::read_file(file).value_or(""), line)) {
        return; // nothing to write
    }
    support::update_file(file, [&](const std::string& before) {
        std::string text =
            before.empty() ? "# Recorded by libsgemm: sgemm-tune --shapes takes it.\n" : before;
        text += text.ends_with('\n') ? "" : "\n";
        return has_line(text, line) ? text : text + line; // another process may have been faster
    });
}

} // namespace

void record_shape(const std::string& file, const validate::CanonicalProblem& problem,
                  const support::Log& log, std::atomic<bool>& warned) {
    const auto exact = planning::exact_problem(problem);
    if (!exact) {
        return;
    }
    if (is_as_aligned(*exact, problem)) {
        try {
            add_line(file, line_of(*exact));
        } catch (const std::exception& error) { // of any kind: the call itself can go on
            log.warning([&] { return "SGEMM_RECORD: " + std::string(error.what()); });
        }
    } else if (!warned.exchange(true)) {
        log.warning([] {
            return "SGEMM_RECORD: problems whose offsets are less aligned than their leading "
                   "dimensions are left out";
        });
    }
}

} // namespace libsgemm::detail
