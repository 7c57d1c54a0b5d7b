// SPDX-License-Identifier: Apache-2.0
#include "tune/atomic_file.hpp"

#include "sgemm/error.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace sgemm::tune {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& file, const std::string& what) {
    throw ConfigurationError(file.string() + ": cannot be written: " + what);
}

std::string reason() {
    return std::strerror(errno); // NOLINT(concurrency-mt-unsafe): one thread
}

fs::path folder_of(const fs::path& file) {
    return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

fs::path beside(const fs::path& file) {
    return file.string() + ".new" + std::to_string(getpid());
}

bool write_all(int descriptor, const std::string& contents) {
    std::size_t written = 0;
    while (written < contents.size()) {
        const ssize_t count =
            write(descriptor, contents.data() + written, contents.size() - written);
        if (count < 0 && errno != EINTR) {
            return false;
        }
        written += count > 0 ? static_cast<std::size_t>(count) : 0;
    }
    return true;
}

/// The rename itself survives a power failure only once the folder is on disk.
void sync_folder(const fs::path& folder) {
    const int descriptor = open(folder.c_str(), O_RDONLY | O_CLOEXEC); // NOLINT: POSIX
    if (descriptor >= 0) {
        fsync(descriptor);
        close(descriptor);
    }
}

} // namespace

void require_writable(const fs::path& file) {
    const fs::path folder = folder_of(file);
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) {
        fail(file, "the folder cannot be made: " + error.message());
    }
    if (fs::is_directory(file)) {
        fail(file, "it is a folder");
    }
    if (access(folder.c_str(), W_OK) != 0) {
        fail(file, reason());
    }
}

void replace_file(const fs::path& file, const std::string& contents) {
    require_writable(file);
    const fs::path temporary = beside(file);
    const int descriptor = // NOLINTNEXTLINE(cppcoreguidelines-pro-type-vararg): POSIX
        open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (descriptor < 0) {
        fail(file, reason());
    }
    const bool whole = write_all(descriptor, contents) && fsync(descriptor) == 0;
    const std::string why = whole ? "" : reason();
    close(descriptor);
    if (!whole) {
        std::remove(temporary.c_str());
        fail(file, why);
    }
    if (std::rename(temporary.c_str(), file.c_str()) != 0) {
        const std::string cause = reason();
        std::remove(temporary.c_str());
        fail(file, cause);
    }
    sync_folder(folder_of(file));
}

} // namespace sgemm::tune
