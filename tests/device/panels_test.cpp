// SPDX-License-Identifier: Apache-2.0
//
// Kernels that pack panels: every number of panels, whole and incomplete ones, blocks of k and what
// is left of them.
#include "support/case_data.hpp"
#include "support/kernel_variants.hpp"
#include "support/storage.hpp"
#include "support/temporary_file.hpp"
#include "support/test_device.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace sgemm_test {
namespace {

using Numbers = std::map<std::string, int>;

class Panels : public DeviceTest {
protected:
    void expect_right(
        const char* kernel, const Numbers& parameters, const Extents& extents, const Form& form,
        int split_k = 1,
        libsgemm::Repack repack = libsgemm::Repack::only_a) { // the planner may read A in place
        Case c = plain_case(extents.m, extents.n, extents.k);
        set_form(c, form);
        c.beta = extents.n % 2 == 0 ? 0.0F : -0.5F; // zero: what C held is not read
        c.values = turn_++ % 2 == 0 ? Values::nan_and_inf : Values::uniform;
        c.problem.batch_count = extents.m % 2 == 0 ? 1 : 2;
        spread(c.problem, {3, 1, 2}, 7);
        c.options.kernel = kernel;
        c.options.parameters = parameters;
        c.options.split_k = split_k;
        c.options.repack = repack;
        const bool packs =
            library().plan(c.problem, c.options).summary().find("packing") != std::string::npos;
        EXPECT_EQ(packs, repack == libsgemm::Repack::only_a);
        ASSERT_TRUE(runs_right(device(), library(), c));
    }

    libsgemm::Context library_with(const TemporaryFile& table) const {
        libsgemm::ContextOptions options;
        options.table_file = table.path();
        return device().make_library(options);
    }

    int turn_ = 0;
};

/// Panels of 12 rows and 6 columns, of which a work-group has up to five and packs two at a time;
/// blocks of 32 steps.
TEST_F(Panels, OfAAndB) {
    const Numbers parameters = {{"vector_width", 4}, {"vectors", 3},  {"columns", 6},
                                {"panels_m", 5},     {"panels_n", 2}, {"depth", 32}};
    std::size_t turn = 0;
    for (const std::int64_t m : {1, 11, 12, 13, 48, 61, 80, 133}) {
        for (const std::int64_t n : {1, 5, 6, 7, 12, 13, 31}) {
            for (const std::int64_t k : {1, 3, 16, 33, 65}) {
                const int split_k = turn % 3 == 0 ? 2 : 1;
                ASSERT_NO_FATAL_FAILURE(expect_right("blocked", parameters, {m, n, k},
                                                     all_forms()[turn++ % 8], split_k));
            }
        }
    }
}

/// A step of a panel of B is stored as a vector of 4, 8 or 16 elements, whatever the width of A's.
TEST_F(Panels, OfBOfAnyWidth) {
    struct Tile {
        int width, columns;
    };
    for (const auto& [width, columns] : {Tile{4, 2}, Tile{8, 4}, Tile{4, 8}, Tile{8, 12}}) {
        const Numbers parameters = {{"vector_width", width}, {"vectors", 1},  {"columns", columns},
                                    {"panels_m", 1},         {"panels_n", 3}, {"depth", 16}};
        for (const Form& form : {all_forms()[0], all_forms()[1]}) { // B lies both ways
            for (const std::int64_t n : {37, 48}) {
                ASSERT_NO_FATAL_FAILURE(expect_right("blocked", parameters, {21, n, 22}, form));
            }
        }
    }
}

/// Whole panels of an m-major A are packed by the first of the tiles that read them, with steps of
/// lines and behind them, the last rows before; by `packed` all are where C has fewer columns than
/// a tile. In one block of k and in several, of which the last is short; over a B along k and along
/// n.
TEST_F(Panels, OfAPackedByTiles) {
    for (const char* kernel : {"packed", "blocked"}) {
        for (const int panels : {1, 2, 4, 8}) {
            const Numbers parameters = {{"vector_width", 4},
                                        {"vectors", 2},
                                        {"columns", 4},
                                        {"panels_m", panels},
                                        {"depth", 32}};
            for (const std::int64_t m : {7, 8, 31, 32, 33, 40, 63, 64, 65, 72, 77}) {
                for (const std::int64_t k : {5, 16, 21, 32, 71}) {
                    for (const std::int64_t n : {4, 9, 3}) {
                        const Form& form = all_forms()[(m + k + n) % 2 == 0 ? 0 : 1];
                        ASSERT_NO_FATAL_FAILURE(expect_right(kernel, parameters, {m, n, k}, form));
                    }
                }
            }
        }
    }
}

/// Vectors of a panel and columns of a tile as tables have them, a single column and more vectors
/// than registers too.
TEST_F(Panels, OfAPackedByTilesOfAnyShape) {
    struct Tile {
        int width, vectors, columns;
    };
    for (const auto& [width, vectors, columns] :
         {Tile{16, 16, 1}, Tile{4, 1, 1}, Tile{16, 8, 2}, Tile{8, 6, 4}, Tile{16, 1, 16}}) {
        const Numbers parameters = {{"vector_width", width}, {"vectors", vectors},
                                    {"columns", columns},    {"panels_m", 2},
                                    {"depth", 16},           {"unroll_k", 4}};
        const std::int64_t panel = std::int64_t{width} * vectors;
        for (const std::int64_t m : {panel - 1, panel, 3 * panel, 3 * panel + 2}) {
            for (const std::int64_t n : {1, 2, 2 * columns + 1}) {
                ASSERT_NO_FATAL_FAILURE(
                    expect_right("packed", parameters, {m, n, 37}, all_forms()[0]));
                ASSERT_NO_FATAL_FAILURE( // more ranges of k than steps
                    expect_right("packed", parameters, {m, n, 2}, all_forms()[0], 3));
            }
        }
    }
}

/// Work-groups of other columns pack A anew, each by its own first tiles: several of them to each
/// group, in the last one one that is moved inward.
TEST_F(Panels, OfAPackedByEachShareOfTheColumns) {
    const std::int64_t units = device().handle().traits.compute_units;
    const TemporaryFile table(
        "shares.toml",
        "[machine]\nlaunch_us = 1\nbandwidth_gbs = 100\n"
        "[[kernel]]\nname = \"packed\"\nmodel = { efficiency = 0.001, group_us = 200 }\n"
        "[[kernel]]\nname = \"blocked\"\nmodel = { efficiency = 0.001, group_us = 200 }\n");
    const libsgemm::Context library = library_with(table);
    const std::int64_t tiles = 3 * std::min<std::int64_t>(units, 16);
    for (const char* kernel : {"packed", "blocked"}) {
        for (const std::int64_t n : {2 * tiles, 2 * tiles - 1}) {
            Case c = plain_case(11, n, 70);
            set_form(c, all_forms()[0]);
            c.values = Values::nan_and_inf;
            c.beta = 0.5F;
            c.options.kernel = kernel;
            c.options.parameters = {{"vector_width", 4},
                                    {"vectors", 1},
                                    {"columns", 2},
                                    {"panels_m", 4},
                                    {"depth", 32}};
            c.options.split_k = 1;
            c.options.repack = libsgemm::Repack::only_a;
            const std::string plan = library.plan(c.problem, c.options).describe();
            EXPECT_EQ(plan.find("NDRange 1x1x1") == std::string::npos, units > 1) << plan;
            if (units <= 16) { // else a tile to each
                EXPECT_EQ(plan.find("NDRange 1x" + std::to_string(tiles)), std::string::npos)
                    << plan;
            }
            ASSERT_TRUE(runs_right(device(), library, c));
        }
    }
}

/// Steps are taken by lines of 16, and C asked for along them: no whole line, one and some of the
/// next, all of six, two blocks; of a B that lies along k and of one in place that does not, in
/// whole tiles and column by column.
TEST_F(Panels, OfAnyNumberOfLinesOfSteps) {
    struct Variant {
        int unroll, prefetch;
        libsgemm::Repack repack;
    };
    for (const auto& [unroll, prefetch, repack] : {Variant{1, 8, libsgemm::Repack::only_a},
                                                   {4, 8, libsgemm::Repack::only_a},
                                                   {4, 0, libsgemm::Repack::only_a},
                                                   {4, 8, libsgemm::Repack::never}}) {
        const Numbers parameters = {{"vector_width", 8}, {"vectors", 2}, {"columns", 6},
                                    {"panels_m", 2},     {"depth", 96},  {"prefetch", prefetch},
                                    {"unroll_k", unroll}};
        for (const std::int64_t k : {1, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65, 80, 95, 96, 97}) {
            for (const std::int64_t n : {2, 5, 6, 13, 18}) {
                for (const Form& form : {all_forms()[0], all_forms()[1]}) {
                    ASSERT_NO_FATAL_FAILURE(
                        expect_right("packed", parameters, {41, n, k}, form, 1, repack));
                }
            }
        }
    }
}

/// Up to four rows that would cost the last panel another vector are computed by dot products:
/// behind whole panels, behind fewer vectors, alone in a work-group; of steps that are less than a
/// vector, whole vectors of them or not, in one block or in several, of which the last may be
/// short. Columns are those of whole tiles, or of a last one that was moved inward.
TEST_F(Panels, OfFewRowsMore) {
    struct Tile {
        int width, vectors, columns;
    };
    std::size_t turn = 0;
    for (const auto& [width, vectors, columns] :
         {Tile{4, 3, 2}, Tile{8, 4, 4}, Tile{8, 2, 6}, Tile{16, 4, 6}, Tile{16, 3, 8},
          Tile{16, 1, 24}}) {
        const Numbers parameters = {{"vector_width", width}, {"vectors", vectors},
                                    {"columns", columns},    {"panels_m", 2},
                                    {"depth", 32},           {"unroll_k", 4}};
        const std::int64_t panel = std::int64_t{width} * vectors;
        for (const std::int64_t whole : {panel, panel + width, 2 * panel, 3 * panel - width}) {
            for (const std::int64_t few : {1, 2, 3, 4, 5}) {
                for (const std::int64_t k : {width - 1, width + 3, 32, 57, 65}) {
                    const std::int64_t n = turn % 2 == 0 ? 2 * columns : 2 * columns + 1;
                    const Extents extents{whole + few, n, k};
                    const int split_k = turn % 7 == 0 ? 2 : 1;
                    const Form form = all_forms()[turn / 2 % 8];
                    ASSERT_NO_FATAL_FAILURE(
                        expect_right("packed", parameters, extents, form, split_k));
                    ASSERT_NO_FATAL_FAILURE(expect_right("packed", parameters, extents,
                                                         all_forms()[0], split_k,
                                                         libsgemm::Repack::never));
                    ++turn;
                }
            }
        }
    }
}

/// Rows of an edge are stored four at a time, then one by one; tiles that were moved inward, in
/// place, store rows and columns again that the one before has computed, unless that would add to C
/// twice.
TEST_F(Panels, OfAnyNumberOfRows) {
    const Numbers parameters = {
        {"vector_width", 16}, {"vectors", 2}, {"columns", 4}, {"panels_m", 2}, {"depth", 16}};
    for (std::int64_t m = 32; m < 100; ++m) {
        for (const std::int64_t n : {9, 10}) { // beta is zero or not
            for (const std::int64_t k : {9, 20}) {
                ASSERT_NO_FATAL_FAILURE(
                    expect_right("packed", parameters, {m, n, k}, all_forms()[0]));
                ASSERT_NO_FATAL_FAILURE(expect_right("packed", parameters, {m, n, k},
                                                     all_forms()[0], 1, libsgemm::Repack::never));
            }
        }
    }
}

/// What a pass transposes is written around the caches where the table says so: whole lines of it,
/// for any extent that lines and tiles divide or not.
TEST_F(Panels, OfABThatWasWrittenAroundTheCaches) {
    const TemporaryFile table("streamed.toml", "[machine]\nlaunch_us = 5\nbandwidth_gbs = 20\n"
                                               "streamed_transposes = 1\n"
                                               "[[kernel]]\nname = \"packed\"\n");
    const libsgemm::Context library = library_with(table);
    for (const Extents& extents :
         {Extents{20, 64, 32}, {20, 70, 45}, {9, 15, 15}, {9, 1030, 17}, {33, 48, 256}}) {
        for (const int batch : {1, 3}) {
            Case c = plain_case(extents.m, extents.n, extents.k);
            set_form(c, {libsgemm::Layout::column_major, libsgemm::Transpose::no,
                         libsgemm::Transpose::yes});
            c.values = Values::nan_and_inf;
            c.problem.batch_count = batch;
            spread(c.problem, {3, 1, 2}, 7);
            c.options.kernel = "packed";
            c.options.repack = libsgemm::Repack::always;
            EXPECT_NE(library.plan(c.problem, c.options).summary().find("B transposed"),
                      std::string::npos);
            ASSERT_TRUE(runs_right(device(), library, c));
        }
    }
}

} // namespace
} // namespace sgemm_test
