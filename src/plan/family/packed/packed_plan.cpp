// SPDX-License-Identifier: Apache-2.0
#include "plan/family/packed/packed_plan.hpp"

#include "plan/arguments.hpp"
#include "plan/family/packed/packed_cost.hpp"
#include "plan/family/tiled/tiling.hpp"
#include "plan/inputs.hpp"
#include "plan/step_list.hpp"
#include "support/round.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace libsgemm::planning {
namespace {

using support::Count;
using validate::CanonicalProblem;
using validate::Major;
using validate::Operand;
using Kind = Argument::Kind;

/// A plan is a list of launches that are enqueued one by one.
constexpr double most_launches = 4096;

/// Elements of a cache line, more or less: turned columns begin at one.
constexpr std::int64_t whole_lines = 16;

/// A range of an extent that is cut into parts of one length; the last may be shorter.
struct Range {
    std::int64_t begin = 0;
    std::int64_t length = 0;
};

std::vector<Range> cut(std::int64_t extent, std::int64_t length) {
    std::vector<Range> ranges;
    for (std::int64_t begin = 0; begin < extent; begin += length) {
        ranges.push_back({begin, std::min(length, extent - begin)});
    }
    return ranges;
}

/// The least length of a part.
std::int64_t last_length(std::int64_t extent, std::int64_t length) {
    const std::int64_t rest = extent % length;
    return rest == 0 ? std::min(extent, length) : rest;
}

class PackedBuilder {
public:
    PackedBuilder(const CanonicalProblem& problem, const Candidate& candidate,
                  const PassContext& context)
        : problem_(problem), candidate_(candidate), context_(context),
          tile_(candidate.kernel->tile(candidate.parameters)) {}

    std::variant<PlanValue, Obstacle> build(EdgeStrategy edges, std::size_t max_workspace_bytes);

private:
    void choose_lengths();
    std::string find_obstacle(EdgeStrategy edges) const;
    void reserve_turned_b();
    void add_launches();
    void add_sliced_launch();
    bool packs_b() const { return candidate_.kernel->packs == catalog::Packs::both; }
    bool packs_a() const { return packs_b() || candidate_.variant.pack_a; }
    Place bring_b(Range batch, Range n, Range k);
    Place part_of_a(Range batch, Range m, Range k) const;
    PackedWork shared_out(PackedWork work) const;
    const PackedWork& work_of(Range batch, Range m, Range n, Range k);
    Step main_step(Range batch, Range m, Range n, Range k, const Place& b, const Place& c);
    void add_in_turn(Step step) { last_ = steps_.add(std::move(step), {last_}); }
    PlanValue finish(std::int64_t bytes);

    const CanonicalProblem& problem_;
    const Candidate& candidate_;
    const PassContext& context_;
    catalog::TileShape tile_;
    std::int64_t batch_length_ = 1, m_length_ = 1, n_length_ = 1, k_length_ = 1;
    Place turned_b_; ///< workspace; used again by each part
    std::vector<PackedWork>
        works_; ///< of launches of different extents: few, of up to 4096 launches
    StepList steps_;
    int last_ = -1; ///< steps follow each other: the next part's B replaces this one's
};

/// From one column of a turned B to the next: an odd number of cache lines, or they would crowd few cache sets, and memory
/// channels while they are written (docs/adr/0010). If it overflows, so long that reserve() overflows, too.
std::int64_t turned_ld(std::int64_t k_length) {
    const std::int64_t lines = support::ceil_div(k_length, whole_lines);
    return support::checked_multiply(Count(lines + (lines % 2 == 0 ? 1 : 0)), Count(whole_lines))
        .value_or(std::numeric_limits<std::int64_t>::max());
}

/// Parts that the candidate asks for; else so many that what is turned of B stays below its limits, of k
/// first, in whole blocks: A is then packed once, and C added to as often, all the same.
void PackedBuilder::choose_lengths() {
    const Parts& parts = candidate_.variant.parts;
    const std::int64_t depth = candidate_.parameters["depth"];
    const bool in_parts = candidate_.variant.transpose_b && candidate_.variant.split_k == 1;
    constexpr std::int64_t most = most_turned_bytes / std::int64_t{sizeof(float)};
    constexpr std::int64_t usual = usual_turned_bytes / std::int64_t{sizeof(float)};
    m_length_ = part_length(problem_.m, std::max(1, parts.m), tile_.m);
    k_length_ = problem_.k;
    if (parts.k > 1) {
        k_length_ = std::min(problem_.k, part_length(problem_.k, parts.k, tile_.k));
    } else if (parts.k == 0 && in_parts) {
        const std::int64_t blocks = support::ceil_div(problem_.k, depth);
        const std::int64_t block = std::min(depth, part_length(problem_.k, blocks, tile_.k));
        const std::int64_t each = std::max<std::int64_t>(1, usual / problem_.n / block);
        const std::int64_t count = support::ceil_div(blocks, each);
        k_length_ = std::min(problem_.k, block * support::ceil_div(blocks, count));
    }
    const std::int64_t ld = turned_ld(k_length_);
    n_length_ = part_length(problem_.n, std::max(1, parts.n), tile_.panel_n);
    if (parts.n == 0 && in_parts) {
        const std::int64_t unit = tile_.panel_n;
        const std::int64_t columns = std::max(unit, most / ld / unit * unit);
        n_length_ = part_length(problem_.n, support::ceil_div(problem_.n, columns), unit);
    }
    // A last part of fewer columns than a register tile would be slow.
    while (n_length_ < problem_.n && last_length(problem_.n, n_length_) < tile_.panel_n) {
        n_length_ += tile_.panel_n;
    }
    batch_length_ = problem_.batch;
    if (in_parts && problem_.b.batch_stride != 0) {
        const std::int64_t products = usual / ld / n_length_;
        batch_length_ = std::min(batch_length_, std::max<std::int64_t>(1, products));
    }
}

std::string PackedBuilder::find_obstacle(EdgeStrategy edges) const {
    if (edges == EdgeStrategy::padding) {
        return "it checks bounds itself and is never padded";
    }
    if (edges == EdgeStrategy::guarded || edges == EdgeStrategy::pointer_shift ||
        edges == EdgeStrategy::extension) {
        return "its edges cannot be chosen";
    }
    if (candidate_.variant.transpose_b && problem_.b.major == Major::k) {
        return "B lies along k already";
    }
    if (edges == EdgeStrategy::none && candidate_.variant.transpose_b) {
        return "B is turned, and copies are excluded";
    }
    const auto count = [](std::int64_t extent, std::int64_t length) {
        return static_cast<double>(support::ceil_div(extent, length));
    };
    if (count(problem_.batch, batch_length_) * count(problem_.m, m_length_) *
            count(problem_.n, n_length_) * count(problem_.k, k_length_) >
        most_launches) {
        return "it would take more than 4096 launches";
    }
    const Parts& parts = candidate_.variant.parts;
    if (candidate_.variant.split_k > 1 && std::max({parts.m, parts.n, parts.k}) > 1) {
        return "slices of k and parts exclude each other";
    }
    if (!packs_a() && last_length(problem_.m, m_length_) < tile_.panel_m) {
        return "C has fewer rows than a register tile, and A is not packed";
    }
    return {};
}

/// Room for the largest part of B, k-major; a B that the whole batch shares is turned once.
void PackedBuilder::reserve_turned_b() {
    if (!candidate_.variant.transpose_b) {
        return;
    }
    turned_b_ = steps_.reserve({turned_ld(k_length_), std::min(n_length_, problem_.n)}, whole_lines,
                               problem_.b.batch_stride == 0 ? 1 : batch_length_);
}

/// Where a launch finds its part of B; adds the pass that turns it.
Place PackedBuilder::bring_b(Range batch, Range n, Range k) {
    const Operand& b = problem_.b;
    const std::int64_t first =
        b.major == Major::k ? n.begin * b.ld + k.begin : k.begin * b.ld + n.begin;
    const Place part = moved(caller_place(Kind::buffer_b, Kind::offset_b, b),
                             batch.begin * b.batch_stride + first);
    if (!candidate_.variant.transpose_b) {
        return part;
    }
    add_in_turn(copy_step(context_, transpose_entry(context_), "B", part, {n.length, k.length},
                          turned_b_, {k.length, n.length}, b.batch_stride == 0 ? 1 : batch.length));
    return turned_b_;
}

Place PackedBuilder::part_of_a(Range batch, Range m, Range k) const {
    const Operand& a = problem_.a;
    const std::int64_t first =
        a.major == Major::k ? m.begin * a.ld + k.begin : k.begin * a.ld + m.begin;
    return moved(caller_place(Kind::buffer_a, Kind::offset_a, a),
                 batch.begin * a.batch_stride + first);
}

/// The number of work-groups along n that is predicted to be fastest: more of them keep more compute units
/// busy, and each packs A anew.
PackedWork PackedBuilder::shared_out(PackedWork work) const {
    const auto seconds = [&](std::int64_t groups_n) {
        work.groups_n = groups_n;
        return predict_packed(work, tile_, candidate_.model, context_.machine, context_.device);
    };
    const std::int64_t most = support::ceil_div(work.n, tile_.panel_n);
    std::int64_t best = 1;
    double least = seconds(1);
    for (std::int64_t groups_n = 2; groups_n <= most; groups_n += support::ceil_div(groups_n, 3)) {
        if (const double time = seconds(groups_n); time < least) {
            least = time;
            best = groups_n;
        }
    }
    work.groups_n = best;
    return work;
}

/// What a launch of such extents does.
const PackedWork& PackedBuilder::work_of(Range batch, Range m, Range n, Range k) {
    for (const PackedWork& known : works_) {
        if (known.batch == batch.length && known.m == m.length && known.n == n.length &&
            known.k == k.length) {
            return known;
        }
    }
    PackedWork work;
    work.m = m.length;
    work.n = n.length;
    work.k = k.length;
    work.batch = batch.length;
    work.slices = candidate_.variant.split_k;
    work.vector_width = candidate_.parameters.get_or("vector_width", 1);
    work.depth = candidate_.parameters["depth"];
    work.pack_a = packs_a();
    work.pack_b = packs_b();
    work.a_k_major = problem_.a.major == Major::k;
    work.b_k_major = candidate_.variant.transpose_b || problem_.b.major == Major::k;
    work.apart_a = problem_.a.major == Major::k ? 0 : problem_.a.ld;
    work.apart_b = work.b_k_major || work.pack_b ? 0 : problem_.b.ld;
    work.streams_b_apart = problem_.b.major == Major::k && !work.pack_b ? problem_.b.ld : 0;
    work.straddling_a = work.pack_a ? 0
                                    : straddling_share(problem_.a.ld, problem_.a.offset_alignment,
                                                       work.vector_width);
    return works_.emplace_back(shared_out(work));
}

Step PackedBuilder::main_step(Range batch, Range m, Range n, Range k, const Place& b,
                              const Place& c) {
    const catalog::KernelEntry& kernel = *candidate_.kernel;
    const int slices = candidate_.variant.split_k;
    catalog::BuildChoice choice;
    choice.a = problem_.a.major;
    choice.b = candidate_.variant.transpose_b ? Major::k : problem_.b.major;
    choice.variant = candidate_.variant;
    const PackedWork& work = work_of(batch, m, n, k);

    Step step;
    step.kind = PassKind::main_kernel;
    step.build = {std::string(kernel.name), std::string(kernel.source),
                  std::string(kernel.function),
                  catalog::main_kernel_defines(kernel, candidate_.parameters, choice)};
    step.range.local = {1, 1, 1};
    step.range.global = {static_cast<std::size_t>(support::ceil_div(m.length, tile_.m)),
                         static_cast<std::size_t>(work.groups_n),
                         static_cast<std::size_t>(batch.length * slices)};
    for (const Range& extent : {m, n, k}) {
        append_integer(step.arguments, extent.length);
    }
    step.arguments.push_back(slices > 1 ? one : user_alpha);
    append_place(step.arguments, part_of_a(batch, m, k));
    append_place(step.arguments, b);
    step.arguments.push_back(slices > 1 ? zero : k.begin > 0 ? one : user_beta);
    append_place(step.arguments, c);
    if (kernel.slices_at_launch) {
        append_integer(step.arguments, slices);
    }
    step.work = work;
    step.predicted_seconds =
        predict_packed(work, tile_, candidate_.model, context_.machine, context_.device);
    step.purpose = "multiply " + std::to_string(m.length) + "x" + std::to_string(n.length) + "x" +
                   std::to_string(k.length);
    if (slices > 1) {
        step.purpose += " in " + std::to_string(slices) + " slices of k";
    }
    return step;
}

void PackedBuilder::add_launches() {
    const Place c = caller_place(Kind::buffer_c, Kind::offset_c, problem_.c);
    for (const Range batch : cut(problem_.batch, batch_length_)) {
        for (const Range n : cut(problem_.n, n_length_)) {
            for (const Range k : cut(problem_.k, k_length_)) {
                const Place b = bring_b(batch, n, k);
                for (const Range m : cut(problem_.m, m_length_)) {
                    add_in_turn(main_step(
                        batch, m, n, k, b,
                        moved(c, batch.begin * c.batch_stride + n.begin * c.ld + m.begin)));
                }
            }
        }
    }
}

/// One launch whose work-groups each sum a slice of k into the workspace, and the pass that adds
/// the slices.
void PackedBuilder::add_sliced_launch() {
    const Range batch{0, problem_.batch};
    const Range m{0, problem_.m};
    const Range n{0, problem_.n};
    const Range k{0, problem_.k};
    const int slices = candidate_.variant.split_k;
    Place sums = steps_.reserve({m.length, n.length}, 1, problem_.batch * slices);
    const std::int64_t slice = sums.batch_stride;
    sums.batch_stride = slice * slices;
    add_in_turn(main_step(batch, m, n, k, bring_b(batch, n, k), sums));
    add_in_turn(reduce_step(context_, sums, slice, slices,
                            caller_place(Kind::buffer_c, Kind::offset_c, problem_.c),
                            {m.length, n.length}, problem_.batch));
}

PlanValue PackedBuilder::finish(std::int64_t bytes) {
    PlanValue plan;
    plan.kernel = candidate_.kernel;
    plan.parameters = candidate_.parameters;
    plan.row = candidate_.row;
    plan.variant = candidate_.to_string();
    plan.workspace_bytes = static_cast<std::size_t>(bytes);
    plan.steps = steps_.take();
    plan.strategy = packs_a() || candidate_.variant.transpose_b ? "packing"
                    : plan.steps.size() == 1                    ? "in place"
                                                                : "divided";
    plan.predicted_seconds = predict_call(plan.steps, context_);
    return plan;
}

std::variant<PlanValue, Obstacle> PackedBuilder::build(EdgeStrategy edges,
                                                       std::size_t max_workspace_bytes) {
    choose_lengths();
    if (std::string reason = find_obstacle(edges); !reason.empty()) {
        return Obstacle{std::move(reason)};
    }
    reserve_turned_b();
    if (candidate_.variant.split_k > 1) {
        add_sliced_launch();
    } else {
        add_launches();
    }
    const Count bytes = steps_.bytes();
    if (!bytes) {
        return Obstacle{"its workspace does not fit in 63 bits"};
    }
    if (static_cast<std::uint64_t>(*bytes) > max_workspace_bytes) {
        return Obstacle{"its workspace of " + std::to_string(*bytes) +
                        " bytes is over the limit of " + std::to_string(max_workspace_bytes)};
    }
    return finish(*bytes);
}

double bytes_of(std::int64_t rows, std::int64_t columns, std::int64_t batch) {
    return static_cast<double>(sizeof(float)) * static_cast<double>(rows) *
           static_cast<double>(columns) * static_cast<double>(batch);
}

/// The candidate's own slices of k, and, where C is small, as many as make each about `depth` deep: they
/// run side by side. Left out where they would need too much room: all of B turned, and a product for
/// each slice.
std::vector<int> slice_counts(const Candidate& candidate, const CanonicalProblem& problem,
                              const PlanOptions& options, bool turn_b) {
    constexpr std::int64_t most_slices = 64;
    if (options.split_k > 0) {
        return {candidate.variant.split_k};
    }
    const auto fits = [&](std::int64_t slices) {
        const auto most = static_cast<double>(most_turned_bytes);
        return bytes_of(problem.m, problem.n, problem.batch) * static_cast<double>(slices) <=
                   most / 4 &&
               (!turn_b || bytes_of(problem.n, problem.k, problem.batch) <= most);
    };
    if (candidate.variant.split_k > 1) {
        return fits(candidate.variant.split_k) ? std::vector<int>{candidate.variant.split_k}
                                               : std::vector<int>{};
    }
    const std::int64_t deep = problem.k / candidate.parameters["depth"];
    if (deep < 2 || deep > most_slices || !fits(deep) ||
        options.parts_m + options.parts_n + options.parts_k > 0) {
        return {1};
    }
    return {1, static_cast<int>(deep)};
}

/// Whether to copy an operand: what may be, as far as the caller leaves the choice.
std::vector<bool> choices(bool in_place, bool copied, Relay relay, Relay only_this) {
    const bool forced = relay == Relay::always || relay == only_this;
    const bool forbidden = relay != Relay::automatic && !forced;
    if (!in_place || (copied && forced)) {
        return {true};
    }
    return !copied || forbidden ? std::vector<bool>{false} : std::vector<bool>{false, true};
}

} // namespace

std::vector<Candidate> with_packing(const Candidate& candidate, const CanonicalProblem& problem,
                                    const PlanOptions& options) {
    const catalog::KernelEntry& kernel = *candidate.kernel;
    const catalog::TileShape tile = kernel.tile(candidate.parameters);
    std::vector<bool> ways_of_a = {false};
    std::vector<bool> ways_of_b = {false};
    if (kernel.packs == catalog::Packs::a_by_choice) {
        const bool a_in_place =
            catalog::accepts(kernel.a, problem.a.major) && problem.m >= tile.panel_m;
        ways_of_a = choices(a_in_place, true, options.relay, Relay::only_a);
        ways_of_b = choices(true, problem.b.major == Major::mn, options.relay, Relay::only_b);
    }
    std::vector<Candidate> variants;
    for (const bool pack_a : ways_of_a) {
        for (const bool turn_b : ways_of_b) {
            for (const int slices : slice_counts(candidate, problem, options, turn_b)) {
                Candidate variant = candidate;
                variant.variant.pack_a = pack_a;
                variant.variant.transpose_b = turn_b;
                variant.variant.split_k = slices;
                variant.variant.parts = {options.parts_m, options.parts_n, options.parts_k};
                variants.push_back(std::move(variant));
            }
        }
    }
    return variants;
}

std::variant<PlanValue, Obstacle> build_packed_plan(const CanonicalProblem& problem,
                                                    const Candidate& candidate,
                                                    const PassContext& context, EdgeStrategy edges,
                                                    std::size_t max_workspace_bytes) {
    return PackedBuilder(problem, candidate, context).build(edges, max_workspace_bytes);
}

} // namespace libsgemm::planning
