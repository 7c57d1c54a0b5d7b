// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

namespace sgemm::support {

/// Writes a file so that readers, and a crash at any moment, see either the old text or the new one:
/// into a temporary file beside it, to the disk, then renamed. Makes missing folders. Throws
/// ConfigurationError that names the file.
void replace_file(const std::string& file, const std::string& text);

/// Changes a file's text ("" where there is none) while no other process that uses this function
/// changes it. Throws as replace_file().
void update_file(const std::string& file,
                 const std::function<std::string(const std::string&)>& change);

/// The text of a file; "" where there is none.
std::string read_file(const std::string& file);

} // namespace sgemm::support
