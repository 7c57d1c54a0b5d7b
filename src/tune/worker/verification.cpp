// SPDX-License-Identifier: Apache-2.0
#include "tune/worker/verification.hpp"

#include "plan/family/families.hpp"
#include "support/round.hpp"

#include <algorithm>

namespace libsgemm::tune {
namespace {

/// More remainders than a tile of any sensible size leaves.
constexpr int most_shapes = 1024;

/// A shape whose leading dimensions are odd, or fit all vectors.
Shape spaced(const VerificationCase& c, std::int64_t m, std::int64_t n, std::int64_t k) {
    std::string op;
    op += c.transpose_a ? 'T' : 'N';
    op += c.transpose_b ? 'T' : 'N';
    const Shape tight = judge::make_shape(op, m, n, k);
    constexpr std::int64_t widest = 16;
    const auto spread = [&](std::int64_t rows) {
        return c.variant.narrow_a ? rows + 1 - rows % 2 : support::round_up(rows, widest);
    };
    return judge::with_leading_dimensions(tight, spread(tight.rows_a()), spread(tight.rows_b()),
                                          m + 3);
}

/// Every remainder of every extent, one and two tiles long alternately, not all with the same
/// phase.
void add_remainders(VerificationCase& c, const catalog::TileShape& tile) {
    const bool shifted = c.variant.edges == EdgeStrategy::pointer_shift;
    const int count = std::min(most_shapes, std::max({tile.m, tile.n, tile.k}));
    for (int i = 0; i < count; ++i) {
        const int whole_m = i % 3 == 0 ? 2 : 1;
        const int whole_n = i % 4 == 0 ? 2 : 1;
        const int whole_k = i % 5;
        const std::int64_t m = std::int64_t{whole_m} * tile.m + i % tile.m;
        const std::int64_t n = std::int64_t{whole_n} * tile.n + (i + tile.n / 2) % tile.n;
        const std::int64_t k = std::int64_t{whole_k} * tile.k + (i + 1) % tile.k;
        c.shapes.push_back(spaced(c, m, n, tile.some_k(std::max<std::int64_t>(1, k))));
    }
    if (!shifted) {
        c.shapes.push_back(spaced(c, 1, 1, tile.some_k(1)));
        c.shapes.push_back(
            spaced(c, std::max(1, tile.m - 1), 1, tile.some_k(std::int64_t{2} * tile.k + 1)));
        c.shapes.push_back(spaced(c, 1, std::max(1, tile.n - 1), tile.some_k(7)));
    }
}

/// Extended tiles are built for a few extensions: their remainders are divided among the storage
/// forms.
void add_extensions(VerificationCase& c, const catalog::TileShape& tile) {
    constexpr int most = 8;
    const int form = (c.transpose_a ? 2 : 0) + (c.transpose_b ? 1 : 0);
    for (int rest = form; rest <= most; rest += 4) {
        for (const int tiles : {1, 2}) {
            c.shapes.push_back(
                spaced(c, std::int64_t{tiles} * tile.m + rest, tile.n + rest, 2 * tile.k + rest));
        }
    }
}

/// Where passes pad, the kernel sees whole tiles only.
void add_whole_tiles(VerificationCase& c, const catalog::TileShape& tile) {
    c.shapes.push_back(spaced(c, std::int64_t{2} * tile.m, tile.n, std::int64_t{3} * tile.k));
    c.shapes.push_back(spaced(c, tile.m, std::int64_t{2} * tile.n, tile.k));
    c.shapes.push_back(spaced(c, tile.m + 1, tile.n + 1, tile.k + 1));
    c.shapes.push_back(spaced(c, std::int64_t{2} * tile.m - 1, std::int64_t{2} * tile.n - 1,
                              std::int64_t{5} * tile.k - 1));
    c.shapes.push_back(spaced(c, 1, 1, 1));
}

void add_shapes(VerificationCase& c, const catalog::TileShape& tile) {
    switch (c.variant.edges) {
    case EdgeStrategy::padding:
        return add_whole_tiles(c, tile);
    case EdgeStrategy::extension:
        return add_extensions(c, tile);
    default:
        return add_remainders(c, tile);
    }
}

} // namespace

std::vector<VerificationCase> verification_cases(const catalog::KernelEntry& kernel,
                                                 const catalog::Parameters& parameters) {
    const catalog::TileShape tile = kernel.tile(parameters);
    const planning::FamilyPlanner& family = planning::planner_of(kernel);
    const bool has_wide_loads = parameters.get_or(catalog::load_width_a_name, 1) > 1 ||
                                parameters.get_or(catalog::load_width_b_name, 1) > 1;
    std::vector<VerificationCase> cases;
    int turn = 0;
    for (const EdgeStrategy edges : {EdgeStrategy::padding, EdgeStrategy::guarded,
                                     EdgeStrategy::pointer_shift, EdgeStrategy::extension}) {
        if (!catalog::takes(kernel, edges)) {
            continue;
        }
        for (const bool transpose_a : {false, true}) {
            for (const bool transpose_b : {false, true}) {
                // Alternate so that each meets every storage form and every variant.
                const bool odd_turn = turn % 2 == 1;
                const bool narrow = has_wide_loads && ((transpose_a != transpose_b) != odd_turn);
                const auto copies = family.verified_copies(kernel, transpose_a, !transpose_b);
                const bool splits = kernel.split_k != catalog::SplitK::none && copies.size() == 1 &&
                                    transpose_a != odd_turn;
                for (const planning::Variant& variant : copies) {
                    VerificationCase c;
                    c.transpose_a = transpose_a;
                    c.transpose_b = transpose_b;
                    c.variant = variant;
                    c.variant.edges = edges;
                    c.variant.narrow_a = c.variant.narrow_b = narrow;
                    c.variant.split_k = splits ? 3 : 1;
                    add_shapes(c, tile);
                    for (const planning::Extents& extents :
                         family.verified_blocks(parameters, tile)) {
                        c.shapes.push_back(spaced(c, extents.m, extents.n, extents.k));
                    }
                    cases.push_back(std::move(c));
                }
            }
        }
        ++turn;
    }
    return cases;
}

namespace {

/// From one shape that is looked at to the next.
std::size_t step_of(const Part& part, std::size_t shapes) {
    const auto wanted = static_cast<std::size_t>(part.shapes_per_case);
    return wanted == 0 ? 1 : std::max<std::size_t>(1, (shapes + wanted - 1) / wanted);
}

} // namespace

TrialResult verify_row(TrialRunner& runner, const std::string& kernel,
                       const catalog::Parameters& parameters, Part part, std::size_t& shapes,
                       const StageListener& listener) {
    const catalog::KernelEntry* entry = runner.kernels().find(kernel);
    if (entry == nullptr) {
        return failed(Verdict::constraint, "no kernel is called " + kernel);
    }
    const auto obstacles = catalog::obstacles(*entry, parameters, runner.traits());
    if (!obstacles.empty()) {
        return failed(Verdict::constraint, obstacles.front());
    }
    TrialResult total;
    shapes = 0;
    const auto cases = verification_cases(*entry, parameters);
    for (auto i = static_cast<std::size_t>(part.part); i < cases.size();
         i += static_cast<std::size_t>(part.parts)) {
        const VerificationCase& c = cases[i];
        const std::size_t step = step_of(part, c.shapes.size());
        for (std::size_t j = 0; j < c.shapes.size(); j += step) {
            const Shape& shape = c.shapes[j];
            const Scalars scalars = shapes % 4 == 0 ? Scalars{} : Scalars{1.25F, -0.5F};
            const TrialResult result =
                runner.check({kernel, parameters, c.variant}, shape, scalars, listener);
            total.compile_seconds += result.compile_seconds;
            total.max_error = std::max(total.max_error, result.max_error);
            // A range of k more than there are steps, a shift without a whole tile: no shape for
            // this variant.
            if (result.verdict == Verdict::constraint) {
                continue;
            }
            if (!result.ok()) {
                total.verdict = result.verdict;
                total.message =
                    catalog::to_string(*entry, parameters, c.variant) + ": " +
                    (result.verdict == Verdict::wrong ? "" : judge::shape_name(shape) + ": ") +
                    result.message;
                return total;
            }
            ++shapes;
        }
    }
    return total;
}

} // namespace libsgemm::tune
