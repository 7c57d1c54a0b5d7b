// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "context/compiled_plan.hpp"
#include "context/plan_compiler.hpp"
#include "context/plan_memo.hpp"
#include "first_use/first_use.hpp"
#include "plan/planner.hpp"
#include "problem/problem.hpp"
#include "sgemm/expert.hpp"
#include "support/log.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

namespace libsgemm::detail {

/// What a PlanMaker decides by; all of it outlives the PlanMaker.
struct PlanSources {
    planning::PlanningContext planning;
    const ExpertPlanOptions& options;    ///< of the Context
    const std::string& preferred_kernel; ///< SGEMM_KERNEL, where the options leave the choice open
    const std::string& table_complaint;  ///< why the user's own table is not used
    const PlanCompiler& compiler;
    first_use::FirstUse& first_use;
    const support::Log& log;
    const std::string& record_file; ///< of SGEMM_RECORD; empty: none
};

/// Makes plans of checked problems, compiled, and remembers those of calls. All members may be
/// called from any thread.
class PlanMaker {
public:
    explicit PlanMaker(const PlanSources& sources) : sources_(sources) {}

    /// A plan, and for the trace where it comes from.
    struct Found {
        PlanPointer plan; ///< null where C is empty: there is nothing to do
        const char* origin = "";
    };
    /// The plan of a call; `multiplied` false: alpha or k is zero.
    Found find_or_make(const validate::CheckedProblem& problem, bool multiplied);
    /// What gemm() does: as the Context's options say, or as SGEMM_KERNEL prefers if that can be
    /// had in the problem's precision.
    PlanPointer make_default(const validate::CheckedProblem& problem, bool explain);
    PlanPointer make(const validate::CheckedProblem& problem, const ExpertPlanOptions& options,
                     bool explain);
    /// The Context's options with the kernel that SGEMM_KERNEL names; there must be one. Throws
    /// UnsupportedError where the problem's precision excludes it.
    ExpertPlanOptions preferred_options(const validate::CheckedProblem& problem) const;
    /// The plan where nothing is multiplied.
    PlanPointer make_scale(const validate::CheckedProblem& problem);
    /// Of the plan by the Context's options; nothing is compiled.
    double predicted_seconds(const validate::CheckedProblem& problem) const;

    /// Plans are made anew: timing has found other ones.
    void forget_plans() { memo_.forget_all(); }

    std::uint64_t plans_made() const { return plans_made_; }

private:
    void warn_of_preference(const std::string& reason) const;

    PlanSources sources_;
    PlanMemo<PlanPointer> memo_;
    std::atomic<std::uint64_t> plans_made_{0};
    std::atomic<bool> warned_of_alignment_{false}; ///< by record_shape()
};

/// Whether a problem multiplies anything, whatever alpha is.
bool needs_main_kernel(const validate::CheckedProblem& problem);

} // namespace libsgemm::detail
