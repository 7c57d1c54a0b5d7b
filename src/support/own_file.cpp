// SPDX-License-Identifier: Apache-2.0
#include "support/own_file.hpp"

#include "support/posix_file.hpp"
#include "support/text_stream.hpp"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

#ifdef __unix__
#include <cstdlib>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace libsgemm::support {

namespace fs = std::filesystem;

#ifdef __unix__

namespace {

/// Makes the folder, and those above it, where there are none: for this user alone, from the
/// beginning.
std::error_code make_own_folder(const fs::path& folder) {
    std::error_code error;
    if (folder.empty() || fs::is_directory(folder, error)) {
        return {};
    }
    if ((error = make_own_folder(folder.parent_path()))) {
        return error;
    }
    const bool is_there =
        mkdir(folder.c_str(), S_IRWXU) == 0 || errno == EEXIST; // as others make it
    return is_there ? std::error_code() : std::error_code(errno, std::generic_category());
}

bool is_acceptable(const struct stat& status, std::uint64_t most) {
    const bool is_ours = status.st_uid == geteuid() || status.st_uid == 0;
    return S_ISREG(status.st_mode) && is_ours && static_cast<std::uint64_t>(status.st_size) <= most;
}

} // namespace

std::optional<std::string> read_own_file(const std::string& file, std::uint64_t most) {
    // Without O_NONBLOCK a pipe of that name would block.
    const Descriptor descriptor(
        open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)); // NOLINT: POSIX
    struct stat status {};
    if (descriptor.get() < 0 || fstat(descriptor.get(), &status) != 0 ||
        !is_acceptable(status, most)) {
        return std::nullopt;
    }
    // Not of the path, where something else may stand by now. Where it is read-only, its age counts
    // from when it was written.
    static_cast<void>(futimens(descriptor.get(), nullptr));
    return read_all(descriptor.get(), most);
}

std::string replace_own_file(const std::string& file, std::string_view bytes) {
    if (const std::error_code error = make_own_folder(fs::path(file).parent_path())) {
        return error.message();
    }
    struct stat status {};
    if (lstat(file.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
        return fs::path(file).filename().string() + " is no regular file";
    }
    std::string temporary = file + ".tmp-XXXXXX";
    const Descriptor descriptor(mkostemp(temporary.data(), O_CLOEXEC));
    if (descriptor.get() < 0) {
        return last_error();
    }
    return fill_and_rename(descriptor, temporary, file, bytes);
}

#else

std::optional<std::string> read_own_file(const std::string& file, std::uint64_t most) {
    std::error_code error;
    const auto size = fs::file_size(file, error);
    if (error || size > most) {
        return std::nullopt;
    }
    fs::last_write_time(file, fs::file_time_type::clock::now(), error);
    std::ifstream stream(file, std::ios::binary);
    support::TextWriter bytes;
    return stream && bytes << stream.rdbuf() ? std::optional(bytes.str()) : std::nullopt;
}

std::string replace_own_file(const std::string& file, std::string_view bytes) {
    std::error_code failure;
    fs::create_directories(fs::path(file).parent_path(), failure);
    if (failure) {
        return failure.message();
    }
    const std::string temporary = file + ".tmp-000000";
    std::ofstream stream(temporary, std::ios::binary);
    if (!(stream << bytes << std::flush)) {
        return "cannot be written";
    }
    stream.close();
    std::error_code error;
    fs::rename(temporary, file, error);
    if (error) {
        std::error_code ignored;
        fs::remove(temporary, ignored);
        return error.message();
    }
    return {};
}

#endif

} // namespace libsgemm::support
