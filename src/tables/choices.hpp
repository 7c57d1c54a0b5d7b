// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tables/device_table.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace libsgemm::tables {

/// A choice as parse_table() reads it, an array's entry with its header.
std::string choice_text(const Choice& choice);

/// Where timing at first use keeps its choices, unless a program names a file: DEVICE.choices.toml
/// beside the user's own table. Empty where there is no home.
std::string choices_path(const DeviceTraits& device);

/// Tells tables with which the same choices need not be right: by rows, models and machine, by the
/// sources of the kernels, and by what is known of device and driver.
std::string table_key(const DeviceTable& table, const DeviceTraits& device,
                      const catalog::KernelCatalog& catalog);

/// Tells devices for which the same plan of exactly one problem need not be right, in words: by
/// name, units (a sub-device has fewer) and driver.
std::string device_key(const DeviceTraits& device);

/// A file of choices. It holds nothing else: what a table says of kernels and machine never gets
/// there.
struct ChoiceFile {
    std::string path; ///< empty: none
    bool is_named =
        false; ///< by a program: what is no file of choices stays, and is reported each time
    std::string table;       ///< table_key() of the table that choices are read and kept for
    std::string device = {}; ///< device_key() of the device that they are read and kept for
};

/// The choices that were found with that table or, of one problem, on that device, and those that
/// do not say with which. A file that cannot be understood is moved aside, to FILE.damaged, unless
/// it is named; what cannot be read at all stays. `complaint` says so.
std::vector<Choice> read_choices(const ChoiceFile& file, std::string& complaint);

/// Keeps a choice, in place of an earlier one for the same problems and table; one for exactly one
/// problem counts for any table, on that device. Those of kernels that have changed go. The file is
/// written anew; one that cannot be understood is moved aside as above. Throws ConfigurationError
/// for files that stay, a device table among them, and for those that cannot be written.
void save_choice(const ChoiceFile& file, const Choice& choice, std::string& complaint,
                 const catalog::KernelCatalog& catalog = catalog::kernel_catalog());

/// Removes what the file has for the problems of these choices, which were measured later; returns
/// how many that were. Throws as save_choice().
std::size_t forget_choices(const ChoiceFile& file, const std::vector<Choice>& later,
                           std::string& complaint);

} // namespace libsgemm::tables
