// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tables/device_table.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace libsgemm::tables {

/// The entry that disables a kernel with all its parameters; null if none does.
const DisabledKernel* find_disabled(const DeviceTable& table, std::string_view kernel,
                                    const catalog::Parameters& parameters);

/// Where `sgemm-info --self-test` keeps what it disabled on this machine: DEVICE.disabled.toml
/// beside the user's own table. Empty where there is no home.
std::string disabled_kernels_path(const DeviceTraits& device);

/// The entries of that file, less those of kernels that are not in the catalogue or whose source
/// has changed since. None where there is no file. Throws ConfigurationError for one that cannot be
/// read or understood.
std::vector<DisabledKernel> read_disabled_kernels(const std::string& file,
                                                  const catalog::KernelCatalog& catalog);

/// Writes the file anew, whole or not at all; removes it where nothing is disabled. One that was
/// there and cannot be understood is kept as FILE.damaged. `comment` comes first, each line behind
/// a '#'. Throws ConfigurationError.
void write_disabled_kernels(const std::string& file, const std::vector<DisabledKernel>& disabled,
                            const std::string& comment);

} // namespace libsgemm::tables
