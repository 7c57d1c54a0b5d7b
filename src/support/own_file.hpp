// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace libsgemm::support {

/// The bytes of a regular file, no link, that belongs to this user or the system's administrator
/// and is no longer than `most` bytes; nothing otherwise. Its time becomes now, where that may be
/// set: the least recently used go first. Never throws for what it finds on the disk.
std::optional<std::string> read_own_file(const std::string& file, std::uint64_t most);

/// Writes a file that only this user may read, so that readers, and a crash at any moment, see all
/// of it or what was there before: into a temporary file of a name that no other writer has, to the
/// disk, then renamed. The temporary file is "FILE.tmp-" and six letters. Makes the folder, for
/// this user alone. What is there and no regular file, a link neither, stays and is an error.
/// Returns why not; empty if it worked.
std::string replace_own_file(const std::string& file, std::string_view bytes);

} // namespace libsgemm::support
