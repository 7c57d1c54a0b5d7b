// SPDX-License-Identifier: Apache-2.0
#include "context/core.hpp"

#include "context/alignment.hpp"
#include "context/settings.hpp"
#include "plan/check_options.hpp"
#include "sgemm/error.hpp"
#include "support/text.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace libsgemm::detail {

using validate::CheckedProblem;

Core::Core(cl_context context, cl_device_id device, ContextOptions options,
           const catalog::KernelCatalog& catalog)
    : context_(device::ContextHandle::retained(checked_context(context, device))), device_(device),
      options_(checked_options(std::move(options), catalog)), plan_options_(plan_options(options_)),
      preferred_kernel_(preferred_kernel(plan_options_, catalog)),
      record_file_(support::environment("SGEMM_RECORD")),
      automatic_precision_(automatic_precision()), catalog_(catalog), traits_(query_traits(device)),
      log_(support::make_log(options_.log, options_.trace)), table_(load_table()),
      programs_(context_, device, traits_, log_, catalog.source_finder(),
                compile::cache_settings(options_.disk_cache)),
      pool_(context_), compiler_(runtime(), planning_context()), first_use_(make_first_use()),
      plans_({planning_context(), plan_options_, preferred_kernel_, table_complaint_, compiler_,
              *first_use_, log_, record_file_}),
      runner_(pool_, programs_, log_, traits_.computes_in_calling_thread) {}

tables::DeviceTable Core::load_table() {
    tables::DeviceTable table =
        tables::load_table(table_file(options_), traits_, catalog_, table_complaint_);
    choices_ = choice_file(options_, table, traits_, catalog_);
    auto kept = tables::read_choices(choices_, table_complaint_);
    std::string dropped =
        tables::drop_stale_choices(kept, choices_.path, "Context::tune()", catalog_);
    if (!dropped.empty()) { // no warning: the file loses them when it is next written
        log_.info([&] { return dropped; });
    }
    std::ranges::move(kept, std::back_inserter(table.choices));
    if (!table_complaint_.empty()) {
        log_.warning([&] { return table_complaint_; });
    }
    return table;
}

execute::Runtime Core::runtime() const {
    return {context_, device_, traits_, programs_, log_};
}

planning::PlanningContext Core::planning_context() const {
    return {traits_, table_, catalog_, options_.max_workspace_bytes};
}

std::unique_ptr<first_use::FirstUse> Core::make_first_use() {
    const int plans = plans_to_time(options_.first_use);
    const execute::Compile compile = [this](const planning::PlanValue& plan) {
        return compiler_.compile(plan);
    };
    const bool built_in = !table_.embedded.empty();
    if (plans > 0 && built_in && table_.is_generic()) {
        try {
            table_.machine = first_use::probe(runtime(), compile, table_.machine);
        } catch (const Error& error) {
            log_.warning([&] { return "measuring the device: " + std::string(error.what()); });
        }
    }
    return std::make_unique<first_use::FirstUse>(runtime(), compile, table_.choices, plans,
                                                 choices_, catalog_);
}

Problem Core::resolved(Problem problem) const {
    if (problem.precision == Precision::automatic) {
        problem.precision = automatic_precision_;
    }
    return problem;
}

CheckedProblem Core::check(const Problem& problem) const {
    return validate::check_problem(resolved(problem));
}

/// Checks a problem that is planned without its matrices.
CheckedProblem Core::check_for_plan(const Problem& problem, std::int64_t offset_alignment) const {
    CheckedProblem checked = check(problem);
    set_alignments(checked, {offset_alignment, offset_alignment, offset_alignment});
    return checked;
}

PlanMaker::Found Core::prepare(const Problem& problem, const CallArguments& call) const {
    const CheckedProblem checked = check(problem);
    validate::check_call(call, context_.get(), device_);
    return prepare_checked(checked, call);
}

PlanMaker::Found Core::prepare_checked(CheckedProblem checked, const CallArguments& call) const {
    const validate::Reads reads = validate::reads_of(checked, call.alpha, call.beta);
    const validate::Alignments alignments =
        validate::check_matrices(checked, call.matrices, reads, context_.get());
    if (checked.c.empty()) {
        return {};
    }
    return prepare_part(checked, alignments, reads.operands);
}

PlanMaker::Found Core::prepare_part(CheckedProblem part, const validate::Alignments& alignments,
                                    bool multiplied) const {
    set_alignments(part, alignments);
    return plans_.find_or_make(part, multiplied);
}

Event Core::run(const PlanMaker::Found& prepared, const CallArguments& call) const {
    return prepared.plan == nullptr ? enqueue_nothing(call.queue, call.wait_list, call.completion)
                                    : runner_.run(*prepared.plan, prepared.origin, call);
}

Event Core::gemm(const Problem& problem, const CallArguments& call) const {
    return run(prepare(problem, call), call);
}

double Core::predicted_seconds(const Problem& problem) const {
    constexpr std::int64_t aligned = 16;
    return plans_.predicted_seconds(check_for_plan(problem, aligned));
}

Event Core::enqueue(const CompiledPlan& plan, const CallArguments& call) const {
    const CheckedProblem& problem = plan.problem;
    const validate::Reads reads = validate::reads_of(problem, call.alpha, call.beta);
    validate::check_call(call, context_.get(), device_);
    const validate::Alignments alignments =
        validate::check_matrices(problem, call.matrices, reads, context_.get());
    if (problem.c.empty()) {
        return enqueue_nothing(call.queue, call.wait_list, call.completion);
    }
    if (!reads.operands) {
        const PlanMaker::Found found = plans_.find_or_make(problem, false);
        return runner_.run(*found.plan, found.origin, call);
    }
    check_alignments(problem, call.matrices, alignments);
    if (alignments.c_is_write_only && planning::adds_to_c(plan.value)) {
        throw ArgumentError("C.buffer", "CL_MEM_WRITE_ONLY",
                            "must be CL_MEM_READ_WRITE: this plan adds up ranges of k in C");
    }
    return runner_.run(plan, "the caller's plan", call);
}

PlanPointer Core::plan(const Problem& problem) const {
    const CheckedProblem checked = check_for_plan(problem, plan_options_.offset_alignment);
    return needs_main_kernel(checked) ? plans_.make_default(checked, true)
                                      : plans_.make_scale(checked);
}

PlanPointer Core::plan(const Problem& problem, const ExpertPlanOptions& options) const {
    planning::check_options(options, catalog_);
    const CheckedProblem checked = check_for_plan(problem, options.offset_alignment);
    return needs_main_kernel(checked) ? plans_.make(checked, options, true)
                                      : plans_.make_scale(checked);
}

std::string Core::describe(const CompiledPlan& plan) const {
    return detail::describe(plan, planning_context(), table_complaint_);
}

ContextStatistics Core::statistics() const {
    ContextStatistics statistics;
    statistics.programs_built = programs_.built();
    statistics.programs_loaded = programs_.loaded();
    statistics.plans_made = plans_.plans_made();
    statistics.kernels_enqueued = runner_.kernels_enqueued();
    statistics.workspace_allocations = pool_.allocations();
    statistics.workspace_bytes = pool_.bytes();
    return statistics;
}

} // namespace libsgemm::detail
