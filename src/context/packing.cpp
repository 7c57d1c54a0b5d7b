// SPDX-License-Identifier: Apache-2.0
// Operands that are packed once: how they are made, and calls that take them.
#include "context/core.hpp"
#include "device/query.hpp"
#include "plan/pack_plan.hpp"
#include "plan/precision.hpp"
#include "sgemm/error.hpp"
#include "support/text.hpp"

#include <algorithm>
#include <limits>
#include <string>

namespace libsgemm::detail {
namespace {

using planning::CanonicalOperand;
using validate::CheckedProblem;

const char* name_of(Operand operand) {
    return operand == Operand::a ? "A" : "B";
}

/// No kernel asks for more.
constexpr std::int64_t full_alignment = 16;

/// Products of more columns, or more products, are planned alike.
constexpr std::int64_t plenty = std::int64_t{1} << 20U;

constexpr std::int64_t most_elements =
    std::numeric_limits<std::int64_t>::max() / static_cast<std::int64_t>(sizeof(float));

std::int64_t at_least_one(std::int64_t extent) {
    return std::max<std::int64_t>(1, extent);
}

/// The problem to plan with when an operand is packed: what is not the operand's is as good as can
/// be, and the other operand's extent may be unknown. That and a batch that shares the operand are
/// no larger than can be thought of: the other operand and C are not there, and not to be
/// complained of.
Problem planned_problem(Problem problem, Operand operand) {
    const bool is_a = operand == Operand::a;
    const std::int64_t rows = is_a ? problem.m : problem.n;
    const std::int64_t stride = is_a ? problem.batch_stride_a : problem.batch_stride_b;
    std::int64_t& others = is_a ? problem.n : problem.m;
    (is_a ? problem.ldb : problem.lda) = tight;
    (is_a ? problem.batch_stride_b : problem.batch_stride_a) = tight;
    problem.ldc = tight;
    problem.batch_stride_c = tight;
    if (rows == 0 || problem.k == 0 || problem.batch_count == 0) {
        others = std::min<std::int64_t>(others, 0); // there is nothing to pack
        return problem;
    }
    const std::int64_t largest = at_least_one(std::max(rows, problem.k));
    if (stride == 0) {
        problem.batch_count =
            std::min({problem.batch_count, plenty, at_least_one(most_elements / largest)});
    }
    if (others == 0) {
        others = largest;
    }
    const std::int64_t fitting = most_elements / largest / at_least_one(problem.batch_count);
    others = std::min({others, plenty, at_least_one(fitting)});
    if (fitting == 0) { // the operand itself is too large, which is said of it
        (is_a ? problem.batch_stride_b : problem.batch_stride_a) = 0;
    }
    return problem;
}

CanonicalOperand canonical_operand(const CheckedProblem& problem, Operand operand) {
    return (operand == Operand::a) != problem.canonical.operands_swapped ? CanonicalOperand::a
                                                                         : CanonicalOperand::b;
}

validate::Operand& operand_of(CheckedProblem& problem, Operand operand) {
    return canonical_operand(problem, operand) == CanonicalOperand::a ? problem.canonical.a
                                                                      : problem.canonical.b;
}

[[noreturn]] void fail(Operand operand, const std::string& value, const std::string& rule) {
    throw ArgumentError(name_of(operand), value, rule);
}

std::string extents_text(std::int64_t rows, std::int64_t k) {
    return std::to_string(rows) + " by k of " + std::to_string(k);
}

std::string form_text(Layout layout, Transpose transpose) {
    return std::string(layout == Layout::row_major ? "row-major" : "column-major") +
           (transpose == Transpose::yes ? ", transposed" : ", not transposed");
}

/// Products in other queues wait for this event, whoever enqueues them: OpenCL has its queue
/// flushed before.
device::EventHandle on_its_way(Event packed, cl_command_queue queue) {
    if (!device::is_complete(packed.get())) {
        device::check(clFlush(queue), "clFlush");
    }
    return device::EventHandle(packed.release());
}

/// Whether a packed operand is what a call's problem has in that place.
void check_use(const Core& core, const PackedState& packed, Operand operand, const Problem& problem,
               Precision precision) {
    if (packed.core.get() != &core) {
        fail(operand, "packed by another Context", "must have been packed by this Context");
    }
    if (packed.operand != operand) {
        fail(operand, std::string("packed as ") + name_of(packed.operand),
             std::string("must have been packed as ") + name_of(operand));
    }
    const Transpose transpose = operand == Operand::a ? problem.transpose_a : problem.transpose_b;
    if (packed.layout != problem.layout || packed.transpose != transpose) {
        fail(operand, form_text(packed.layout, packed.transpose),
             "must be packed as the problem has it: " + form_text(problem.layout, transpose));
    }
    const std::int64_t rows = operand == Operand::a ? problem.m : problem.n;
    if (packed.rows != rows || packed.k != problem.k) {
        fail(operand, extents_text(packed.rows, packed.k),
             "must be packed with the problem's extents, " + extents_text(rows, problem.k));
    }
    if (packed.matrices != 1 && packed.matrices != problem.batch_count) {
        fail(operand, std::to_string(packed.matrices) + " matrices",
             "must hold one matrix, or one for each of the batch's " +
                 std::to_string(problem.batch_count));
    }
    if (packed.precision != precision) {
        fail(operand, std::string(planning::precision_name(packed.precision)),
             "must be packed for the problem's precision, " +
                 std::string(planning::precision_name(precision)));
    }
}

} // namespace

cl_event PackedState::pending() const {
    if (is_complete || !packed) {
        return nullptr;
    }
    const auto status = device::get<cl_int>(clGetEventInfo, packed.get(),
                                            CL_EVENT_COMMAND_EXECUTION_STATUS, "clGetEventInfo");
    if (status < 0) {
        throw OpenClError(std::string("packing ") + name_of(operand), status);
    }
    is_complete = status == CL_COMPLETE;
    return is_complete ? nullptr : packed.get();
}

std::string PackedState::describe() const {
    std::string text = name_of(operand);
    text += " " + std::to_string(operand == Operand::a ? rows : k) + "x" +
            std::to_string(operand == Operand::a ? k : rows);
    if (matrices > 1) {
        text += ", batch of " + std::to_string(matrices);
    }
    text += canonical.packed.has_parts()
                ? ", packed for " + std::string(planning::precision_name(canonical.packed.scheme))
                : ", copied";
    return text + ", " + support::format_bytes(static_cast<double>(bytes));
}

/// Programs of a way to pack and of products with it; false where something does not build.
bool Core::can_pack(const planning::PackPlan& plan, const CheckedProblem& product,
                    CompiledPlan& packing) const {
    try {
        packing.value = plan.value;
        packing.programs = compiler_.compile(packing.value);
        const Precision scheme = plan.operand.packed.scheme;
        return scheme == Precision::strict ||
               planning::multiplies_parts(plans_.find_or_make(product, true).plan->value, scheme);
    } catch (const BuildError& error) {
        if (!plan.operand.packed.has_parts()) {
            throw;
        }
        log_.warning([&] { return std::string(error.what()) + "\npacking without parts"; });
        return false;
    }
}

/// Ways to pack for the plans that products will have, in the order of these.
std::vector<planning::PackPlan> Core::rank_packing(const CheckedProblem& problem,
                                                   CanonicalOperand which) const {
    const auto rank = [&](const ExpertPlanOptions& options) {
        return planning::rank_pack_plans(problem.canonical, which, options, planning_context());
    };
    if (!preferred_kernel_.empty()) {
        try {
            return rank(plans_.preferred_options(problem));
        } catch (
            const UnsupportedError&) { // NOLINT(bugprone-empty-catch): the products' plans say so
        }
    }
    return rank(plan_options_);
}

/// The way to pack that is best and builds; the state gets what it says of the operand.
void Core::choose_packing(const CheckedProblem& problem, CompiledPlan& packing,
                          PackedState& state) const {
    const CanonicalOperand which = canonical_operand(problem, state.operand);
    for (const planning::PackPlan& plan : rank_packing(problem, which)) {
        CheckedProblem product = problem;
        operand_of(product, state.operand) = plan.operand;
        if (can_pack(plan, product, packing)) {
            state.canonical = plan.operand;
            state.bytes = static_cast<std::size_t>(plan.elements) * sizeof(float);
            return;
        }
    }
    throw UnsupportedError(
        "packed, the operand is larger than a buffer of the device may be: pack it in parts");
}

std::shared_ptr<const PackedState> Core::pack(cl_command_queue queue, const Problem& given,
                                              Operand operand, const Matrix& matrix,
                                              const std::vector<cl_event>& wait_list) const {
    if (operand != Operand::a && operand != Operand::b) {
        throw ArgumentError("operand", std::to_string(static_cast<int>(operand)),
                            "must be a value of Operand");
    }
    const bool is_a = operand == Operand::a;
    const Problem planned = planned_problem(given, operand);
    CheckedProblem problem = check(planned);
    // The copy keeps the caller's form, by which products find it.
    CheckedProblem as_given = validate::check_problem(planned, validate::Vectors::as_given);
    operand_of(problem, operand) = operand_of(as_given, operand);
    validate::check_queue(queue, context_.get(), device_);
    validate::check_wait_list(wait_list, context_.get());
    validate::check_svm(
        is_a ? validate::Matrices{matrix, {}, {}} : validate::Matrices{{}, matrix, {}}, device_);
    auto state = std::make_shared<PackedState>();
    state->core = shared_from_this();
    state->operand = operand;
    state->layout = given.layout;
    state->transpose = is_a ? given.transpose_a : given.transpose_b;
    state->rows = is_a ? given.m : given.n;
    state->k = given.k;
    state->precision = problem.canonical.precision;
    const validate::Stored& stored = is_a ? problem.a : problem.b;
    state->matrices = stored.batch_stride == 0 ? 1 : given.batch_count;
    if (stored.empty()) {
        state->packed = on_its_way(enqueue_nothing(queue, wait_list, Completion::event), queue);
        return state;
    }
    validate::check_operand(name_of(operand), matrix, stored, context_.get());
    for (validate::Operand* one :
         {&problem.canonical.a, &problem.canonical.b, &problem.canonical.c}) {
        one->offset_alignment = full_alignment;
    }
    CompiledPlan packing;
    choose_packing(problem, packing, *state);
    cl_int status = CL_SUCCESS;
    state->buffer = device::BufferHandle(
        clCreateBuffer(context_.get(), CL_MEM_READ_WRITE, state->bytes, nullptr, &status));
    device::check(status, "clCreateBuffer");
    const CallArguments call{queue, 1, 0, {matrix, {}, {state->buffer.get(), 0}}, wait_list};
    packing.problem = problem;
    state->packed = on_its_way(runner_.run_canonical(packing, "packs an operand", call), queue);
    log_.trace([&] { return state->describe(); });
    return state;
}

Event Core::gemm(const Problem& problem, const CallArguments& call,
                 const PackedOperands& packed) const {
    validate::check_values(problem);
    const Precision precision = resolved(problem).precision;
    Problem effective = problem;
    validate::Matrices matrices = call.matrices;
    std::vector<cl_event> wait_list = call.wait_list;
    const auto take = [&](Operand operand, const PackedState* taken, Matrix& matrix,
                          std::int64_t& ld, std::int64_t& batch_stride) {
        if (taken == nullptr) {
            return;
        }
        check_use(*this, *taken, operand, problem, precision);
        matrix = {taken->buffer.get(), 0};
        ld = taken->buffer ? taken->canonical.ld : tight;
        batch_stride = taken->matrices == 1 ? 0 : taken->canonical.batch_stride;
        if (cl_event event = taken->pending()) {
            wait_list.push_back(event);
        }
    };
    take(Operand::a, packed.a, matrices.a, effective.lda, effective.batch_stride_a);
    take(Operand::b, packed.b, matrices.b, effective.ldb, effective.batch_stride_b);
    CheckedProblem checked = check(effective);
    if (packed.a != nullptr) {
        operand_of(checked, Operand::a).packed = packed.a->canonical.packed;
    }
    if (packed.b != nullptr) {
        operand_of(checked, Operand::b).packed = packed.b->canonical.packed;
    }
    const CallArguments plain{call.queue, call.alpha, call.beta,
                              matrices,   wait_list,  call.completion};
    validate::check_call(plain, context_.get(), device_);
    return run(prepare_checked(checked, plain), plain);
}

} // namespace libsgemm::detail
