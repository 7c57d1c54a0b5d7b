// SPDX-License-Identifier: Apache-2.0
#include "tune/search/roofline.hpp"

#include "catalog/kernel_catalog.hpp"
#include "plan/cost_model.hpp"

#include <algorithm>

namespace libsgemm::tune {

double least_seconds(const judge::Shape& shape, const tables::DeviceTable& table,
                     const DeviceTraits& device) {
    const tables::MachineModel& machine = table.machine;
    double efficiency = 1; // a CPU's clock may be higher than it says
    for (const tables::TableRow& row : table.rows) {
        const catalog::KernelEntry* kernel = catalog::kernel_catalog().find(row.kernel);
        if (kernel != nullptr && kernel->precision == Precision::strict) {
            efficiency = std::max(efficiency, row.model.efficiency);
        }
    }
    const auto product = [](std::int64_t rows, std::int64_t columns) {
        return static_cast<double>(rows) * static_cast<double>(columns);
    };
    const double bytes = sizeof(float) * (product(shape.m, shape.k) + product(shape.k, shape.n) +
                                          product(shape.m, shape.n));
    const double peak = efficiency * planning::unit_peak(machine, device) *
                        static_cast<double>(device.compute_units);
    const double bandwidth =
        std::max(machine.memory_bandwidth, planning::bandwidth_of(machine, device));
    return std::max(shape.flops() / peak, bytes / bandwidth);
}

} // namespace libsgemm::tune
