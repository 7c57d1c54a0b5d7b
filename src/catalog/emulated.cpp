// SPDX-License-Identifier: Apache-2.0
//
// FP32 emulation: operands are split into parts of fewer bits (docs/internals/emulation.md).
// Constraints and tile shapes mirror the #error lines and local arrays of
// kernels/emulated/multiply.cl, whose local memory is that of the largest pass, and
// kernels/emulated/direct.cl, with what they include.
#include "catalog/emulated.hpp"

#include "catalog/kernel_catalog.hpp"
#include "catalog/rules.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace libsgemm::catalog {

namespace {

using emulated::least_round_steps;
using emulated::most_shares;
using emulated::packers_per_group;
using emulated::packing_round_steps;

constexpr int tiles_m[] = {16, 32, 64, 96, 128, 144, 192};
constexpr int tiles_n[] = {16, 32, 64, 128, 256};
constexpr int scheme_stage_counts[] = {2, 3, 4, 5, 6};
constexpr int chain_lengths[] = {1, 2, 4};
constexpr int scheme_raster_bands[] = {1, 4, 8, 16};
constexpr int launch_counts[] = {1, 2};
constexpr int strict_launch_counts[] = {0, 1};
constexpr int share_counts[] = {1, 2, most_shares};

std::vector<ParameterSpec> scheme_parameters() {
    return {{"units", "UNITS", 0, switches,
             "0: ordinary code, for tests; 1: wgmma, of compute capability 9.0", 0, 1},
            {"tile_m", "TSM", 32, tiles_m, "rows of C per work-group"},
            {"tile_n", "TSN", 32, tiles_n, "columns of C per work-group"},
            {"stages", "STAGES", 4, scheme_stage_counts, "pairs of blocks in local memory"},
            {"promote", "PROMOTE", 1, chain_lengths,
             "blocks of k that are added up before single precision takes the sum over"},
            {"raster", "RASTER", 8, scheme_raster_bands,
             "tiles along n of the bands that work-groups walk through"},
            {"pack_launches", "PACK_LAUNCHES", 2, launch_counts,
             "launches that scan and pack; 1: one for both, for a batch of one with at most 65536 "
             "rows, where work-groups may have 512 work-items (128 for k up to 1024) and, for k "
             "above 4096, units enough groups (bf16: k up to 2048)"},
            {emulated::strict_launches_name, "", 1, strict_launch_counts,
             "launches for values that emulation must not be used for; 0: the main kernel "
             "multiplies them, slower, for products of up to 2^34 multiplications",
             0, 1},
            {emulated::shares_name, "", 1, share_counts,
             "launches that multiply a share of C each and meanwhile pack what the next one needs "
             "of an operand, where one lies along k in whole vectors of four; for a batch of one, "
             "undivided k and a strict launch of its own",
             1, most_shares}};
}

bool has_units(Values p) {
    return p["units"] == 1;
}

constexpr DeviceNeed units_need_wgmma{
    "units need wgmma, that is an NVIDIA device of compute capability 9.0",
    [](const DeviceTraits& device, Values p) {
        return !has_units(p) || (device.has_nvidia_ptx && device.compute_capability == 90);
    }};

struct UnitTile {
    int m, n;
};
/// What two groups of warps have registers for. With 64 columns each has all of the tile (every
/// second chain), else half.
constexpr UnitTile unit_tiles[] = {{64, 64},  {96, 64},  {128, 64},  {144, 64}, {192, 64},
                                   {64, 128}, {96, 128}, {128, 128}, {128, 256}};

bool fits_units(int tile_m, int tile_n) {
    return std::any_of(std::begin(unit_tiles), std::end(unit_tiles),
                       [&](const UnitTile& tile) { return tile.m == tile_m && tile.n == tile_n; });
}

/// The two groups of multiplying warps take every second chain each, for all of the tile, instead
/// of half of it, and add their sums in the end.
bool takes_chains_in_turn(Values p) {
    return has_units(p) && p["tile_n"] < 128;
}

std::vector<Constraint> scheme_constraints() {
    return {{"units must be 0 or 1", [](Values p) { return p["units"] == 0 || p["units"] == 1; }},
            {"without units tile_m and tile_n must divide 128: a tile lies in one block of each "
             "operand",
             [](Values p) {
                 return has_units(p) || (divides(p["tile_m"], 128) && divides(p["tile_n"], 128));
             }},
            {"with units tiles must be of 64, 96, 128, 144 or 192 x 64, 64, 96 or 128 x 128, or "
             "128 x 256",
             [](Values p) { return !has_units(p) || fits_units(p["tile_m"], p["tile_n"]); }},
            {"stages must be from 2 to 16, and more than promote: one is filled while others are "
             "multiplied",
             [](Values p) {
                 return p["stages"] >= 2 && p["stages"] <= 16 && p["stages"] > p["promote"];
             }},
            {"pack_launches must be 1 or 2",
             [](Values p) { return p["pack_launches"] == 1 || p["pack_launches"] == 2; }},
            {"strict_launches must be 0 or 1, and 0 only if 16 divides tile_m and tile_n",
             [](Values p) {
                 const int launches = p["strict_launches"];
                 return launches == 1 ||
                        (launches == 0 && p["tile_m"] % 16 == 0 && p["tile_n"] % 16 == 0);
             }},
            {"shares must be from 1 to 3, and more than one only for tiles of 128 x 128 or 128 x "
             "256 where there are tensor cores: others leave no local memory for rows on their way",
             [](Values p) {
                 return p["shares"] >= 1 && p["shares"] <= most_shares &&
                        (p["shares"] == 1 || !has_units(p) ||
                         (p["tile_m"] == 128 && p["tile_n"] >= 128));
             }},
            {"promote must be from 1 to 4: longer chains lose too many bits",
             [](Values p) { return p["promote"] >= 1 && p["promote"] <= 4; }}};
}

/// `block_k`: steps of k in a block.
TileShape scheme_shape(Values p, int block_k) {
    constexpr std::int64_t block_bytes_per_row = 128;
    constexpr std::int64_t passes_bytes = std::int64_t{34} * 1024;
    TileShape shape;
    shape.m = p["tile_m"];
    shape.n = p["tile_n"];
    shape.k = block_k * p["promote"];
    shape.local = {has_units(p) ? 384 : 256, 1};
    shape.local_memory_bytes = passes_bytes;
    if (has_units(p)) {
        const std::int64_t stages = p["stages"];
        const std::int64_t rows = shape.m + shape.n;
        constexpr std::int64_t verdict_bytes = 32; // of both operands
        shape.local_memory_bytes = stages * rows * block_bytes_per_row +
                                   float_bytes((stages + 1) * rows) + 16 * stages + verdict_bytes;
        if (takes_chains_in_turn(p)) { // half of the sums of each group, for the other
            shape.local_memory_bytes += float_bytes(std::int64_t{shape.m} * shape.n);
        }
        if (p["shares"] > 1) { // rows on their way to those who pack
            constexpr std::int64_t barrier_bytes = 8;
            shape.local_memory_bytes +=
                packers_per_group * (float_bytes(packing_round_steps) + barrier_bytes);
        } else if (p["strict_launches"] == 0) { // steps of k of the operands as they are
            constexpr std::int64_t strict_k = 8;
            constexpr std::int64_t gathered_bytes = 8; // a barrier
            shape.local_memory_bytes +=
                gathered_bytes + float_bytes(strict_k * (shape.m + std::min(shape.n, 128) + 8));
        }
    }
    return shape;
}

/// Terms of the bound, each in units of 2^-24 (docs/internals/emulation.md).
struct Terms {
    double split;       ///< what the parts leave out
    double first_block; ///< bits that tensor cores cut off, in the first block of a chain
    double later_block; ///< in each other: there low products meet a sum of full size as well
    double floor; ///< elements far below their row's maximum, as far as the range check allows them
};

double scheme_bound(Values p, std::int64_t k, int block_k, const Terms& terms) {
    constexpr double scalings = 4; // alpha, beta, the last sum, second order: as of strict
    const double chains = std::ceil(static_cast<double>(k) / (block_k * p["promote"]));
    // Alternating: a group adds up half of the chains, rounded up, and then the sum of the other
    // group.
    const double sums = takes_chains_in_turn(p) ? std::max(chains, 2.0) : chains;
    return sums + terms.first_block + (p["promote"] - 1) * terms.later_block + terms.split +
           terms.floor + scalings;
}

KernelEntry scheme(Precision precision, std::string_view name, std::string_view summary,
                   const char* number) {
    KernelEntry entry{name, "emulated/multiply.cl", "sgemm_emulated_multiply", summary};
    entry.precision = precision;
    entry.family = Emulated{};
    entry.parameters = scheme_parameters();
    entry.constraints = scheme_constraints();
    entry.needs = {units_need_wgmma};
    entry.a = Accepts::either;
    entry.b = Accepts::either;
    entry.edges = Edges::any_size;
    entry.constants = {{"SCHEME", number}};
    entry.architecture_specific = has_units;
    return entry;
}

// --- direct --------------------------------------------------------------------------------------

constexpr int direct_tiles_m[] = {64, 128};
constexpr int direct_tiles_n[] = {128};
constexpr int load_widths[] = {1, 2, 4};
constexpr int direct_block_k = 32;

TileShape emulated_direct_shape(Values p) {
    TileShape shape;
    shape.m = p["tile_m"];
    shape.n = p["tile_n"];
    shape.k = direct_block_k;
    shape.private_floats = 256;
    shape.local = {256, 1};
    shape.alignment_a = p["load_width_a"];
    shape.alignment_b = p["load_width_b"];
    const std::int64_t rows = shape.m + shape.n;
    constexpr std::int64_t block_bytes_per_row = 128;
    constexpr std::int64_t strict_k = 8;
    constexpr std::int64_t numbers_per_row = 4;
    constexpr std::int64_t other_numbers = 8;
    constexpr std::int64_t split_stages = 2;
    const std::int64_t rows_of_stage = has_units(p) ? shape.m : rows; // X's are in registers
    shape.local_memory_bytes =
        split_stages * rows_of_stage * block_bytes_per_row +
        float_bytes(numbers_per_row * rows + strict_k * (rows + 8) + other_numbers);
    return shape;
}

KernelEntry emulated_direct() {
    KernelEntry entry{
        "emulated_fp16_direct", "emulated/direct.cl", "sgemm_emulated_direct",
        "one launch: operands are split into two parts of half precision by those who "
        "multiply them, 3 products"};
    entry.precision = Precision::fp16x2;
    entry.parameters = {{"units", "UNITS", 0, switches,
                         "0: ordinary code, for tests; 1: wgmma, of compute capability 9.0", 0, 1},
                        {"tile_m", "TSM", 64, direct_tiles_m, "rows of C per work-group"},
                        {"tile_n", "TSN", 128, direct_tiles_n, "columns of C per work-group"},
                        {"load_width_a", "LOADA", 4, load_widths, "elements of A per load", 1, 4},
                        {"load_width_b", "LOADB", 4, load_widths, "elements of B per load", 1, 4}};
    entry.constraints = {
        {"units must be 0 or 1", [](Values p) { return p["units"] == 0 || p["units"] == 1; }},
        {"tile_m must be 64 or 128, and tile_n 128: what two groups of warps take",
         [](Values p) { return (p["tile_m"] == 64 || p["tile_m"] == 128) && p["tile_n"] == 128; }},
        {"load_width_a and load_width_b must be 1, 2 or 4",
         [](Values p) { return p["load_width_a"] != 3 && p["load_width_b"] != 3; }}};
    entry.needs = {units_need_wgmma};
    entry.a = Accepts::either;
    entry.b = Accepts::either;
    entry.edges = Edges::any_size;
    entry.split_k = SplitK::at_launch;
    entry.family = Tiled{.sums_in_launch = [](const DeviceTraits& device, Values) {
        return device.has_nvidia_ptx || device.type == DeviceType::cpu; // see what others have left
    }};
    entry.constants = {{"SCHEME", "0"}};
    entry.architecture_specific = has_units;
    entry.tile = emulated_direct_shape;
    entry.bound_terms = [](Values, std::int64_t k) {
        constexpr double split = 9;
        constexpr double chain = 73;
        constexpr double scalings = 4;
        constexpr std::int64_t steps_of_a_share = 256; // of the range check
        const auto shares = std::max<std::int64_t>(1, k / steps_of_a_share);
        return std::ceil(static_cast<double>(k) / direct_block_k) + split + chain +
               32 * static_cast<double>(shares) + scalings;
    };
    return entry;
}

} // namespace

std::vector<KernelEntry> emulated_entries() {
    constexpr int block_k_fp16 = 32;
    constexpr int block_k_other = 16;
    KernelEntry fp16 =
        scheme(Precision::fp16x2, "emulated_fp16",
               "operands scaled and split into two parts of half precision, 3 products", "0");
    fp16.tile = [](Values p) { return scheme_shape(p, block_k_fp16); };
    // Beyond a round one launch may leave rows that reach twice as far
    // (kernels/emulated/scan_pack.cl).
    fp16.bound_terms = [](Values p, std::int64_t k) {
        return scheme_bound(p, k, block_k_fp16, {9, 73, 216, k > least_round_steps ? 64.0 : 32.0});
    };
    KernelEntry tf32 = scheme(Precision::tf32x3, "emulated_tf32",
                              "operands scaled and split, 3 products: high parts in TF32, low ones "
                              "with high ones in half precision",
                              "1");
    tf32.tile = [](Values p) { return scheme_shape(p, block_k_other); };
    tf32.bound_terms = [](Values p, std::int64_t k) {
        return scheme_bound(p, k, block_k_other, {9, 41, 112, k > least_round_steps ? 20.0 : 10.0});
    };
    KernelEntry bf16 = scheme(Precision::bf16x3, "emulated_bf16",
                              "operands split into three parts of bfloat16, 6 products", "2");
    bf16.tile = tf32.tile;
    bf16.bound_terms = [](Values p, std::int64_t k) {
        return scheme_bound(p, k, block_k_other, {3, 38, 216, 0});
    };
    return {fp16, tf32, bf16, emulated_direct()};
}

namespace emulated {

PassEntry begin_pass(const KernelEntry& scheme) {
    return {"emulated_begin", "emulated/begin.cl", "sgemm_emulated_begin", "", scheme.constants};
}
PassEntry scan_pass(const KernelEntry& scheme) {
    return {"emulated_scan", "emulated/scan.cl", "sgemm_emulated_scan", "", scheme.constants};
}
PassEntry pack_pass(const KernelEntry& scheme) {
    return {"emulated_pack", "emulated/pack.cl", "sgemm_emulated_pack", "", scheme.constants};
}
PassEntry scan_pack_pass(const KernelEntry& scheme) {
    return {"emulated_scan_pack", "emulated/scan_pack.cl", "sgemm_emulated_scan_pack", "",
            scheme.constants};
}

} // namespace emulated
} // namespace libsgemm::catalog
