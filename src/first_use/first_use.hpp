// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "execute/runtime.hpp"
#include "plan/planner.hpp"
#include "tables/choices.hpp"
#include "tables/device_table.hpp"

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace libsgemm::first_use {

/// Measures launch time and bandwidth with a pass of the library's own, and has the model take over
/// what is beyond doubt (with_readings()). Throws Error.
tables::MachineModel probe(const execute::Runtime& runtime, const execute::Compile& compile,
                           tables::MachineModel machine);

/// Decides by timing, once for each class of problems, whether another of the most promising plans
/// is clearly faster than the one that is predicted to be, and keeps the answer in a file. All
/// members may be called from any thread; timing happens in one at a time.
class FirstUse {
public:
    /// `known`: what need not be timed; `plans` > 0. What `compile` refuses is neither timed nor
    /// chosen.
    FirstUse(const execute::Runtime& runtime, execute::Compile compile,
             const std::vector<tables::Choice>& known, int plans, tables::ChoiceFile file);

    /// Reorders the plans of a ranking that are as asked; its options were open. What cannot be
    /// built, run or kept is a warning: then prediction decides, or the answer is only for this
    /// process.
    void settle(const validate::CanonicalProblem& problem, planning::Ranking& ranking);

private:
    std::optional<catalog::PlanKey> fastest(const validate::CanonicalProblem& problem,
                                            const planning::Ranking& ranking) const;
    void keep(const tables::Choice& choice) const;

    execute::Runtime runtime_;
    execute::Compile compile_;
    int plans_;
    tables::ChoiceFile file_;
    std::mutex mutex_;
    /// By class; nothing where nothing could be timed.
    std::map<std::string, std::optional<catalog::PlanKey>> answers_;
};

} // namespace libsgemm::first_use
