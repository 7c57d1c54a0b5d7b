// SPDX-License-Identifier: Apache-2.0
#include "context/plan_maker.hpp"

#include "context/shape_record.hpp"
#include "plan/candidates.hpp"
#include "plan/check_options.hpp"
#include "plan/describe.hpp"
#include "plan/precision.hpp"
#include "sgemm/error.hpp"

#include <utility>

namespace libsgemm::detail {

using validate::CheckedProblem;

bool needs_main_kernel(const CheckedProblem& problem) {
    return !problem.c.empty() && problem.canonical.k > 0;
}

PlanMaker::Found PlanMaker::find_or_make(const CheckedProblem& problem, bool multiplied) {
    const PlanKey key{problem.canonical, multiplied};
    if (auto known = memo_.find(key)) {
        return {*std::move(known), "a remembered plan"};
    }
    if (multiplied && !sources_.record_file.empty()) {
        record_shape(sources_.record_file, problem.canonical, sources_.log, warned_of_alignment_);
    }
    const std::uint64_t generation = memo_.generation();
    PlanPointer plan = multiplied ? make_default(problem, false) : make_scale(problem);
    memo_.insert(key, plan, generation);
    return {std::move(plan), "a new plan"};
}

PlanPointer PlanMaker::make_default(const CheckedProblem& problem, bool explain) {
    if (!sources_.preferred_kernel.empty()) {
        try {
            return make(problem, preferred_options(problem), explain);
        } catch (const UnsupportedError& error) {
            warn_of_preference(error.what());
        } catch (const BuildError& error) {
            warn_of_preference(error.what());
        }
    }
    return make(problem, sources_.options, explain);
}

ExpertPlanOptions PlanMaker::preferred_options(const CheckedProblem& problem) const {
    ExpertPlanOptions preferred = sources_.options;
    preferred.kernel = sources_.preferred_kernel;
    const catalog::KernelEntry* kernel = sources_.planning.catalog.find(preferred.kernel);
    // A precision is what the program was promised.
    if (kernel != nullptr && !planning::is_allowed(*kernel, problem.canonical.precision)) {
        throw UnsupportedError("it splits operands, which Precision::" +
                               std::string(planning::precision_name(problem.canonical.precision)) +
                               " does not allow");
    }
    return preferred;
}

void PlanMaker::warn_of_preference(const std::string& reason) const {
    sources_.log.warning(
        [&] { return "SGEMM_KERNEL=" + sources_.preferred_kernel + ": " + reason; });
}

PlanPointer PlanMaker::make(const CheckedProblem& problem, const ExpertPlanOptions& options,
                            bool explain) {
    planning::Ranking ranking = planning::rank_plans(problem.canonical, options, sources_.planning);
    if (ranking.first_by_access) {
        sources_.log.warning([&] {
            return "C's buffer is CL_MEM_WRITE_ONLY, which rules out plans that add up ranges of k "
                   "in C: " +
                   planning::problem_text(problem.canonical) +
                   " may be faster with CL_MEM_READ_WRITE";
        });
    }
    // Parts that were packed before are not in the memory that plans are timed on.
    const bool has_parts =
        problem.canonical.a.packed.has_parts() || problem.canonical.b.packed.has_parts();
    if (planning::is_open(options) && !has_parts) {
        sources_.first_use.settle(problem.canonical, ranking);
    }
    auto plan = std::make_shared<CompiledPlan>();
    plan->problem = problem;
    if (explain || sources_.log.traces()) {
        plan->explanation = planning::describe_ranking(ranking);
    }
    sources_.compiler.compile_first_that_builds(*plan, std::move(ranking), options.kernel.empty());
    sources_.log.trace([&] {
        return "new plan\n" + describe(*plan, sources_.planning, sources_.table_complaint);
    });
    if (!explain) {
        plan->explanation = {};
    }
    ++plans_made_;
    return plan;
}

PlanPointer PlanMaker::make_scale(const CheckedProblem& problem) {
    auto plan = std::make_shared<CompiledPlan>();
    plan->problem = problem;
    if (!problem.c.empty()) {
        plan->value = planning::scale_plan(problem.canonical, sources_.planning.passes());
        plan->programs = sources_.compiler.compile(plan->value);
    }
    ++plans_made_;
    return plan;
}

double PlanMaker::predicted_seconds(const CheckedProblem& problem) const {
    if (problem.c.empty()) {
        return 0;
    }
    if (!needs_main_kernel(problem)) {
        return planning::scale_plan(problem.canonical, sources_.planning.passes())
            .predicted_seconds;
    }
    return planning::rank_plans(problem.canonical, sources_.options, sources_.planning)
        .plans.front()
        .predicted_seconds;
}

} // namespace libsgemm::detail
