// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/kernel_catalog.hpp"
#include "execute/plan_clock.hpp"
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
/// members may be called from any thread; timing at first use happens in one at a time, and so does
/// tuning.
class FirstUse {
public:
    /// `known`: what need not be timed; `plans`: to time at first use, 0: none. What `compile`
    /// refuses is neither timed nor chosen. The catalogue outlives the object.
    FirstUse(const execute::Runtime& runtime, execute::Compile compile,
             const std::vector<tables::Choice>& known, int plans, tables::ChoiceFile file,
             const catalog::KernelCatalog& catalog = catalog::kernel_catalog());

    /// Reorders the plans of a ranking that are as asked; its options were open. What cannot be
    /// built, run or kept is a warning: then prediction decides, or the answer is only for this
    /// process.
    void settle(const validate::CanonicalProblem& problem, planning::Ranking& ranking);

    /// The tuned plan of exactly this problem, if any; else the order stays.
    void take_tuned(const validate::CanonicalProblem& problem, planning::Ranking& ranking) const;

    /// What came of the tuning of one problem; seconds of device time of a call.
    struct Tuned {
        std::string plan; ///< in words
        double seconds = 0, seconds_before = 0;
    };
    /// Times as many plans of a ranking, for exactly this problem, as `seconds` allow, but one of
    /// each family at least, and keeps the fastest: the first one stays unless another is clearly
    /// faster. exact_problem() knows the problem. Nothing where no plan can run. Throws Error.
    std::optional<Tuned> tune(const validate::CanonicalProblem& problem,
                              const planning::Ranking& ranking, double seconds);

private:
    std::optional<execute::PlanClock::Ready> prepare(const planning::PlanValue& plan) const;
    std::optional<catalog::PlanKey> fastest(const validate::CanonicalProblem& problem,
                                            const planning::Ranking& ranking) const;
    std::vector<execute::PlanClock::Ready> ready_in_time(execute::PlanClock& clock,
                                                         const planning::Ranking& ranking,
                                                         double seconds) const;
    void keep(const tables::Choice& choice) const;

    execute::Runtime runtime_;
    execute::Compile compile_;
    int plans_;
    tables::ChoiceFile file_;
    const catalog::KernelCatalog& catalog_;
    std::mutex tuning_mutex_; ///< not the one below: a call must not wait until all is tuned
    std::mutex mutex_;
    /// By class; nothing where nothing could be timed.
    std::map<std::string, std::optional<catalog::PlanKey>> answers_;
    mutable std::mutex tuned_mutex_;
    std::vector<tables::Choice> tuned_; ///< for exactly one problem each
};

} // namespace libsgemm::first_use
