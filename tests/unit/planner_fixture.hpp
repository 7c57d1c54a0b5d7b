// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/kernel_catalog.hpp"
#include "plan/planner.hpp"
#include "problem/problem.hpp"
#include "support/fake_device.hpp"
#include "tables/device_table.hpp"

#include <gtest/gtest.h>
#include <string>

namespace sgemm_test {

/// A planner's surroundings, made up: two kernels, one for any size and one for whole tiles of
/// 32 x 16 x 8 that reads A m-major and B n-major with vectors of four.
class PlannerTest : public ::testing::Test {
protected:
    static libsgemm::catalog::KernelEntry any_size() {
        libsgemm::catalog::KernelEntry entry;
        entry.name = "any";
        entry.source = "any.cl";
        entry.function = "any";
        entry.a = libsgemm::catalog::Accepts::either;
        entry.b = libsgemm::catalog::Accepts::either;
        entry.edges = libsgemm::catalog::Edges::any_size;
        entry.tile = [](const libsgemm::catalog::Parameters&) {
            libsgemm::catalog::TileShape tile;
            tile.m = tile.n = 8;
            tile.local = {8, 8};
            return tile;
        };
        return entry;
    }
    static libsgemm::catalog::KernelEntry whole_tiles() {
        static constexpr int depths[] = {8, 16, 1024};
        libsgemm::catalog::KernelEntry entry;
        entry.name = "whole";
        entry.source = "whole.cl";
        entry.function = "whole";
        entry.parameters = {{"tile_k", "TSK", 8, depths, "depth of a tile"}};
        entry.constraints = {{"tile_k must be even", [](const libsgemm::catalog::Parameters& p) {
                                  return p["tile_k"] % 2 == 0;
                              }}};
        entry.b = libsgemm::catalog::Accepts::mn_major;
        entry.tile = [](const libsgemm::catalog::Parameters& p) {
            libsgemm::catalog::TileShape tile;
            tile.m = 32;
            tile.n = 16;
            tile.k = p["tile_k"];
            tile.local = {8, 4};
            tile.local_memory_bytes = std::int64_t{4} * (tile.m + tile.n) * tile.k;
            tile.alignment_a = tile.alignment_b = 4;
            return tile;
        };
        return entry;
    }

    PlannerTest() {
        table_.origin = "test.toml";
        add_row("whole", 0.5);
        add_row("any", 0.01);
    }
    void add_row(const std::string& kernel, double efficiency) {
        table_.rows.push_back({kernel, {}, {}});
        table_.rows.back().model.efficiency = efficiency;
    }
    /// Column-major A * B^T: the second kernel's own form.
    static libsgemm::Problem native(std::int64_t m, std::int64_t n, std::int64_t k) {
        libsgemm::Problem problem;
        problem.m = m;
        problem.n = n;
        problem.k = k;
        problem.transpose_b = libsgemm::Transpose::yes;
        return problem;
    }
    /// With buffers that start at the offset 0.
    static libsgemm::validate::CanonicalProblem canonical(const libsgemm::Problem& problem) {
        auto result = libsgemm::validate::check_problem(problem).canonical;
        result.a.offset_alignment = result.b.offset_alignment = result.c.offset_alignment = 64;
        return result;
    }
    libsgemm::planning::PlanningContext context() const {
        return {device_, table_, catalog_, max_workspace_bytes_};
    }
    libsgemm::planning::Ranking rank(const libsgemm::Problem& problem,
                                     const libsgemm::ExpertPlanOptions& options = {}) const {
        return libsgemm::planning::rank_plans(canonical(problem), options, context());
    }
    libsgemm::planning::PlanValue best(const libsgemm::Problem& problem,
                                       const libsgemm::ExpertPlanOptions& options = {}) const {
        return rank(problem, options).plans.front();
    }

    libsgemm::DeviceTraits device_ = fake_device();
    libsgemm::tables::DeviceTable table_;
    libsgemm::catalog::KernelCatalog catalog_{{any_size(), whole_tiles()}};
    std::size_t max_workspace_bytes_ = static_cast<std::size_t>(-1);
};

} // namespace sgemm_test
