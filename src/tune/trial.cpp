// SPDX-License-Identifier: Apache-2.0
#include "tune/trial.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace sgemm::tune {
namespace {

using Name = std::pair<Verdict, std::string_view>;
constexpr std::array names{Name{Verdict::ok, "ok"},
                           Name{Verdict::wrong, "wrong"},
                           Name{Verdict::build_failed, "build failed"},
                           Name{Verdict::launch_failed, "launch failed"},
                           Name{Verdict::timeout, "timeout"},
                           Name{Verdict::constraint, "constraint"}};

} // namespace

std::string_view to_string(Verdict verdict) {
    const auto* found = std::ranges::find(names, verdict, &Name::first);
    return found->second;
}

std::optional<Verdict> parse_verdict(std::string_view name) {
    const auto* found = std::ranges::find(names, name, &Name::second);
    return found == names.end() ? std::nullopt : std::optional(found->first);
}

TrialResult failed(Verdict verdict, std::string message) {
    TrialResult result;
    result.verdict = verdict;
    result.message = std::move(message);
    return result;
}

Problem to_problem(const Shape& shape) {
    Problem problem;
    problem.transpose_a = shape.transpose_a ? Transpose::yes : Transpose::no;
    problem.transpose_b = shape.transpose_b ? Transpose::yes : Transpose::no;
    problem.m = shape.m;
    problem.n = shape.n;
    problem.k = shape.k;
    problem.lda = shape.lda;
    problem.ldb = shape.ldb;
    problem.ldc = shape.ldc;
    return problem;
}

} // namespace sgemm::tune
