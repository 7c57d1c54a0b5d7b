// SPDX-License-Identifier: Apache-2.0
#include "tune/worker/trial.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace libsgemm::tune {
namespace {

using Name = std::pair<Verdict, std::string_view>;
constexpr std::array names{Name{Verdict::ok, "ok"},
                           Name{Verdict::wrong, "wrong"},
                           Name{Verdict::build_failed, "build failed"},
                           Name{Verdict::launch_failed, "launch failed"},
                           Name{Verdict::timeout, "timeout"},
                           Name{Verdict::constraint, "constraint"},
                           Name{Verdict::shortage, "shortage"}};

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

} // namespace libsgemm::tune
