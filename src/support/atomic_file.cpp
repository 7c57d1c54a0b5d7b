// SPDX-License-Identifier: Apache-2.0
#include "support/atomic_file.hpp"

#include "sgemm/error.hpp"
#include "support/posix_file.hpp"

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

#ifdef __unix__
#include <atomic>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#include <utility>
#endif

namespace sgemm::support {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& file, const std::string& what) {
    throw ConfigurationError(file + ": " + what);
}

void make_folder_of(const std::string& file) {
    const fs::path folder = fs::path(file).parent_path();
    std::error_code error;
    if (!folder.empty() && !fs::exists(folder, error) && !fs::create_directories(folder, error) &&
        error) {
        fail(file, "its folder cannot be made (" + error.message() + ")");
    }
}

#ifdef __unix__

/// A file beside `file` that no other writer has, with the rights that the process gives new files.
std::pair<std::string, int> make_temporary(const std::string& file) {
    static std::atomic<unsigned> made = 0;
    for (;;) {
        std::string name =
            file + "." + std::to_string(getpid()) + "-" + std::to_string(made++) + ".tmp";
        const int descriptor =
            open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644); // NOLINT: POSIX
        if (descriptor >= 0 || errno != EEXIST) { // a process that crashed may have left it
            return {std::move(name), descriptor};
        }
    }
}

void write_and_rename(const std::string& file, const std::string& text) {
    const auto [temporary, number] = make_temporary(file);
    const Descriptor descriptor(number);
    if (descriptor.get() < 0) {
        fail(file, "cannot be written (" + last_error() + ")");
    }
    if (const std::string error = fill_and_rename(descriptor, temporary, file, text);
        !error.empty()) {
        fail(file, "cannot be replaced (" + error + ")");
    }
    const fs::path folder = fs::path(file).parent_path();
    sync_folder(folder.empty() ? "." : folder.string());
}

/// Held as long as this object lives, or this process.
class FileLock {
public:
    explicit FileLock(const std::string& file)
        : descriptor_(open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644)) { // NOLINT: POSIX
        if (descriptor_.get() < 0 || flock(descriptor_.get(), LOCK_EX) != 0) {
            fail(file, "cannot be locked (" + last_error() + ")");
        }
    }

private:
    Descriptor descriptor_;
};

#else

void write_and_rename(const std::string& file, const std::string& text) {
    const std::string temporary = file + ".tmp";
    std::ofstream stream(temporary, std::ios::binary);
    if (!(stream << text << std::flush)) {
        fail(file, "cannot be written");
    }
    stream.close();
    std::error_code error;
    fs::rename(temporary, file, error);
    if (error) {
        std::error_code ignored;
        fs::remove(temporary, ignored);
        fail(file, "cannot be replaced (" + error.message() + ")");
    }
}

class FileLock {
public:
    explicit FileLock(const std::string&) {}
};

#endif

} // namespace

std::optional<std::string> read_file(const std::string& file) {
    errno = 0;
    std::ifstream stream(file, std::ios::binary);
    if (!stream) {
        if (errno == ENOENT || errno == ENOTDIR) {
            return std::nullopt;
        }
        fail(file, "cannot be read (" + std::generic_category().message(errno) + ")");
    }
    std::string text;
    std::array<char, 4096> block{};
    do {
        stream.read(block.data(), static_cast<std::streamsize>(block.size()));
        text.append(block.data(), static_cast<std::size_t>(stream.gcount()));
    } while (stream);
    if (stream.bad()) { // a folder, for one
        fail(file, "cannot be read (" + std::generic_category().message(errno) + ")");
    }
    return text;
}

void replace_file(const std::string& file, const std::string& text) {
    make_folder_of(file);
    write_and_rename(file, text);
}

void update_file(const std::string& file,
                 const std::function<std::string(const std::string&)>& change) {
    make_folder_of(file);
    const FileLock lock(file + ".lock");
    replace_file(file, change(read_file(file).value_or("")));
}

} // namespace sgemm::support
