// SPDX-License-Identifier: Apache-2.0
#include "catalog/packed.hpp"
#include "plan/family/families.hpp"
#include "plan/family/packed/packed_cost.hpp"
#include "plan/family/packed/transposed_bytes.hpp"
#include "plan/family/plan_builder.hpp"
#include "plan/family/split_counts.hpp"
#include "plan/family/tiled/tiling.hpp"
#include "plan/inputs.hpp"
#include "support/round.hpp"

#include <algorithm>
#include <limits>
#include <string>
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

/// Elements of a cache line, more or less: transposed columns begin at one.
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

bool packs_a_by_choice(const catalog::KernelEntry& kernel) {
    return std::get<catalog::Packed>(kernel.family).a_by_choice;
}

class PackedBuilder : public PlanBuilder {
public:
    PackedBuilder(const FamilyPlanner& family, const BuildRequest& request)
        : PlanBuilder(family, request) {}

private:
    std::string add_steps() override;
    std::string strategy(const std::vector<Step>& steps) const override;
    void choose_lengths();
    std::string find_obstacle() const;
    void reserve_transposed_b();
    void add_launches();
    void add_split_k();
    bool packs_b() const { return !packs_a_by_choice(*candidate_.kernel); }
    bool packs_a() const { return packs_b() || candidate_.variant.pack_a; }
    Place bring_b(Range batch, Range n, Range k);
    Place part_of_a(Range batch, Range m, Range k) const;
    PackedWork shared_out(PackedWork work) const;
    const PackedWork& work_of(Range batch, Range m, Range n, Range k);
    Step launch(Range batch, Range m, Range n, Range k, const Place& b, const Place& c);
    void add_in_turn(Step step) { last_ = steps_.add(std::move(step), {last_}); }

    std::int64_t batch_length_ = 1, m_length_ = 1, n_length_ = 1, k_length_ = 1;
    Place transposed_b_; ///< workspace; used again by each part
    std::vector<PackedWork>
        works_;     ///< of launches of different extents: few, of up to 4096 launches
    int last_ = -1; ///< steps follow each other: the next part's B replaces this one's
};

/// From one column of a transposed B to the next: an odd number of cache lines, or they would crowd
/// few cache sets, and memory channels while they are written (docs/adr/0010). If it overflows, so
/// long that reserve() overflows, too.
std::int64_t transposed_ld(std::int64_t k_length) {
    const std::int64_t lines = support::ceil_div(k_length, whole_lines);
    return support::checked_multiply(Count(lines + (lines % 2 == 0 ? 1 : 0)), Count(whole_lines))
        .value_or(std::numeric_limits<std::int64_t>::max());
}

/// Parts that the candidate asks for; else so many that what is transposed of B stays below its
/// limits, of k first, in whole blocks: A is then packed once, and C added to as often, all the
/// same.
void PackedBuilder::choose_lengths() {
    const Parts& parts = candidate_.variant.parts;
    const std::int64_t depth = catalog::packed::depth(candidate_.parameters);
    const bool in_parts = candidate_.variant.transpose_b && split_k() == 1;
    constexpr std::int64_t most = most_transposed_bytes / std::int64_t{sizeof(float)};
    constexpr std::int64_t usual = usual_transposed_bytes / std::int64_t{sizeof(float)};
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
    const std::int64_t ld = transposed_ld(k_length_);
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

std::string PackedBuilder::find_obstacle() const {
    if (std::string reason = find_obstacle_to_options(); !reason.empty()) {
        return reason;
    }
    if (candidate_.variant.transpose_b && problem_.b.major == Major::k) {
        return "B lies along k already";
    }
    if (request_.options.edges == EdgeStrategy::none && candidate_.variant.transpose_b) {
        return "B is transposed, and copies are excluded";
    }
    const auto count = [](std::int64_t extent, std::int64_t length) {
        return static_cast<double>(support::ceil_div(extent, length));
    };
    if (count(problem_.batch, batch_length_) * count(problem_.m, m_length_) *
            count(problem_.n, n_length_) * count(problem_.k, k_length_) >
        most_launches) {
        return "it would take more than 4096 launches";
    }
    if (!packs_a() && last_length(problem_.m, m_length_) < tile_.panel_m) {
        return "C has fewer rows than a register tile, and A is not packed";
    }
    return {};
}

/// Room for the largest part of B, k-major; a B that the whole batch shares is transposed once.
void PackedBuilder::reserve_transposed_b() {
    if (!candidate_.variant.transpose_b) {
        return;
    }
    transposed_b_ = steps_.reserve({transposed_ld(k_length_), std::min(n_length_, problem_.n)},
                                   whole_lines, problem_.b.batch_stride == 0 ? 1 : batch_length_);
}

/// Where a launch finds its part of B; adds the pass that transposes it.
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
                          transposed_b_, {k.length, n.length},
                          b.batch_stride == 0 ? 1 : batch.length));
    return transposed_b_;
}

Place PackedBuilder::part_of_a(Range batch, Range m, Range k) const {
    const Operand& a = problem_.a;
    const std::int64_t first =
        a.major == Major::k ? m.begin * a.ld + k.begin : k.begin * a.ld + m.begin;
    return moved(caller_place(Kind::buffer_a, Kind::offset_a, a),
                 batch.begin * a.batch_stride + first);
}

/// The number of work-groups along n that is predicted to be fastest: more of them keep more
/// compute units busy, and each packs A anew.
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
    work.split_k = split_k();
    work.vector_width = catalog::packed::vector_width(candidate_.parameters);
    work.depth = catalog::packed::depth(candidate_.parameters);
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

Step PackedBuilder::launch(Range batch, Range m, Range n, Range k, const Place& b, const Place& c) {
    const bool split = split_k() > 1;
    catalog::BuildChoice choice;
    choice.a = problem_.a.major;
    choice.b = candidate_.variant.transpose_b ? Major::k : problem_.b.major;
    const PackedWork& work = work_of(batch, m, n, k);

    Step step = main_step(choice, m.length, n.length, k.length);
    step.range.local = {1, 1, 1};
    step.range.global = {static_cast<std::size_t>(support::ceil_div(m.length, tile_.m)),
                         static_cast<std::size_t>(work.groups_n),
                         static_cast<std::size_t>(batch.length * split_k())};
    for (const Range& extent : {m, n, k}) {
        append_integer(step.arguments, extent.length);
    }
    step.arguments.push_back(split ? one : user_alpha);
    append_place(step.arguments, part_of_a(batch, m, k));
    append_place(step.arguments, b);
    step.arguments.push_back(split ? zero : k.begin > 0 ? one : user_beta);
    append_place(step.arguments, c);
    if (candidate_.kernel->split_k == catalog::SplitK::at_launch) {
        append_integer(step.arguments, split_k());
    }
    predict(step, work);
    return step;
}

void PackedBuilder::add_launches() {
    const Place whole_c = c();
    for (const Range batch : cut(problem_.batch, batch_length_)) {
        for (const Range n : cut(problem_.n, n_length_)) {
            for (const Range k : cut(problem_.k, k_length_)) {
                const Place b = bring_b(batch, n, k);
                for (const Range m : cut(problem_.m, m_length_)) {
                    const std::int64_t first =
                        batch.begin * whole_c.batch_stride + n.begin * whole_c.ld + m.begin;
                    add_in_turn(launch(batch, m, n, k, b, moved(whole_c, first)));
                }
            }
        }
    }
}

/// One launch whose work-groups each sum a part of k into the workspace, and the reduction.
void PackedBuilder::add_split_k() {
    const Range batch{0, problem_.batch};
    const Range n{0, problem_.n};
    const Range k{0, problem_.k};
    const Place sums = reserve_partial_sums({problem_.m, problem_.n}, 1);
    add_in_turn(
        launch(batch, {0, problem_.m}, n, k, bring_b(batch, n, k), first_partial_sums(sums)));
    add_in_turn(reduction(sums));
}

std::string PackedBuilder::strategy(const std::vector<Step>& steps) const {
    return packs_a() || candidate_.variant.transpose_b ? "packing"
           : steps.size() == 1                         ? "in place"
                                                       : "divided";
}

std::string PackedBuilder::add_steps() {
    choose_lengths();
    if (std::string reason = find_obstacle(); !reason.empty()) {
        return reason;
    }
    reserve_transposed_b();
    if (split_k() > 1) {
        add_split_k();
    } else {
        add_launches();
    }
    return {};
}

double bytes_of(std::int64_t rows, std::int64_t columns, std::int64_t batch) {
    return static_cast<double>(sizeof(float)) * static_cast<double>(rows) *
           static_cast<double>(columns) * static_cast<double>(batch);
}

/// The candidate's own split-K, and, where C is small, what makes each range about `depth` deep:
/// they run side by side. Left out where they would need too much room: all of B transposed, and a
/// product for each range.
std::vector<int> packed_split_counts(const Candidate& candidate, const CanonicalProblem& problem,
                                     const ExpertPlanOptions& options, bool transpose_b) {
    constexpr std::int64_t most_ranges = 64;
    if (options.split_k > 0) {
        return {candidate.variant.split_k};
    }
    const auto fits = [&](std::int64_t count) {
        const auto most = static_cast<double>(most_transposed_bytes);
        return bytes_of(problem.m, problem.n, problem.batch) * static_cast<double>(count) <=
                   most / 4 &&
               (!transpose_b || bytes_of(problem.n, problem.k, problem.batch) <= most);
    };
    if (candidate.variant.split_k > 1) {
        return fits(candidate.variant.split_k) ? std::vector<int>{candidate.variant.split_k}
                                               : std::vector<int>{};
    }
    const std::int64_t deep = problem.k / catalog::packed::depth(candidate.parameters);
    if (deep < 2 || deep > most_ranges || !fits(deep) ||
        options.parts_m + options.parts_n + options.parts_k > 0) {
        return {1};
    }
    return {1, static_cast<int>(deep)};
}

/// Whether to copy an operand: what may be, as far as the caller leaves the choice.
std::vector<bool> choices(bool in_place, bool copied, Repack repack, Repack only_this) {
    const bool forced = repack == Repack::always || repack == only_this;
    const bool forbidden = repack != Repack::automatic && !forced;
    if (!in_place || (copied && forced)) {
        return {true};
    }
    return !copied || forbidden ? std::vector<bool>{false} : std::vector<bool>{false, true};
}

/// The ways to bring A and B to the kernel: A packed by it, B transposed by a pass, or in place
/// where that is possible; one way, if it packs both. With as much split-K as may pay.
std::vector<Candidate> with_packing(const Candidate& candidate, const CanonicalProblem& problem,
                                    const ExpertPlanOptions& options) {
    const catalog::KernelEntry& kernel = *candidate.kernel;
    const catalog::TileShape tile = kernel.tile(candidate.parameters);
    std::vector<bool> ways_of_a = {false};
    std::vector<bool> ways_of_b = {false};
    if (packs_a_by_choice(kernel)) {
        const bool a_in_place =
            catalog::accepts(kernel.a, problem.a.major) && problem.m >= tile.panel_m;
        ways_of_a = choices(a_in_place, true, options.repack, Repack::only_a);
        ways_of_b = choices(true, problem.b.major == Major::mn, options.repack, Repack::only_b);
    }
    std::vector<Candidate> variants;
    for (const bool pack_a : ways_of_a) {
        for (const bool transpose_b : ways_of_b) {
            for (const int count : packed_split_counts(candidate, problem, options, transpose_b)) {
                Candidate variant = candidate;
                variant.variant.pack_a = pack_a;
                variant.variant.transpose_b = transpose_b;
                variant.variant.split_k = count;
                variant.variant.parts = {options.parts_m, options.parts_n, options.parts_k};
                variants.push_back(std::move(variant));
            }
        }
    }
    return variants;
}

/// Kernels that pack operands themselves: whether they do, whether a pass transposes B, and in how
/// many launches.
class PackedPlanner : public FamilyPlanner {
public:
    std::vector<Candidate> variants(const Candidate& row, const validate::CanonicalProblem& problem,
                                    const ExpertPlanOptions& options,
                                    const PlanningContext& context) const override;
    BuildResult build(const BuildRequest& request) const override;
    double predict(const Work& work, const catalog::TileShape& tile,
                   const tables::KernelModel& model, const tables::MachineModel& machine,
                   const DeviceTraits& device) const override;
    std::vector<Variant> tuned_variants(const catalog::KernelEntry& kernel,
                                        const catalog::Parameters& parameters,
                                        const validate::CanonicalProblem& problem,
                                        const DeviceTraits& device) const override;
    std::vector<Variant> verified_copies(const catalog::KernelEntry& kernel, bool a_k_major,
                                         bool b_k_major) const override;
    std::vector<Extents> verified_blocks(const catalog::Parameters& parameters,
                                         const catalog::TileShape& tile) const override;
    Repack repack_of_fringe() const override { return Repack::automatic; }
};

std::vector<Candidate> PackedPlanner::variants(const Candidate& row,
                                               const CanonicalProblem& problem,
                                               const ExpertPlanOptions& options,
                                               const PlanningContext& context) const {
    std::vector<Candidate> candidates;
    for (const int count : split_counts_to_fill(row, problem, options, context.device)) {
        Candidate split = row;
        split.variant.edges = EdgeStrategy::guarded;
        split.variant.split_k = count;
        const auto variants = with_packing(split, problem, options);
        candidates.insert(candidates.end(), variants.begin(), variants.end());
    }
    return candidates;
}

BuildResult PackedPlanner::build(const BuildRequest& request) const {
    return PackedBuilder(*this, request).build();
}

std::vector<Variant> PackedPlanner::tuned_variants(const catalog::KernelEntry& kernel,
                                                   const catalog::Parameters& parameters,
                                                   const CanonicalProblem& problem,
                                                   const DeviceTraits& /*device*/) const {
    Variant usual;
    usual.edges = EdgeStrategy::guarded;
    if (!packs_a_by_choice(kernel)) {
        return {usual};
    }
    // Copies pay where they are read often; A must be packed where it lies the wrong way or is too
    // short for a tile.
    constexpr std::int64_t often = 128;
    const bool a_k_major = problem.a.major == Major::k;
    const bool b_n_major = problem.b.major == Major::mn;
    const bool too_short = problem.m < kernel.tile(parameters).panel_m;
    usual.pack_a = a_k_major || too_short || problem.n > often;
    usual.transpose_b = b_n_major && problem.m > often;
    std::vector<Variant> variants{usual};
    if (!a_k_major && !too_short) {
        variants.push_back(usual);
        variants.back().pack_a = !usual.pack_a;
    }
    if (b_n_major) {
        variants.push_back(usual);
        variants.back().transpose_b = !usual.transpose_b;
    }
    return variants;
}

/// Each operand copied and in place, as its form allows.
std::vector<Variant> PackedPlanner::verified_copies(const catalog::KernelEntry& kernel,
                                                    bool a_k_major, bool b_k_major) const {
    Variant first;
    Variant second;
    if (!packs_a_by_choice(kernel)) {
        return {first};
    }
    first.pack_a = a_k_major || b_k_major;
    first.transpose_b = a_k_major && !b_k_major;
    second.pack_a = a_k_major || !b_k_major;
    second.transpose_b = !a_k_major && !b_k_major;
    return {first, second};
}

/// More than two blocks of k, and more than one block of B where it packs that.
std::vector<Extents> PackedPlanner::verified_blocks(const catalog::Parameters& parameters,
                                                    const catalog::TileShape& tile) const {
    const std::int64_t columns = std::int64_t{tile.panel_n} * catalog::packed::panels_n(parameters);
    return {{tile.panel_m + 1, columns + tile.panel_n + 1,
             std::int64_t{2} * catalog::packed::depth(parameters) + 5}};
}

double PackedPlanner::predict(const Work& work, const catalog::TileShape& tile,
                              const tables::KernelModel& model, const tables::MachineModel& machine,
                              const DeviceTraits& device) const {
    return predict_packed(std::get<PackedWork>(work), tile, model, machine, device);
}

} // namespace

const FamilyPlanner& planner_of(const catalog::Packed& /*family*/) {
    static const PackedPlanner planner;
    return planner;
}

} // namespace libsgemm::planning
