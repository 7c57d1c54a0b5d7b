// SPDX-License-Identifier: Apache-2.0
#include "plan/packed_plan.hpp"

#include "plan/inputs.hpp"
#include "plan/packed_cost.hpp"
#include "plan/step_list.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace sgemm::planning {
namespace {

using catalog::Major;
using support::Count;
using validate::CanonicalProblem;
using validate::Operand;
using Kind = Argument::Kind;

/// A plan is a list of launches that are enqueued one by one.
constexpr double most_launches = 4096;

constexpr Argument user_alpha{Kind::alpha, 0};
constexpr Argument user_beta{Kind::beta, 0};
constexpr Argument zero{Kind::zero, 0};
constexpr Argument one{Kind::one, 0};

std::int64_t divide_up(std::int64_t value, std::int64_t divisor) {
    return value / divisor + (value % divisor != 0 ? 1 : 0);
}

/// Length of the parts of an extent: multiples of `unit`, as equal as that allows.
std::int64_t part_length(std::int64_t extent, std::int64_t parts, std::int64_t unit) {
    return divide_up(divide_up(extent, parts), unit) * unit;
}

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

Place moved(Place place, std::int64_t elements) {
    place.offset.value += elements;
    return place;
}

/// One of A and B: what of it a launch reads, from where, and what its panels are.
struct Side {
    const char* name = "";
    Kind buffer = Kind::buffer_a;
    Kind offset = Kind::offset_a;
    const Operand* operand = nullptr;
    int panel = 1;
    bool packed = false;
    Place panels; ///< workspace, if packed; used again by each part

    bool shared() const { return operand->batch_stride == 0; }
};

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
    Place reserve_panels(const Side& side, std::int64_t mn);
    void add_launches();
    void add_sliced_launch();
    Place bring(const Side& side, Range batch, Range mn, Range k);
    Step main_step(Range batch, Range m, Range n, Range k, const Place& a, const Place& b,
                   const Place& c) const;
    void add_in_turn(Step step) { last_ = steps_.add(std::move(step), {last_}); }
    /// How far apart its steps along k are, if it is read in place; zero where they are contiguous.
    static std::int64_t apart(const Side& side) {
        return side.packed || side.operand->major == Major::k ? 0 : side.operand->ld;
    }
    bool copies() const { return a_.packed || b_.packed; }
    PlanValue finish(std::int64_t bytes);

    const CanonicalProblem& problem_;
    const Candidate& candidate_;
    const PassContext& context_;
    catalog::TileShape tile_;
    Side a_, b_;
    std::int64_t batch_length_ = 1, m_length_ = 1, n_length_ = 1, k_length_ = 1;
    StepList steps_;
    int last_ = -1; ///< steps follow each other: the next part's panels replace this one's
};

/// Parts that the candidate asks for; else so many that a launch is about `depth` deep, so that a
/// work-group's panels stay in a cache, and that panels stay below their limit.
void PackedBuilder::choose_lengths() {
    const Parts& parts = candidate_.parts;
    const std::int64_t depth = candidate_.parameters["depth"];
    const bool whole_k = candidate_.split_k > 1;
    // The nearest count: a second launch for a few steps more would cost more than it saves.
    const std::int64_t parts_k =
        parts.k > 0
            ? parts.k
            : std::max<std::int64_t>(1, problem_.k / depth + (problem_.k % depth > depth / 2));
    k_length_ =
        whole_k ? problem_.k : std::min(problem_.k, part_length(problem_.k, parts_k, tile_.k));

    const std::int64_t most = most_panel_bytes / static_cast<std::int64_t>(sizeof(float));
    const auto length = [&](const Side& side, std::int64_t extent, int wanted, int unit) {
        if (wanted > 0 || !side.packed || whole_k) {
            return part_length(extent, std::max(1, wanted), unit);
        }
        const std::int64_t rows = std::max<std::int64_t>(unit, most / k_length_ / unit * unit);
        return part_length(extent, divide_up(extent, rows), unit);
    };
    m_length_ = length(a_, problem_.m, parts.m, tile_.m);
    n_length_ = length(b_, problem_.n, parts.n, tile_.n);

    batch_length_ = problem_.batch;
    for (const auto& [side, mn] : {std::pair(&a_, m_length_), std::pair(&b_, n_length_)}) {
        if (side->packed && !side->shared() && !whole_k) {
            const std::int64_t products = most / k_length_ / mn;
            batch_length_ = std::min(batch_length_, std::max<std::int64_t>(1, products));
        }
    }
}

std::string PackedBuilder::find_obstacle(EdgeStrategy edges) const {
    if (edges == EdgeStrategy::padding) {
        return "it checks bounds itself and is never padded";
    }
    if (edges == EdgeStrategy::guarded || edges == EdgeStrategy::pointer_shift) {
        return "its edges cannot be chosen";
    }
    if (edges == EdgeStrategy::none && copies()) {
        return "an operand is packed, and copies are excluded";
    }
    const auto count = [](std::int64_t extent, std::int64_t length) {
        return static_cast<double>(divide_up(extent, length));
    };
    if (count(problem_.batch, batch_length_) * count(problem_.m, m_length_) *
            count(problem_.n, n_length_) * count(problem_.k, k_length_) >
        most_launches) {
        return "it would take more than 4096 launches";
    }
    const Parts& parts = candidate_.parts;
    if (candidate_.split_k > 1 && std::max({parts.m, parts.n, parts.k}) > 1) {
        return "slices of k and parts exclude each other";
    }
    if ((!a_.packed && last_length(problem_.m, m_length_) < a_.panel) ||
        (!b_.packed && last_length(problem_.n, n_length_) < b_.panel)) {
        return "an operand is read in place only where it fills a panel";
    }
    return {};
}

/// Room for the largest part of an operand. An operand that the whole batch shares is packed once.
Place PackedBuilder::reserve_panels(const Side& side, std::int64_t mn) {
    if (!side.packed) {
        return {};
    }
    constexpr std::int64_t too_long =
        std::numeric_limits<std::int64_t>::max(); // for reserve(), too
    const Count panel = support::checked_multiply(k_length_, side.panel);
    const std::int64_t panels = divide_up(mn, side.panel);
    return steps_.reserve({panel.value_or(too_long), panels}, 2, side.shared() ? 1 : batch_length_);
}

/// Where a launch finds its part of an operand; adds the pass that packs it there.
Place PackedBuilder::bring(const Side& side, Range batch, Range mn, Range k) {
    const Operand& operand = *side.operand;
    const bool k_major = operand.major == Major::k;
    const std::int64_t first =
        k_major ? mn.begin * operand.ld + k.begin : k.begin * operand.ld + mn.begin;
    const Place part = moved(caller_place(side.buffer, side.offset, operand),
                             batch.begin * operand.batch_stride + first);
    if (!side.packed) {
        return part;
    }
    Place panels = side.panels;
    panels.ld = k.length * side.panel; // the last part of k may be shorter
    add_in_turn(pack_step(context_, side.panel, k_major, side.name, part, {mn.length, k.length},
                          panels, side.shared() ? 1 : batch.length));
    return panels;
}

Step PackedBuilder::main_step(Range batch, Range m, Range n, Range k, const Place& a,
                              const Place& b, const Place& c) const {
    const catalog::KernelEntry& kernel = *candidate_.kernel;
    const int slices = candidate_.split_k;
    catalog::BuildChoice choice;
    // The storage of a packed operand makes no difference to the kernel: one program serves both.
    choice.a = a_.packed ? Major::mn : problem_.a.major;
    choice.b = b_.packed ? Major::mn : problem_.b.major;
    choice.split_k = slices;
    choice.pack_a = a_.packed;
    choice.pack_b = b_.packed;

    Step step;
    step.kind = PassKind::main_kernel;
    step.build = {std::string(kernel.name), std::string(kernel.source),
                  std::string(kernel.function),
                  catalog::main_kernel_defines(kernel, candidate_.parameters, choice)};
    const auto local0 = static_cast<std::size_t>(tile_.local[0]);
    const auto local1 = static_cast<std::size_t>(tile_.local[1]);
    step.range.local = {local0, local1, 1};
    step.range.global = {static_cast<std::size_t>(divide_up(m.length, tile_.m)) * local0,
                         static_cast<std::size_t>(divide_up(n.length, tile_.n)) * local1,
                         static_cast<std::size_t>(batch.length * slices)};
    for (const Range& extent : {m, n, k}) {
        step.arguments.push_back({Kind::integer, extent.length});
    }
    step.arguments.push_back(slices > 1 ? one : user_alpha);
    append_place(step.arguments, a);
    append_place(step.arguments, b);
    step.arguments.push_back(slices > 1 ? zero : k.begin > 0 ? one : user_beta);
    append_place(step.arguments, c);
    const bool unaligned =
        !a_.packed && !is_aligned(problem_.a, candidate_.parameters.get_or("vector_width", 1), 1);
    const PackedWork work{m.length, n.length,  k.length,  batch.length,
                          slices,   apart(a_), apart(b_), unaligned};
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
                const Place b = bring(b_, batch, n, k);
                for (const Range m : cut(problem_.m, m_length_)) {
                    const Place a = bring(a_, batch, m, k);
                    const Place part =
                        moved(c, batch.begin * c.batch_stride + n.begin * c.ld + m.begin);
                    add_in_turn(main_step(batch, m, n, k, a, b, part));
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
    const int slices = candidate_.split_k;
    Place sums = steps_.reserve({m.length, n.length}, 1, problem_.batch * slices);
    const std::int64_t slice = sums.batch_stride;
    sums.batch_stride = slice * slices;
    const Place b = bring(b_, batch, n, k);
    const Place a = bring(a_, batch, m, k);
    add_in_turn(main_step(batch, m, n, k, a, b, sums));
    add_in_turn(reduce_step(context_, sums, slice, slices,
                            caller_place(Kind::buffer_c, Kind::offset_c, problem_.c),
                            {m.length, n.length}, problem_.batch));
}

PlanValue PackedBuilder::finish(std::int64_t bytes) {
    PlanValue plan;
    plan.kernel = candidate_.kernel;
    plan.parameters = candidate_.parameters;
    plan.variant = candidate_.to_string();
    plan.workspace_bytes = static_cast<std::size_t>(bytes);
    plan.steps = steps_.take();
    plan.strategy = plan.steps.size() == 1 ? "in place" : copies() ? "packing" : "divided";
    plan.predicted_seconds =
        std::accumulate(plan.steps.begin(), plan.steps.end(), 0.0,
                        [](double sum, const Step& step) { return sum + step.predicted_seconds; });
    return plan;
}

std::variant<PlanValue, Obstacle> PackedBuilder::build(EdgeStrategy edges,
                                                       std::size_t max_workspace_bytes) {
    a_ = {"A", Kind::buffer_a, Kind::offset_a, &problem_.a, tile_.panel_m, candidate_.pack_a, {}};
    b_ = {"B", Kind::buffer_b, Kind::offset_b, &problem_.b, tile_.panel_n, candidate_.pack_b, {}};
    choose_lengths();
    if (std::string reason = find_obstacle(edges); !reason.empty()) {
        return Obstacle{std::move(reason)};
    }
    a_.panels = reserve_panels(a_, std::min(m_length_, problem_.m));
    b_.panels = reserve_panels(b_, std::min(n_length_, problem_.n));
    if (candidate_.split_k > 1) {
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
/// run side by side, where parts follow each other. Left out where they would need too much room: panels
/// of all of k, and a product for each slice.
std::vector<int> slice_counts(const Candidate& candidate, const CanonicalProblem& problem,
                              const PlanOptions& options, bool pack_a, bool pack_b) {
    constexpr std::int64_t most_slices = 64;
    if (options.split_k > 0) {
        return {candidate.split_k};
    }
    const auto fits = [&](std::int64_t slices) {
        const double most = static_cast<double>(most_panel_bytes);
        return bytes_of(problem.m, problem.n, problem.batch * slices) <= most / 4 &&
               (!pack_a || bytes_of(problem.m, problem.k, problem.batch) <= most) &&
               (!pack_b || bytes_of(problem.n, problem.k, problem.batch) <= most);
    };
    if (candidate.split_k > 1) {
        return fits(candidate.split_k) ? std::vector<int>{candidate.split_k} : std::vector<int>{};
    }
    const std::int64_t deep = problem.k / candidate.parameters["depth"];
    if (deep < 2 || deep > most_slices || !fits(deep) ||
        options.parts_m + options.parts_n + options.parts_k > 0) {
        return {1};
    }
    return {1, static_cast<int>(deep)};
}

} // namespace

std::vector<Candidate> with_packing(const Candidate& candidate, const CanonicalProblem& problem,
                                    const PlanOptions& options) {
    const catalog::TileShape tile = candidate.kernel->tile(candidate.parameters);
    const auto choices = [&](catalog::Accepts accepted, const Operand& operand, std::int64_t extent,
                             int panel) -> std::vector<bool> {
        if (!catalog::accepts(accepted, operand.major) || extent < panel ||
            options.relay == Relay::always) {
            return {true};
        }
        return options.relay == Relay::never ? std::vector<bool>{false}
                                             : std::vector<bool>{false, true};
    };
    std::vector<Candidate> variants;
    for (const bool pack_a : choices(candidate.kernel->a, problem.a, problem.m, tile.panel_m)) {
        for (const bool pack_b : choices(candidate.kernel->b, problem.b, problem.n, tile.panel_n)) {
            for (const int slices : slice_counts(candidate, problem, options, pack_a, pack_b)) {
                Candidate variant = candidate;
                variant.pack_a = pack_a;
                variant.pack_b = pack_b;
                variant.split_k = slices;
                variant.parts = {options.parts_m, options.parts_n, options.parts_k};
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

} // namespace sgemm::planning
