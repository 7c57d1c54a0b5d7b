// SPDX-License-Identifier: Apache-2.0
#include "tune/worker/verification.hpp"

#include "support/round.hpp"

#include <algorithm>

namespace libsgemm::tune {
namespace {

using catalog::Edges;

/// More remainders than a tile of any sensible size leaves.
constexpr int most_shapes = 1024;

std::vector<EdgeStrategy> strategies_of(const catalog::KernelEntry& kernel) {
    switch (kernel.edges) {
    case Edges::any_size:
        return {EdgeStrategy::guarded};
    case Edges::whole_tiles:
        return {EdgeStrategy::padding};
    case Edges::selectable:
        break;
    }
    std::vector<EdgeStrategy> strategies{EdgeStrategy::padding, EdgeStrategy::guarded};
    if (kernel.shifts) {
        strategies.push_back(EdgeStrategy::pointer_shift);
    }
    if (kernel.extension_bytes != nullptr) {
        strategies.push_back(EdgeStrategy::extension);
    }
    return strategies;
}

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
        c.shapes.push_back(spaced(c, m, n, std::max<std::int64_t>(1, k)));
    }
    if (!shifted) {
        c.shapes.push_back(spaced(c, 1, 1, 1));
        c.shapes.push_back(spaced(c, std::max(1, tile.m - 1), 1, 2 * tile.k + 1));
        c.shapes.push_back(spaced(c, 1, std::max(1, tile.n - 1), 7));
    }
}

/// More than two blocks of k of a kernel that packs panels, and more than one block of B where it
/// packs that.
void add_blocks(VerificationCase& c, const catalog::Parameters& parameters,
                const catalog::TileShape& tile) {
    const std::int64_t columns = std::int64_t{tile.panel_n} * parameters.get_or("panels_n", 1);
    c.shapes.push_back(spaced(c, tile.panel_m + 1, columns + tile.panel_n + 1,
                              std::int64_t{2} * parameters["depth"] + 5));
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

} // namespace

std::vector<VerificationCase> verification_cases(const catalog::KernelEntry& kernel,
                                                 const catalog::Parameters& parameters) {
    const catalog::TileShape tile = kernel.tile(parameters);
    const bool has_wide_loads =
        parameters.get_or("load_width_a", 1) > 1 || parameters.get_or("load_width_b", 1) > 1;
    const bool by_choice = kernel.packs == catalog::Packs::a_by_choice;
    std::vector<VerificationCase> cases;
    int turn = 0;
    for (const EdgeStrategy edges : strategies_of(kernel)) {
        for (const bool transpose_a : {false, true}) {
            for (const bool transpose_b : {false, true}) {
                VerificationCase c;
                c.transpose_a = transpose_a;
                c.transpose_b = transpose_b;
                c.variant.edges = edges;
                // Alternate so that each meets every storage form and every variant.
                const bool first = transpose_a != transpose_b;
                const bool odd_turn = turn % 2 == 1;
                c.variant.narrow_a = c.variant.narrow_b = has_wide_loads && (first != odd_turn);
                c.variant.split_k = kernel.split_k && (transpose_a != odd_turn) ? 3 : 1;
                if (by_choice) { // each operand copied and in place, as its form allows
                    c.variant.pack_a = transpose_a || !transpose_b;
                    c.variant.transpose_b = transpose_a && transpose_b;
                    c.variant.split_k = 1;
                }
                if (edges == EdgeStrategy::padding) {
                    add_whole_tiles(c, tile);
                } else if (edges == EdgeStrategy::extension) {
                    add_extensions(c, tile);
                } else {
                    add_remainders(c, tile);
                }
                if (catalog::packs_operands(kernel)) {
                    add_blocks(c, parameters, tile);
                }
                cases.push_back(c);
                if (by_choice) {
                    c.variant.pack_a = transpose_a || transpose_b;
                    c.variant.transpose_b = !transpose_a && transpose_b;
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
    const catalog::KernelEntry* entry = runner.kernels().catalog->find(kernel);
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
                planning::Candidate asked;
                asked.kernel = entry;
                asked.parameters = parameters;
                asked.variant = c.variant;
                total.message =
                    asked.to_string() + ": " +
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
