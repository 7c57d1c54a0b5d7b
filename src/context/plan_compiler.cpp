// SPDX-License-Identifier: Apache-2.0
#include "context/plan_compiler.hpp"

#include "execute/small_product.hpp"
#include "execute/small_product_plan.hpp"
#include "sgemm/error.hpp"

#include <utility>

namespace libsgemm::detail {
namespace {

/// A kernel whose registers allow only smaller work-groups counts as one that does not build.
void check_work_group(const planning::Step& step, const compile::Program& program,
                      cl_device_id device) {
    // Of re-targeted programs the driver's answers are not relied on: these are tried before they
    // are used.
    if (!step.build.architecture_specific && !program.allows_work_group(step.range.local, device)) {
        throw BuildError(step.build.name,
                         "compiled for this device it does not allow work-groups of " +
                             std::to_string(step.range.local[0]) + "x" +
                             std::to_string(step.range.local[1]) + " work-items");
    }
}

/// Tells builds apart.
std::string name_of(const planning::KernelBuild& build) {
    std::string name = build.source + " " + build.function;
    for (const auto& [macro, value] : build.defines) {
        name.append(" ").append(macro).append("=").append(value);
    }
    return name + " registers " + std::to_string(build.max_registers);
}

} // namespace

compile::Programs PlanCompiler::build(const planning::PlanValue& plan) const {
    compile::Programs programs;
    for (const planning::Step& step : plan.steps) {
        programs.push_back(runtime_.programs.get(step.build));
        check_work_group(step, *programs.back(), runtime_.device);
    }
    return programs;
}

compile::Programs PlanCompiler::compile(const planning::PlanValue& plan) const {
    compile::Programs programs = build(plan);
    for (const planning::Step& step : plan.steps) {
        if (step.build.architecture_specific) {
            require_self_test(plan, step.build);
        }
    }
    return programs;
}

/// What is wrong with a build, by a small product; nothing if all is right.
std::string PlanCompiler::run_self_test(const planning::PlanValue& plan,
                                        const planning::KernelBuild& target) const {
    const auto small = execute::plan_small_product(plan, target, planning_);
    if (!small) {
        return "its self-test is not possible: no small problem has that build";
    }
    return execute::fault_of_small_product(runtime_, small->problem, small->plan,
                                           build(small->plan));
}

void PlanCompiler::require_self_test(const planning::PlanValue& plan,
                                     const planning::KernelBuild& target) const {
    const std::string name = name_of(target);
    const std::lock_guard lock(self_tests_mutex_);
    auto known = self_tests_.find(name);
    if (known == self_tests_.end()) {
        std::string wrong;
        try {
            wrong = run_self_test(plan, target);
        } catch (const OpenClError& error) { // a shortage, maybe: the next plan asks again
            throw BuildError(target.name, std::string("its self-test failed: ") + error.what());
        }
        known = self_tests_.emplace(name, wrong).first;
    }
    if (!known->second.empty()) {
        throw BuildError(target.name, known->second);
    }
}

void PlanCompiler::compile_first_that_builds(CompiledPlan& plan, planning::Ranking ranking,
                                             bool may_fall_back) const {
    for (std::size_t i = 0; i < ranking.plans.size(); ++i) {
        plan.value = std::move(ranking.plans[i]);
        try {
            plan.programs = compile(plan.value);
            return;
        } catch (const BuildError& error) {
            if (!may_fall_back || i + 1 == ranking.plans.size()) {
                throw;
            }
            runtime_.log.warning([&] { return std::string(error.what()) + "\nfalling back"; });
            plan.explanation +=
                "fell back because a better candidate failed: " + std::string(error.what()) + "\n";
        }
    }
}

} // namespace libsgemm::detail
