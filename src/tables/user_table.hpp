// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/device.hpp"
#include "tables/device_table.hpp"

#include <string>

namespace sgemm::tables {

/// The text of a user's table that says what `table` says: its machine, and the rows of the embedded
/// table that it came from. To be completed by rows or choices.
std::string user_table_text(const DeviceTable& table, const DeviceTraits& device);

/// Adds a choice to the user's table, in place of an earlier one for the same problems; begins one
/// (with user_table_text()) where there is none. Throws ConfigurationError.
void save_choice(const std::string& file, const Choice& choice, const DeviceTable& table,
                 const DeviceTraits& device);

} // namespace sgemm::tables
