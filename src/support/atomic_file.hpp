// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace libsgemm::support {

/// Writes a file so that readers, and a crash at any moment, see either the old text or the new
/// one: into a temporary file beside it, to the disk, then renamed. Makes missing folders. Threads
/// and processes may do so at once: the last one's text stays. A link stays a link: what it leads
/// to is written. A file that is there keeps its permissions. What is there and no regular file (a
/// device, a pipe) is never replaced but written into; a pipe that nobody reads is an error. Throws
/// ConfigurationError that names the file; the old text is then still there, and no temporary file.
void replace_file(const std::string& file, std::string_view text);

/// Throws ConfigurationError unless replace_file() could work: to be known before hours of work.
/// Makes missing folders.
void require_writable(const std::string& file);

/// Does something with a file while no other process does so by this function or update_file().
/// Makes missing folders. Waits for others for two seconds; throws ConfigurationError then.
void while_locked(const std::string& file, const std::function<void()>& action);

/// Changes a file's text ("" where there is none) while no other process that uses this function
/// changes it. Throws as replace_file() and while_locked(), also where the file is there and cannot
/// be read.
void update_file(const std::string& file,
                 const std::function<std::string(const std::string&)>& change);

/// More than any table or list of choices has.
inline constexpr std::uint64_t most_file_bytes = std::uint64_t{16} << 20U;

/// The text of a regular file, or one that a link leads to; nothing where there is none. Anything
/// else there (a folder, a pipe, a device), what cannot be read or might be there, and more than
/// `most` bytes are a ConfigurationError with file and reason. Never waits for another process.
std::optional<std::string> read_file(const std::string& file, std::uint64_t most = most_file_bytes);

/// Renames a regular file to FILE.damaged, in place of an earlier one of that name: to be made
/// again, and nothing is lost. Returns the new name. Throws ConfigurationError.
std::string set_aside(const std::string& file);

} // namespace libsgemm::support
