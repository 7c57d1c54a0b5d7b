// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "context/compiled_plan.hpp"
#include "execute/runtime.hpp"
#include "plan/planner.hpp"

#include <map>
#include <mutex>
#include <string>

namespace libsgemm::detail {

/// Makes plans programs that may be enqueued: built, and tried first where nobody vouches for them.
/// All members may be called from any thread.
class PlanCompiler {
public:
    /// What the arguments refer to outlives this object.
    PlanCompiler(const execute::Runtime& runtime, const planning::PlanningContext& planning)
        : runtime_(runtime), planning_(planning) {}

    /// The programs of a plan's steps. Those that are re-targeted are not what the platform's
    /// compiler vouches for: each such build is tried with a small product, once, before anything
    /// else may run it. One that fails counts as one that does not build. Throws BuildError.
    compile::Programs compile(const planning::PlanValue& plan) const;
    /// The fallback chain: candidates in the order of their predicted times; the naive kernel is
    /// always one of them unless a kernel is forced. Throws BuildError.
    void compile_first_that_builds(CompiledPlan& plan, planning::Ranking ranking,
                                   bool may_fall_back) const;

private:
    compile::Programs build(const planning::PlanValue& plan) const;
    void require_self_test(const planning::PlanValue& plan,
                           const planning::KernelBuild& target) const;
    std::string run_self_test(const planning::PlanValue& plan,
                              const planning::KernelBuild& target) const;

    execute::Runtime runtime_;
    planning::PlanningContext planning_;
    mutable std::mutex self_tests_mutex_;
    mutable std::map<std::string, std::string> self_tests_; ///< what is wrong, by build
};

} // namespace libsgemm::detail
