// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace sgemm::tune {

/// Replaces a file's contents as a whole: written beside it, on disk, then renamed. Whatever happens,
/// a reader finds the old contents or the new ones. Makes missing folders. Throws ConfigurationError
/// naming the file where that cannot be done; the old contents stay.
void replace_file(const std::filesystem::path& file, const std::string& contents);

/// Throws ConfigurationError unless replace_file() could work: to be known before hours of tuning.
void require_writable(const std::filesystem::path& file);

} // namespace sgemm::tune
