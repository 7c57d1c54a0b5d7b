// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace sgemm::support {

/// Writes a file so that readers, and a crash at any moment, see either the old text or the new one:
/// into a temporary file beside it, to the disk, then renamed. Makes missing folders. Threads and
/// processes may do so at once: the last one's text stays. Throws ConfigurationError that names the
/// file; the old text is then still there, and no temporary file.
void replace_file(const std::string& file, const std::string& text);

/// Changes a file's text ("" where there is none) while no other process that uses this function
/// changes it. Throws as replace_file(), also where the file is there and cannot be read.
void update_file(const std::string& file,
                 const std::function<std::string(const std::string&)>& change);

/// The text of a file; nothing where there is none. One that is there and cannot be read, or might be, is a
/// ConfigurationError with file and reason.
std::optional<std::string> read_file(const std::string& file);

} // namespace sgemm::support
