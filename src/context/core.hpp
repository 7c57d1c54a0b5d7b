// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/kernel_catalog.hpp"
#include "compile/program_cache.hpp"
#include "context/call_runner.hpp"
#include "context/compiled_plan.hpp"
#include "context/packed_state.hpp"
#include "context/plan_compiler.hpp"
#include "context/plan_maker.hpp"
#include "device/handles.hpp"
#include "execute/workspace_pool.hpp"
#include "first_use/first_use.hpp"
#include "plan/pack_plan.hpp"
#include "plan/planner.hpp"
#include "problem/operands.hpp"
#include "problem/problem.hpp"
#include "sgemm/context.hpp"
#include "sgemm/expert.hpp"
#include "support/log.hpp"
#include "tables/choices.hpp"
#include "tables/device_table.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace libsgemm::detail {

using validate::CallArguments;

/// What a public Plan holds.
struct PlanState {
    std::shared_ptr<const Core> core;
    PlanPointer plan;
};

/// The state behind Context: the pipeline validate -> plan -> compile -> execute and what it keeps
/// from call to call. Every member may be called from any thread.
class Core : public std::enable_shared_from_this<Core> {
public:
    /// `catalog` outlives the Core; tests give one of their own.
    Core(cl_context context, cl_device_id device, ContextOptions options,
         const catalog::KernelCatalog& catalog = catalog::kernel_catalog());
    Core(const Core&) = delete;
    Core& operator=(const Core&) = delete;

    /// With Precision::automatic resolved.
    Problem resolved(Problem problem) const;
    Event gemm(const Problem& problem, const CallArguments& call) const;
    /// The first half of gemm(): checks the call, plans and compiles it. What several calls need
    /// can so be had before the first of them is enqueued.
    PlanMaker::Found prepare(const Problem& problem, const CallArguments& call) const;
    /// The same for what check_problem() returned and a call whose queue, wait list and SVM have
    /// been checked.
    PlanMaker::Found prepare_checked(validate::CheckedProblem checked,
                                     const CallArguments& call) const;
    /// The same of a problem, or a part of one, whose matrices have been checked, too; C is not
    /// empty.
    PlanMaker::Found prepare_part(validate::CheckedProblem part,
                                  const validate::Alignments& alignments, bool multiplied) const;
    /// The second half: enqueues what prepare() returned for this call.
    Event run(const PlanMaker::Found& prepared, const CallArguments& call) const;
    /// For calls that have nothing to do: what follows in order, and the event, wait for the wait
    /// list.
    Event enqueue_nothing(cl_command_queue queue, const std::vector<cl_event>& wait_list,
                          Completion completion) const {
        return runner_.run_nothing(queue, wait_list, completion);
    }
    /// With packed operands in the place of matrices.
    Event gemm(const Problem& problem, const CallArguments& call,
               const PackedOperands& packed) const;
    std::shared_ptr<const PackedState> pack(cl_command_queue queue, const Problem& given,
                                            Operand operand, const Matrix& matrix,
                                            const std::vector<cl_event>& wait_list) const;
    /// The call has no alpha, beta and matrices beside those of the batch.
    Event gemm_batch(const Problem& given, const CallArguments& call,
                     const validate::MatrixBatches& matrices,
                     const validate::Factors& factors) const;
    /// Context::tune().
    std::size_t tune(const std::vector<Problem>& problems, double seconds,
                     const TuneListener& listener) const;
    /// Of the plan that gemm() would take where the matrices are aligned; nothing is compiled.
    double predicted_seconds(const Problem& problem) const;
    /// Bytes per second at which matrices come here from other devices of the context; 0: nothing
    /// has to move.
    double sharing_bandwidth() const { return table_.machine.sharing_bandwidth; }
    /// Plans for the public interface; offsets have the alignment of the options. Without options
    /// of its own a plan is what gemm() would do.
    PlanPointer plan(const Problem& problem) const;
    PlanPointer plan(const Problem& problem, const ExpertPlanOptions& options) const;
    /// Runs a plan, after checking the call against its problem.
    Event enqueue(const CompiledPlan& plan, const CallArguments& call) const;
    std::string describe(const CompiledPlan& plan) const;

    const DeviceTraits& traits() const noexcept { return traits_; }
    cl_context context() const noexcept { return context_.get(); }
    cl_device_id device() const noexcept { return device_; }
    const support::Log& log() const noexcept { return log_; }
    ContextStatistics statistics() const;
    void release_workspace() const { pool_.trim(); }

private:
    tables::DeviceTable load_table();
    execute::Runtime runtime() const;
    std::unique_ptr<first_use::FirstUse> make_first_use();
    planning::PlanningContext planning_context() const;
    bool can_pack(const planning::PackPlan& plan, const validate::CheckedProblem& product,
                  CompiledPlan& packing) const;
    std::vector<planning::PackPlan> rank_packing(const validate::CheckedProblem& problem,
                                                 planning::CanonicalOperand which) const;
    void choose_packing(const validate::CheckedProblem& problem, CompiledPlan& packing,
                        PackedState& state) const;
    validate::CheckedProblem check(const Problem& problem) const;
    validate::CheckedProblem check_for_plan(const Problem& problem,
                                            std::int64_t offset_alignment) const;

    device::ContextHandle context_;
    cl_device_id device_;
    ContextOptions options_;
    ExpertPlanOptions plan_options_;
    std::string preferred_kernel_;
    std::string record_file_;
    Precision automatic_precision_;
    const catalog::KernelCatalog& catalog_;
    DeviceTraits traits_;
    support::Log log_;
    std::string table_complaint_; ///< what of the user's own files is not used, and why
    tables::ChoiceFile choices_;
    tables::DeviceTable table_;
    mutable compile::ProgramCache programs_;
    mutable execute::WorkspacePool pool_;
    PlanCompiler compiler_;
    std::unique_ptr<first_use::FirstUse> first_use_;
    mutable PlanMaker plans_;
    mutable CallRunner runner_;
};

} // namespace libsgemm::detail
