// SPDX-License-Identifier: Apache-2.0
#include "support/atomic_file.hpp"

#include "sgemm/error.hpp"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#ifdef __unix__
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#endif

namespace sgemm::support {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& file, const std::string& what) {
    throw ConfigurationError(file + ": " + what);
}

std::string last_error() {
    return std::generic_category().message(errno);
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

/// Closes a file descriptor.
class Descriptor {
public:
    explicit Descriptor(int number) : number_(number) {}
    ~Descriptor() {
        if (number_ >= 0) {
            close(number_);
        }
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int get() const { return number_; }

private:
    int number_;
};

void write_through(const std::string& file, const std::string& text) {
    const Descriptor descriptor(
        open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)); // NOLINT: POSIX
    if (descriptor.get() < 0) {
        fail(file, "cannot be written (" + last_error() + ")");
    }
    std::size_t done = 0;
    while (done < text.size()) {
        const auto count = write(descriptor.get(), text.data() + done, text.size() - done);
        if (count < 0) {
            fail(file, "cannot be written (" + last_error() + ")");
        }
        done += static_cast<std::size_t>(count);
    }
    if (fsync(descriptor.get()) != 0) {
        fail(file, "cannot be written (" + last_error() + ")");
    }
}

std::string own_suffix() {
    return "." + std::to_string(getpid()) + ".tmp";
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

void write_through(const std::string& file, const std::string& text) {
    std::ofstream stream(file, std::ios::binary);
    if (!(stream << text << std::flush)) {
        fail(file, "cannot be written");
    }
}

std::string own_suffix() {
    return ".tmp";
}

class FileLock {
public:
    explicit FileLock(const std::string&) {}
};

#endif

} // namespace

std::string read_file(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream text;
    if (stream) {
        text << stream.rdbuf();
    }
    return text.str();
}

void replace_file(const std::string& file, const std::string& text) {
    make_folder_of(file);
    const std::string temporary = file + own_suffix();
    write_through(temporary, text);
    std::error_code error;
    fs::rename(temporary, file, error);
    if (error) {
        std::error_code ignored;
        fs::remove(temporary, ignored);
        fail(file, "cannot be replaced (" + error.message() + ")");
    }
}

void update_file(const std::string& file,
                 const std::function<std::string(const std::string&)>& change) {
    make_folder_of(file);
    const FileLock lock(file + ".lock");
    replace_file(file, change(read_file(file)));
}

} // namespace sgemm::support
