// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/kernel_catalog.hpp"
#include "sgemm/device.hpp"
#include "tables/device_table.hpp"
#include "tune/fit/measurement_run.hpp"

#include <cstddef>

namespace libsgemm::tune {

/// A row's parameters, and the defaults of those that it does not name.
catalog::Parameters complete_parameters(const tables::TableRow& row,
                                        const catalog::KernelCatalog& catalog);

/// `table` with those rows of `other` behind its own that it does not have itself.
tables::DeviceTable with_rows_of(tables::DeviceTable table, const tables::DeviceTable& other);

/// `table` without those of its rows from number `first` on that the planner takes for none of a
/// measurement run's shapes; but each kernel keeps a row. All of `table` if a choice would change:
/// it hangs on rows that it does not name.
tables::DeviceTable without_idle_rows(const tables::DeviceTable& table, std::size_t first,
                                      const MeasurementRun& run, const DeviceTraits& device);

} // namespace libsgemm::tune
