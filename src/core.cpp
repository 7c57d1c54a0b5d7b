// SPDX-License-Identifier: Apache-2.0
#include "core.hpp"

#include "device/query.hpp"
#include "execute/executor.hpp"
#include "plan/describe.hpp"
#include "sgemm/error.hpp"
#include "support/text.hpp"
#include "tables/user_table.hpp"

#include <algorithm>
#include <bit>
#include <filesystem>
#include <utility>

namespace sgemm::detail {
namespace {

using planning::Ranking;
using validate::CheckedProblem;
using validate::Matrices;

bool multiplies(const CheckedProblem& problem, float alpha) {
    return alpha != 0 && problem.canonical.k > 0; // NaN counts as a factor
}

/// No kernel reads more than 16 elements at once; finer keys would only make more plans.
std::int64_t planned_alignment(std::int64_t alignment) {
    return std::min<std::int64_t>(16, alignment);
}

/// The matrices of the canonical problem.
Matrices canonical_matrices(const CheckedProblem& problem, const Matrices& matrices) {
    return problem.canonical.operands_swapped ? Matrices{matrices.b, matrices.a, matrices.c}
                                              : matrices;
}

void set_alignments(CheckedProblem& problem, const validate::Alignments& alignments) {
    auto& canonical = problem.canonical;
    const bool swapped = canonical.operands_swapped;
    canonical.a.offset_alignment = planned_alignment(swapped ? alignments.b : alignments.a);
    canonical.b.offset_alignment = planned_alignment(swapped ? alignments.a : alignments.b);
    canonical.c.offset_alignment = planned_alignment(alignments.c);
}

void check_alignment(const char* name, std::int64_t offset, std::int64_t alignment,
                     std::int64_t planned) {
    if (alignment < planned) {
        throw ArgumentError(std::string(name) + ".offset", std::to_string(offset),
                            "the first element's address must be a multiple of " +
                                std::to_string(planned) + " elements, as the plan was made for");
    }
}

void check_alignments(const CheckedProblem& problem, const Matrices& matrices,
                      const validate::Alignments& actual) {
    const auto& canonical = problem.canonical;
    const bool swapped = canonical.operands_swapped;
    check_alignment("A", matrices.a.offset, actual.a,
                    (swapped ? canonical.b : canonical.a).offset_alignment);
    check_alignment("B", matrices.b.offset, actual.b,
                    (swapped ? canonical.a : canonical.b).offset_alignment);
    check_alignment("C", matrices.c.offset, actual.c, canonical.c.offset_alignment);
}

/// Checks a problem that is planned without its matrices.
CheckedProblem check_for_plan(const Problem& problem, std::int64_t offset_alignment) {
    if (offset_alignment <= 0 ||
        !std::has_single_bit(static_cast<std::uint64_t>(offset_alignment))) {
        throw ArgumentError("offset_alignment", std::to_string(offset_alignment),
                            "must be a power of two");
    }
    CheckedProblem checked = validate::check_problem(problem);
    set_alignments(checked, {offset_alignment, offset_alignment, offset_alignment});
    return checked;
}

bool needs_main_kernel(const CheckedProblem& problem) {
    return !problem.c.empty() && problem.canonical.k > 0;
}

void check_device(cl_context context, cl_device_id device) {
    if (context == nullptr) {
        throw ArgumentError("context", "null", "must not be null");
    }
    if (device == nullptr) {
        throw ArgumentError("device", "null", "must not be null");
    }
    std::size_t size = 0;
    device::check(clGetContextInfo(context, CL_CONTEXT_DEVICES, 0, nullptr, &size),
                  "clGetContextInfo");
    std::vector<cl_device_id> devices(size / sizeof(cl_device_id));
    device::check(clGetContextInfo(context, CL_CONTEXT_DEVICES, size, devices.data(), nullptr),
                  "clGetContextInfo");
    if (std::find(devices.begin(), devices.end(), device) == devices.end()) {
        throw ArgumentError("device", "a device", "must be one of the cl_context's devices");
    }
}

cl_context checked_context(cl_context context, cl_device_id device) {
    check_device(context, device);
    return context;
}

/// A kernel whose registers allow only smaller work-groups counts as one that does not build.
void check_work_group(const planning::Step& step, const compile::Program& program,
                      cl_device_id device) {
    if (!program.allows_work_group(step.range.local, device)) {
        throw BuildError(step.build.name,
                         "compiled for this device it does not allow work-groups of " +
                             std::to_string(step.range.local[0]) + "x" +
                             std::to_string(step.range.local[1]) + " work-items");
    }
}

/// A wished kernel that does not exist is a mistake; one that cannot run everything is not.
std::string checked_wish(const ContextOptions& options, const catalog::KernelCatalog& catalog) {
    if (!options.plan.kernel.empty()) {
        return {};
    }
    std::string wish = support::environment("SGEMM_KERNEL");
    if (!wish.empty() && catalog.find(wish) == nullptr) {
        throw ArgumentError("SGEMM_KERNEL", wish, "must name a kernel of the catalogue");
    }
    return wish;
}

std::string table_file(const ContextOptions& options) {
    if (!options.table_file.empty()) {
        return options.table_file;
    }
    const std::string file = support::environment("SGEMM_TABLE");
    const std::string& kept = options.first_use.file; // what an earlier Context found out
    return file.empty() && std::filesystem::exists(kept) ? kept : file;
}

/// Plans to time at the first use of a kind of problem.
int plans_to_time(const FirstUseTiming& timing) {
    if (timing.plans >= 0) {
        return timing.plans;
    }
    const std::string text = support::environment("SGEMM_FIRST_USE");
    if (text.empty()) {
        return 0;
    }
    const auto plans = support::parse_number<int>(text);
    if (!plans || *plans < 0) {
        throw ArgumentError("SGEMM_FIRST_USE", text, "must be a number of plans to time, or 0");
    }
    return *plans;
}

} // namespace

Core::Core(cl_context context, cl_device_id device, ContextOptions options,
           const catalog::KernelCatalog& catalog)
    : context_(device::ContextHandle::retained(checked_context(context, device))), device_(device),
      options_(std::move(options)), wished_kernel_(checked_wish(options_, catalog)),
      catalog_(catalog), traits_(query_traits(device)), log_(support::make_log(options_.log)),
      table_(tables::load_table(table_file(options_), traits_, catalog_, table_complaint_)),
      programs_(context_, device, traits_, log_, compile::find_source,
                compile::cache_settings(options_.disk_cache)),
      pool_(context_) {
    if (!table_complaint_.empty()) {
        log_.warning([&] { return table_complaint_; });
    }
    prepare_first_use();
}

void Core::prepare_first_use() {
    const int plans = plans_to_time(options_.first_use);
    if (plans == 0) {
        return;
    }
    const first_use::Bench bench{context_, device_, traits_, programs_, log_};
    const bool built_in = !table_.embedded.empty();
    if (built_in && !table_.is_measured()) {
        try {
            table_.machine = first_use::probe(bench, table_.machine);
        } catch (const Error& error) {
            log_.warning([&] { return "measuring the device: " + std::string(error.what()); });
        }
    }
    const std::string& file = options_.first_use.file;
    first_use_ = std::make_unique<first_use::FirstUse>(
        bench, table_, plans, file.empty() ? tables::user_table_path(traits_) : file);
}

planning::PlanningContext Core::planning_context() const {
    return {traits_, table_, catalog_, options_.max_workspace_bytes};
}

Event Core::gemm(const Problem& problem, const Invocation& call) const {
    CheckedProblem checked = validate::check_problem(problem);
    const bool multiplied = multiplies(checked, call.alpha);
    validate::check_queue(call.queue, context_.get(), device_);
    validate::check_wait_list(call.wait_list, context_.get());
    const validate::Alignments alignments =
        validate::check_matrices(checked, call.matrices, multiplied, context_.get());
    if (checked.c.empty()) {
        return execute::enqueue_marker(call.queue, call.wait_list);
    }
    set_alignments(checked, alignments);
    return run(*memoised_plan(checked, multiplied), call);
}

Event Core::enqueue(const CompiledPlan& plan, const Invocation& call) const {
    const CheckedProblem& problem = plan.problem;
    const bool multiplied = multiplies(problem, call.alpha);
    validate::check_queue(call.queue, context_.get(), device_);
    validate::check_wait_list(call.wait_list, context_.get());
    const validate::Alignments alignments =
        validate::check_matrices(problem, call.matrices, multiplied, context_.get());
    if (problem.c.empty()) {
        return execute::enqueue_marker(call.queue, call.wait_list);
    }
    if (!multiplied) {
        return run(*memoised_plan(problem, false), call);
    }
    check_alignments(problem, call.matrices, alignments);
    return run(plan, call);
}

Event Core::run(const CompiledPlan& plan, const Invocation& call) const {
    log_.trace([&] {
        return planning::problem_text(plan.problem.canonical) + ": " +
               planning::summarize(plan.value);
    });
    const execute::Call bound{call.queue, call.alpha, call.beta,
                              canonical_matrices(plan.problem, call.matrices), call.wait_list};
    Event done = execute::execute(plan.value, plan.programs, bound, pool_);
    kernels_enqueued_ += plan.value.steps.size();
    return done;
}

std::shared_ptr<const CompiledPlan> Core::plan(const Problem& problem) const {
    const CheckedProblem checked = check_for_plan(problem, options_.plan.offset_alignment);
    return needs_main_kernel(checked) ? make_default_plan(checked, true) : make_scale_plan(checked);
}

std::shared_ptr<const CompiledPlan> Core::plan(const Problem& problem,
                                               const PlanOptions& options) const {
    const CheckedProblem checked = check_for_plan(problem, options.offset_alignment);
    return needs_main_kernel(checked) ? make_plan(checked, options, true)
                                      : make_scale_plan(checked);
}

Core::PlanPointer Core::memoised_plan(const CheckedProblem& problem, bool multiplied) const {
    const planning::PlanKey key{problem.canonical, multiplied};
    if (auto known = memo_.find(key)) {
        return *known;
    }
    PlanPointer plan = multiplied ? make_default_plan(problem, false) : make_scale_plan(problem);
    memo_.insert(key, plan);
    return plan;
}

/// What gemm() does: as the Context's options say, or as SGEMM_KERNEL wishes if that can be had.
Core::PlanPointer Core::make_default_plan(const CheckedProblem& problem, bool explain) const {
    if (wished_kernel_.empty()) {
        return make_plan(problem, options_.plan, explain);
    }
    PlanOptions wished = options_.plan;
    wished.kernel = wished_kernel_;
    try {
        return make_plan(problem, wished, explain);
    } catch (const UnsupportedError& error) {
        log_.warning([&] { return "SGEMM_KERNEL=" + wished_kernel_ + ": " + error.what(); });
    } catch (const BuildError& error) {
        log_.warning([&] { return "SGEMM_KERNEL=" + wished_kernel_ + ": " + error.what(); });
    }
    return make_plan(problem, options_.plan, explain);
}

Core::PlanPointer Core::make_plan(const CheckedProblem& problem, const PlanOptions& options,
                                  bool explain) const {
    Ranking ranking = planning::rank_plans(problem.canonical, options, planning_context());
    if (first_use_ != nullptr && planning::is_open(options)) {
        first_use_->settle(problem.canonical, ranking);
    }
    auto plan = std::make_shared<CompiledPlan>();
    plan->problem = problem;
    if (explain || log_.traces()) {
        plan->explanation = planning::describe_ranking(ranking);
    }
    compile_first_that_builds(*plan, std::move(ranking), options.kernel.empty());
    log_.trace([&] { return "new plan\n" + describe(*plan); });
    if (!explain) {
        plan->explanation = {};
    }
    ++plans_made_;
    return plan;
}

Core::PlanPointer Core::make_scale_plan(const CheckedProblem& problem) const {
    auto plan = std::make_shared<CompiledPlan>();
    plan->problem = problem;
    if (!problem.c.empty()) {
        plan->value = planning::scale_plan(problem.canonical, planning_context());
        compile_steps(*plan);
    }
    ++plans_made_;
    return plan;
}

void Core::compile_steps(CompiledPlan& plan) const {
    plan.programs.clear();
    for (const planning::Step& step : plan.value.steps) {
        plan.programs.push_back(programs_.get(step.build));
        check_work_group(step, *plan.programs.back(), device_);
    }
}

/// The fallback chain: candidates in the order of their predicted times; the naive kernel is always
/// one of them unless a kernel is forced.
void Core::compile_first_that_builds(CompiledPlan& plan, Ranking ranking,
                                     bool may_fall_back) const {
    for (std::size_t i = 0; i < ranking.plans.size(); ++i) {
        plan.value = std::move(ranking.plans[i]);
        try {
            compile_steps(plan);
            return;
        } catch (const BuildError& error) {
            if (!may_fall_back || i + 1 == ranking.plans.size()) {
                throw;
            }
            log_.warning([&] { return std::string(error.what()) + "\nfalling back"; });
            plan.explanation +=
                "fell back because a better candidate failed: " + std::string(error.what()) + "\n";
        }
    }
}

/// What a reader of a plan ought to know of the table; a line each.
std::string Core::table_remarks() const {
    std::string text = table_complaint_.empty() ? "" : table_complaint_ + "\n";
    for (const std::string& stale : tables::stale_rows(table_, catalog_)) {
        text += stale + "\n";
    }
    return text;
}

std::string Core::describe(const CompiledPlan& plan) const {
    std::string text = planning::problem_text(plan.problem.canonical) + "\n" +
                       "device: " + traits_.name + ", table " + table_.origin + "\n" +
                       table_remarks() + "plan: " + planning::summarize(plan.value) + "\n";
    return text + planning::describe_steps(plan.value) + plan.explanation;
}

ContextStatistics Core::statistics() const {
    ContextStatistics statistics;
    statistics.programs_built = programs_.built();
    statistics.programs_loaded = programs_.loaded();
    statistics.plans_made = plans_made_;
    statistics.kernels_enqueued = kernels_enqueued_;
    statistics.workspace_allocations = pool_.allocations();
    statistics.workspace_bytes = pool_.bytes();
    return statistics;
}

} // namespace sgemm::detail
