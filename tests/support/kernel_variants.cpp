// SPDX-License-Identifier: Apache-2.0
#include "support/kernel_variants.hpp"

#include <algorithm>
#include <random>
#include <tuple>

namespace sgemm_test {
namespace {

using libsgemm::catalog::KernelEntry;
using libsgemm::catalog::Parameters;
using libsgemm::catalog::TileShape;

/// Most draws break a constraint.
constexpr int most_draws = 5000;

Parameters draw(const KernelEntry& kernel, std::mt19937_64& engine) {
    Parameters result;
    for (const auto& parameter : kernel.parameters) {
        result.set(parameter.name, parameter.values[engine() % parameter.values.size()]);
    }
    return result;
}

/// Smaller is better. Degenerate shapes hide mistakes: a tile as wide as it is high that M and N
/// are exchanged, one element per work-item that register tiles are mixed up.
auto rank(const TileShape& tile) {
    const int per_item = tile.m * tile.n / std::max(1, tile.work_items());
    return std::make_tuple(-std::min(per_item, 4), -std::min(tile.work_items(), 8),
                           tile.m == tile.n, tile.m * tile.n * tile.k, tile.local_memory_bytes);
}

} // namespace

std::vector<Parameters> draw_parameters(const KernelEntry& kernel,
                                        const libsgemm::DeviceTraits& device, std::size_t count,
                                        std::uint64_t seed) {
    std::mt19937_64 engine(seed);
    std::vector<Parameters> result;
    for (int i = 0; i < most_draws && result.size() < count; ++i) {
        Parameters candidate = draw(kernel, engine);
        if (std::find(result.begin(), result.end(), candidate) == result.end() &&
            can_run(kernel, candidate, device)) {
            result.push_back(std::move(candidate));
        }
    }
    return result;
}

Parameters small_parameters(const KernelEntry& kernel, const libsgemm::DeviceTraits& device) {
    const std::vector<Parameters> sets = draw_parameters(kernel, device, 500, 1);
    if (sets.empty()) {
        return kernel.defaults(); // of a kernel that the device cannot run at all
    }
    return *std::min_element(sets.begin(), sets.end(), [&](const auto& x, const auto& y) {
        return rank(kernel.tile(x)) < rank(kernel.tile(y));
    });
}

libsgemm::ExpertPlanOptions forced(const KernelEntry& kernel, const Parameters& parameters) {
    libsgemm::ExpertPlanOptions options;
    options.kernel = kernel.name;
    for (const auto& [name, value] : parameters) {
        options.parameters[name] = value;
    }
    return options;
}

std::vector<Extents> tile_extents(const TileShape& tile) {
    return tile_extents(tile, 0, 1);
}

std::vector<Extents> tile_extents(const TileShape& tile, std::size_t part, std::size_t parts) {
    constexpr std::size_t choices = 6;
    const auto extent = [](std::int64_t t, std::size_t choice) {
        const std::int64_t extents[choices] = {t, (t + 1) / 2, 2 * t, t + 1, 3 * t, 3 * t - 1};
        return extents[choice];
    };
    std::vector<Extents> result;
    for (std::size_t i = 0; i < choices; ++i) {
        for (std::size_t j = 0; j < choices; ++j) {
            if ((i + j / 2) % parts == part % parts) {
                // A latin square: each k meets each m, and each n, once.
                result.push_back(
                    {extent(tile.m, i), extent(tile.n, j), extent(tile.k, (i + j) % choices)});
            }
        }
    }
    return result;
}

const std::array<Form, 8>& all_forms() {
    using libsgemm::Layout;
    constexpr auto no = libsgemm::Transpose::no;
    constexpr auto yes = libsgemm::Transpose::yes;
    static constexpr std::array<Form, 8> forms = {{
        {Layout::column_major, no, no},
        {Layout::column_major, no, yes},
        {Layout::column_major, yes, no},
        {Layout::column_major, yes, yes},
        {Layout::row_major, no, no},
        {Layout::row_major, no, yes},
        {Layout::row_major, yes, no},
        {Layout::row_major, yes, yes},
    }};
    return forms;
}

void set_form(Case& test_case, const Form& form) {
    test_case.problem.layout = form.layout;
    test_case.problem.transpose_a = form.a;
    test_case.problem.transpose_b = form.b;
}

} // namespace sgemm_test
