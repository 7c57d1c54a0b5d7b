// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/kernel_catalog.hpp"
#include "compile/program_cache.hpp"
#include "device/handles.hpp"
#include "execute/workspace_pool.hpp"
#include "first_use/first_use.hpp"
#include "plan/plan_memo.hpp"
#include "plan/planner.hpp"
#include "sgemm/context.hpp"
#include "support/log.hpp"
#include "tables/device_table.hpp"
#include "validate/operands.hpp"
#include "validate/problem.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sgemm::detail {

/// A plan with its programs. Knows nothing of its Core, which remembers it.
struct CompiledPlan {
    validate::CheckedProblem problem; ///< with the offset alignments that were planned for
    planning::PlanValue value;
    std::vector<std::shared_ptr<const compile::Program>> programs;
    std::string explanation; ///< ranking, rejections, fallbacks; empty where nobody will ask
};

/// What a public Plan holds.
struct PlanState {
    std::shared_ptr<const Core> core;
    std::shared_ptr<const CompiledPlan> plan;
};

/// A call's scalars, matrices and dependencies, in the caller's terms.
struct Invocation {
    cl_command_queue queue = nullptr;
    float alpha = 1;
    float beta = 0;
    const validate::Matrices& matrices;
    const std::vector<cl_event>& wait_list;
};

/// The state behind Context: the pipeline validate -> plan -> compile -> execute and what it keeps
/// from call to call. Every member may be called from any thread.
class Core : public std::enable_shared_from_this<Core> {
public:
    /// `catalog` outlives the Core; tests give one of their own.
    Core(cl_context context, cl_device_id device, ContextOptions options,
         const catalog::KernelCatalog& catalog = catalog::kernel_catalog());

    Event gemm(const Problem& problem, const Invocation& call) const;
    /// Plans for the public interface; offsets have the alignment of the options. Without options
    /// of its own a plan is what gemm() would do.
    std::shared_ptr<const CompiledPlan> plan(const Problem& problem) const;
    std::shared_ptr<const CompiledPlan> plan(const Problem& problem,
                                             const PlanOptions& options) const;
    /// Runs a plan, after checking the call against its problem.
    Event enqueue(const CompiledPlan& plan, const Invocation& call) const;
    std::string describe(const CompiledPlan& plan) const;

    const DeviceTraits& traits() const noexcept { return traits_; }
    cl_context context() const noexcept { return context_.get(); }
    cl_device_id device() const noexcept { return device_; }
    ContextStatistics statistics() const;
    void release_workspace() const { pool_.trim(); }

private:
    using PlanPointer = std::shared_ptr<const CompiledPlan>;

    void prepare_first_use();
    planning::PlanningContext planning_context() const;
    PlanPointer memoised_plan(const validate::CheckedProblem& problem, bool multiplied) const;
    PlanPointer make_default_plan(const validate::CheckedProblem& problem, bool explain) const;
    PlanPointer make_plan(const validate::CheckedProblem& problem, const PlanOptions& options,
                          bool explain) const;
    PlanPointer make_scale_plan(const validate::CheckedProblem& problem) const;
    void compile_first_that_builds(CompiledPlan& plan, planning::Ranking ranking,
                                   bool may_fall_back) const;
    void compile_steps(CompiledPlan& plan) const;
    Event run(const CompiledPlan& plan, const Invocation& call) const;
    std::string table_remarks() const;

    device::ContextHandle context_;
    cl_device_id device_;
    ContextOptions options_;
    std::string wished_kernel_; ///< SGEMM_KERNEL, where the options leave the choice open
    const catalog::KernelCatalog& catalog_;
    DeviceTraits traits_;
    support::Log log_;
    std::string table_complaint_; ///< why the user's own table is not used
    tables::DeviceTable table_;
    mutable compile::ProgramCache programs_;
    mutable execute::WorkspacePool pool_;
    std::unique_ptr<first_use::FirstUse> first_use_; ///< null where nobody asked for it
    mutable planning::PlanMemo<PlanPointer> memo_;
    mutable std::atomic<std::uint64_t> plans_made_{0};
    mutable std::atomic<std::uint64_t> kernels_enqueued_{0};
};

} // namespace sgemm::detail
