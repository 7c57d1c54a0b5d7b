// SPDX-License-Identifier: Apache-2.0
//
// Kernels for CPUs. Constraints and tile shapes mirror the #error lines of kernels/packed/.
#include "catalog/kernel_catalog.hpp"
#include "catalog/rules.hpp"
#include "problem/canonical_problem.hpp"

#include <algorithm>

namespace libsgemm::catalog {

namespace {

constexpr int cpu_widths[] = {4, 8, 16};
constexpr int tile_vectors[] = {1, 2, 3, 4, 6, 8};
constexpr int tile_columns[] = {1, 2, 4, 6, 8, 12, 16};
constexpr int row_panels[] = {1, 2, 4, 8};
constexpr int more_row_panels[] = {2, 4, 8, 16, 32};
constexpr int column_panels[] = {4, 8, 16, 32};
constexpr int dot_tiles[] = {1, 2, 4, 8, 16, 32, 64};
constexpr int prefetch_steps[] = {0, 8, 32};
constexpr int unrolled_steps[] = {1, 2, 4, 8};
constexpr int dot_extents[] = {1, 2, 4, 6, 8};
constexpr int run_lengths[] = {64, 128, 256, 512, 768, 1024};
constexpr int few_lines[] = {1, 2, 4};
constexpr int few_steps[] = {1, 2, 4, 8};
constexpr int depths[] = {128, 256, 512, 1024, 2048};

/// A register tile that no CPU holds in registers is still right, but takes ever longer to compile.
constexpr int most_sums = 64;

constexpr Constraint known_cpu_width = {
    "vector_width must be 4, 8 or 16", [](Values p) { return is_vector_width(p["vector_width"]); }};

constexpr std::int64_t most_thin_lines = 16;

TileShape packed_shape(Values p) {
    TileShape shape;
    shape.panel_m = p["vector_width"] * p["vectors"];
    shape.panel_n = p["columns"];
    shape.m = shape.panel_m * p["panels_m"];
    shape.n = shape.panel_n; // the plan chooses how many of them a work-group computes
    shape.k = 16;
    shape.local_memory_bytes = float_bytes(std::int64_t{shape.m} * p["depth"]);
    return shape;
}

KernelEntry packed() {
    KernelEntry entry{"packed", "packed/packed.cl", "sgemm_packed",
                      "CPUs: register tiles of vectors; each work-group packs its rows of A"};
    entry.device_type = DeviceType::cpu; // panels are for caches
    entry.suits = [](Product, const DeviceTraits&) { return true; };
    entry.parameters = {
        {"vector_width", "WIDTH", 8, cpu_widths, "elements per vector", 4, 16},
        {"vectors", "VECTORS", 2, tile_vectors, "vectors of a register tile along m", 1, 64},
        {"columns", "NR", 6, tile_columns, "columns of a register tile", 1, 64},
        {"panels_m", "PANELS_M", 1, row_panels, "panels of A that a work-group packs"},
        {"prefetch", "PREFETCH", 32, prefetch_steps,
         "steps along k that A, and B if it is n-major, are prefetched by", 0, 256},
        {"depth", "DEPTH", 512, depths, "most steps along k of a panel, a multiple of 16", 16,
         1 << 16},
        {"unroll_k", "UNROLL_K", 1, unrolled_steps,
         "steps along k that are written out one after the other, where B is k-major", 1, 16}};
    entry.constraints = {
        known_cpu_width,
        {"depth must be a multiple of 16: blocks of k end with lines",
         [](Values p) { return p["depth"] % 16 == 0; }},
        {"unroll_k must divide 16", [](Values p) { return 16 % p["unroll_k"] == 0; }},
        {"a register tile has at most 64 vectors (vectors * columns): its loops are unrolled",
         [](Values p) { return p["vectors"] * p["columns"] <= most_sums; }}};
    entry.a = Accepts::mn_major;
    entry.b = Accepts::either;
    entry.edges = Edges::any_size;
    entry.split_k = SplitK::at_launch;
    entry.family = Packed{.a_by_choice = true};
    entry.tile = packed_shape;
    return entry;
}

TileShape blocked_shape(Values p) {
    TileShape shape = packed_shape(p);
    constexpr std::int64_t padding = 16; // as PANEL_B in blocked.cl
    shape.equal_rows = true;
    shape.local_memory_bytes +=
        float_bytes(p["panels_n"] * (std::int64_t{shape.panel_n} * p["depth"] + padding));
    return shape;
}

KernelEntry blocked() {
    KernelEntry entry = packed();
    entry.name = "blocked";
    entry.source = "packed/blocked.cl";
    entry.function = "sgemm_blocked";
    entry.summary = "CPUs: register tiles of vectors; each work-group packs blocks of A and of B";
    const auto search = [&](std::string_view name, int default_value, std::span<const int> values) {
        const auto spec = std::ranges::find(entry.parameters, name, &ParameterSpec::name);
        spec->default_value = default_value;
        spec->values = values;
    };
    search("panels_m", 2, more_row_panels);
    search("prefetch", 0, prefetch_steps);
    search("depth", 128, depths);
    search("unroll_k", 4, unrolled_steps);
    entry.parameters.push_back(
        {"panels_n", "PANELS_N", 4, column_panels, "panels of B that it packs at a time", 1, 256});
    entry.constraints.push_back(
        {"columns must not exceed 16: a step of a panel of B is stored as one vector",
         [](Values p) { return p["columns"] <= 16; }});
    entry.a = Accepts::either;
    entry.family = Packed{};
    entry.tile = blocked_shape;
    return entry;
}

TileShape dots_shape(Values p) {
    TileShape shape;
    shape.m = p["rows"] * p["tiles_m"];
    shape.n = p["columns"] * p["tiles_n"];
    shape.panel_m = p["rows"];
    shape.panel_n = p["columns"];
    shape.k = p["vector_width"];
    return shape;
}

KernelEntry dots() {
    KernelEntry entry{"dots", "packed/dots.cl", "sgemm_dots",
                      "CPUs: dot products of k-major operands, for skinny C"};
    entry.device_type = DeviceType::cpu;
    entry.suits = [](Product product, const DeviceTraits&) {
        constexpr std::int64_t quickly_transposed = 32; // rows of A
        return product.a.major == validate::Major::k || product.m <= quickly_transposed;
    };
    entry.parameters = {
        {"vector_width", "WIDTH", 8, cpu_widths, "elements per vector", 4, 16},
        {"rows", "ROWS", 4, dot_extents, "rows of a register tile", 1, 64},
        {"columns", "COLUMNS", 2, dot_extents, "columns of a register tile", 1, 64},
        {"tiles_m", "TILES_M", 4, dot_tiles, "register tiles of a work-group along m"},
        {"tiles_n", "TILES_N", 4, dot_tiles, "register tiles of a work-group along n"}};
    entry.constraints = {
        known_cpu_width,
        {"a register tile has at most 64 elements (rows * columns): its loops are unrolled",
         [](Values p) { return p["rows"] * p["columns"] <= most_sums; }}};
    entry.a = Accepts::k_major;
    entry.b = Accepts::k_major;
    entry.edges = Edges::any_size;
    entry.split_k = SplitK::at_launch;
    entry.tile = dots_shape;
    return entry;
}

TileShape axpys_shape(Values p) {
    TileShape shape;
    shape.m = p["rows"];
    shape.n = p["columns"];
    shape.panel_m = 16;
    shape.equal_rows = true;
    shape.panel_n = shape.n;
    shape.k = p["steps"];
    shape.local_memory_bytes = float_bytes(std::int64_t{shape.m} * shape.n);
    shape.private_floats =
        p["columns"] * p["steps"] + (p["columns"] + p["steps"]) * p["vector_width"];
    return shape;
}

KernelEntry axpys() {
    KernelEntry entry{"axpys", "packed/axpys.cl", "sgemm_axpys",
                      "CPUs: sums of scaled columns of an m-major A, for few columns of C"};
    entry.device_type = DeviceType::cpu;
    entry.suits = [](Product product, const DeviceTraits&) {
        return product.n <= most_thin_lines && product.a.major == validate::Major::mn;
    };
    entry.parameters = {
        {"vector_width", "WIDTH", 8, cpu_widths, "elements per vector", 4, 16},
        {"rows", "ROWS", 512, run_lengths, "rows of a work-group, a multiple of 16", 16, 1 << 14},
        {"columns", "COLUMNS", 1, few_lines, "columns of a work-group", 1, 64},
        {"steps", "STEPS", 2, few_steps, "columns of A that are read at a time", 1, 64}};
    entry.constraints = {
        known_cpu_width,
        {"rows must be a multiple of 16: sums lie in whole cache lines",
         [](Values p) { return p["rows"] % 16 == 0; }},
        {"a step has at most 64 products of vectors (columns * steps): its loops are unrolled",
         [](Values p) { return p["columns"] * p["steps"] <= most_sums; }}};
    entry.a = Accepts::mn_major;
    entry.b = Accepts::either;
    entry.edges = Edges::any_size;
    entry.family = Tiled{.reads_whole_lines = true};
    entry.tile = axpys_shape;
    return entry;
}

TileShape axpys_rows_shape(Values p) {
    TileShape shape;
    shape.m = p["rows"];
    shape.n = p["columns"];
    shape.panel_m = shape.m;
    shape.panel_n = 16;
    shape.equal_columns = true;
    shape.k = p["steps"];
    shape.local_memory_bytes = float_bytes(std::int64_t{shape.m} * shape.n);
    shape.private_floats = p["rows"] * p["steps"] + (p["rows"] + p["steps"]) * p["vector_width"];
    return shape;
}

KernelEntry axpys_rows() {
    KernelEntry entry{"axpys_rows", "packed/axpys_rows.cl", "sgemm_axpys_rows",
                      "CPUs: sums of scaled rows of an n-major B, for few rows of C"};
    entry.device_type = DeviceType::cpu;
    entry.suits = [](Product product, const DeviceTraits&) {
        return product.m <= most_thin_lines && product.b.major == validate::Major::mn;
    };
    entry.parameters = {
        {"vector_width", "WIDTH", 8, cpu_widths, "elements per vector", 4, 16},
        {"rows", "ROWS", 1, few_lines, "rows of a work-group", 1, 64},
        {"columns", "COLUMNS", 512, run_lengths, "columns of a work-group, a multiple of 16", 16,
         1 << 14},
        {"steps", "STEPS", 2, few_steps, "rows of B that are read at a time", 1, 64}};
    entry.constraints = {
        known_cpu_width,
        {"columns must be a multiple of 16: sums lie in whole cache lines",
         [](Values p) { return p["columns"] % 16 == 0; }},
        {"a step has at most 64 products of vectors (rows * steps): its loops are unrolled",
         [](Values p) { return p["rows"] * p["steps"] <= most_sums; }}};
    entry.a = Accepts::either;
    entry.b = Accepts::mn_major;
    entry.edges = Edges::any_size;
    entry.family = Tiled{.reads_whole_lines = true};
    entry.tile = axpys_rows_shape;
    return entry;
}

} // namespace

std::vector<KernelEntry> packed_entries() {
    return {packed(), blocked(), dots(), axpys(), axpys_rows()};
}

} // namespace libsgemm::catalog
