// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tables/device_table.hpp"

#include <string>

namespace libsgemm::tune {

/// The TOML text of a table, as parse_table() reads it. `comment` comes first, each line behind a
/// '#'.
std::string table_text(const tables::DeviceTable& table, const std::string& comment);

/// The same without what the table has from the one that `rows_from` names: that comes from there
/// again when it is read.
std::string own_table_text(tables::DeviceTable table, const std::string& comment);

} // namespace libsgemm::tune
