// SPDX-License-Identifier: Apache-2.0
#include "plan/describe.hpp"

#include "plan/precision.hpp"
#include "support/text.hpp"
#include "support/text_stream.hpp"

namespace libsgemm::planning {
namespace {

std::string range_text(const std::array<std::size_t, 3>& range) {
    return std::to_string(range[0]) + "x" + std::to_string(range[1]) + "x" +
           std::to_string(range[2]);
}

} // namespace

const char* name_of(PassKind kind) {
    switch (kind) {
    case PassKind::pre_pass:
        return "pre-pass";
    case PassKind::main_kernel:
        return "main kernel";
    default:
        return "post-pass";
    }
}

std::string problem_text(const validate::CanonicalProblem& problem) {
    support::TextWriter text;
    text << (problem.a.major == validate::Major::mn ? 'N' : 'T')
         << (problem.b.major == validate::Major::k ? 'N' : 'T') << ' ' << problem.m << 'x'
         << problem.n << 'x' << problem.k << ", ld " << problem.a.ld << ',' << problem.b.ld << ','
         << problem.c.ld;
    if (problem.batch != 1) {
        text << ", batch " << problem.batch;
    }
    if (problem.precision != Precision::strict) {
        text << ", " << precision_name(problem.precision);
    }
    if (problem.operands_swapped) {
        text << " (column-major form of a row-major call)";
    }
    return text.str();
}

std::string summarize(const PlanValue& plan) {
    const std::string precision = plan.precision == Precision::strict
                                      ? ""
                                      : ", " + std::string(precision_name(plan.precision));
    return plan.to_string() + ", " + plan.strategy + precision + ", " +
           std::to_string(plan.steps.size()) + (plan.steps.size() == 1 ? " launch" : " launches") +
           ", predicted " + support::format_seconds(plan.predicted_seconds);
}

std::string describe_steps(const PlanValue& plan) {
    support::TextWriter text;
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
        const Step& step = plan.steps[i];
        text << "  " << i + 1 << ". " << name_of(step.kind) << ' ' << step.build.name << ": "
             << step.purpose << "; NDRange " << range_text(step.range.global) << " in groups of "
             << range_text(step.range.local) << "; predicted "
             << support::format_seconds(step.predicted_seconds) << '\n';
    }
    if (plan.kernel != nullptr) {
        text << "  precision: " << precision_name(plan.precision)
             << ", |C - exact| <= " << plan.bound_terms
             << " * 2^-24 * (|alpha| |op(A)| |op(B)| + |beta| |C|)\n";
    }
    text << "  workspace: " << support::format_bytes(static_cast<double>(plan.workspace_bytes))
         << '\n';
    return text.str();
}

std::string describe_ranking(const Ranking& ranking) {
    support::TextWriter text;
    text << "candidates by predicted time"
         << (ranking.first_by_timing ? ", the first one by timing:\n" : ":\n");
    for (const PlanValue& plan : ranking.plans) {
        text << "  " << support::format_seconds(plan.predicted_seconds) << "  " << plan.to_string()
             << ", " << plan.strategy << '\n';
    }
    if (!ranking.rejected.empty()) {
        text << "rejected:\n";
    }
    for (const Rejection& rejection : ranking.rejected) {
        text << "  " << rejection.candidate << ": " << rejection.reason << '\n';
    }
    return text.str();
}

} // namespace libsgemm::planning
