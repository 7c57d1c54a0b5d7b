// SPDX-License-Identifier: Apache-2.0
#include "plan/cost_model.hpp"
#include "plan/family/families.hpp"
#include "plan/family/tiled/tiled_builder.hpp"
#include "plan/family/tiled/tiled_planner.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace libsgemm::planning {
namespace {

class FlatBuilder : public TiledBuilder {
public:
    using TiledBuilder::TiledBuilder;

private:
    std::string find_obstacle_to_family() const override;
};

std::string FlatBuilder::find_obstacle_to_family() const {
    return tile_.takes_k(problem_.k)
               ? ""
               : "k is not one of " + std::to_string(tile_.least_k) + " to " +
                     std::to_string(tile_.most_k) + ", which it takes with these parameters";
}

/// Tiled kernels for products of few steps of k, whose time goes into writing C.
class FlatPlanner : public TiledPlanner {
public:
    BuildResult build(const BuildRequest& request) const override;
    double predict(const Work& work, const catalog::TileShape& tile,
                   const tables::KernelModel& model, const tables::MachineModel& machine,
                   const DeviceTraits& device) const override;

protected:
    bool may_divide_k() const override { return false; }
};

BuildResult FlatPlanner::build(const BuildRequest& request) const {
    return FlatBuilder(*this, request).build();
}

/// A start, and beside each other the writing of C and the products of all tiles, which hide each
/// other the better the larger the row's `overlap`.
double FlatPlanner::predict(const Work& work, const catalog::TileShape& tile,
                            const tables::KernelModel& model, const tables::MachineModel& machine,
                            const DeviceTraits& device) const {
    const auto& launch = std::get<MainWork>(work);
    const auto m = static_cast<double>(launch.m);
    const auto n = static_cast<double>(launch.n);
    const auto batch = static_cast<double>(launch.batch);

    const double c_bytes = sizeof(float) * batch * m * n;
    const double writing = c_bytes / (write_bandwidth_of(machine, device) * model.bandwidth_share);

    const double groups = std::ceil(m / tile.m) * std::ceil(n / tile.n) * batch;
    // A work-group that has its unit to itself is not as much faster as others leave it room.
    const double of_a_unit = std::max(groups / static_cast<double>(device.compute_units),
                                      model.groups_per_unit / model.lone_group_speedup);
    const double tile_flops = 2.0 * tile.m * tile.n * static_cast<double>(launch.k);
    const double products =
        of_a_unit * tile_flops / (model.efficiency * unit_peak(machine, device));

    const double p = model.overlap;
    return launch_seconds(machine, device) + model.start_seconds +
           std::pow(std::pow(writing, p) + std::pow(products, p), 1 / p);
}

} // namespace

const FamilyPlanner& planner_of(const catalog::Flat& /*family*/) {
    static const FlatPlanner planner;
    return planner;
}

} // namespace libsgemm::planning
