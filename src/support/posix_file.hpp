// SPDX-License-Identifier: Apache-2.0
// What the writers of files have in common, on systems that have file descriptors.
#pragma once

#ifdef __unix__

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace libsgemm::support {

/// Closes a file descriptor; negative: holds none.
class Descriptor {
public:
    explicit Descriptor(int number) : number_(number) {}
    ~Descriptor();
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int get() const { return number_; }

private:
    int number_;
};

/// What errno says.
std::string last_error();

/// All bytes up to the end. Nothing where that fails, or with more than `most` of them (EFBIG):
/// errno says why.
std::optional<std::string> read_all(int descriptor, std::uint64_t most);

/// Writes all of it. False where that fails: errno says why.
bool write_all(int descriptor, std::string_view bytes);
/// The same, to the disk.
bool write_through(int descriptor, std::string_view bytes);

/// Fills the new file `temporary`, open for writing, and gives it the name `file`. Where that
/// fails, `temporary` is removed and what `file` was stays. Returns why not; empty if it worked.
std::string fill_and_rename(const Descriptor& descriptor, const std::string& temporary,
                            const std::string& file, std::string_view bytes);

/// Has the names in a folder survive a power failure, where the system can do that.
void sync_folder(const std::string& folder);

} // namespace libsgemm::support

#endif
