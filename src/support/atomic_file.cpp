// SPDX-License-Identifier: Apache-2.0
#include "support/atomic_file.hpp"

#include "sgemm/error.hpp"
#include "support/posix_file.hpp"

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <thread>

#ifdef __unix__
#include <atomic>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#else
#include <fstream>
#include <iterator>
#endif

namespace libsgemm::support {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& file, const std::string& what) {
    throw ConfigurationError(file + ": " + what);
}

[[noreturn]] void fail_to_read(const std::string& file, const std::string& reason) {
    fail(file, "cannot be read (" + reason + ")");
}

[[noreturn]] void fail_to_write(const std::string& file, const std::string& reason) {
    fail(file, "cannot be written (" + reason + ")");
}

void make_folder_of(const std::string& file) {
    const fs::path folder = fs::path(file).parent_path();
    std::error_code error;
    if (!folder.empty() && !fs::is_directory(folder, error)) {
        fs::create_directories(folder, error);
        if (error) {
            fail(file, "its folder cannot be made (" + error.message() + ")");
        }
    }
}

std::string folder_of(const std::string& file) {
    const fs::path folder = fs::path(file).parent_path();
    return folder.empty() ? "." : folder.string();
}

std::string too_long(std::uint64_t most) {
    return "it has more than " + std::to_string(most) + " bytes";
}

/// Where a name leads, link by link; what the last one names need not be there.
std::string follow_links(const std::string& file) {
    fs::path name = file;
    constexpr int most_links = 40; // as many as Linux follows
    for (int i = 0; i < most_links; ++i) {
        std::error_code is_none;
        const fs::path target = fs::read_symlink(name, is_none);
        if (is_none) {
            return name.string();
        }
        name = name.parent_path() / target; // which replaces all of it if it is absolute
    }
    fail_to_write(file, std::make_error_code(std::errc::too_many_symbolic_link_levels).message());
}

#ifdef __unix__

/// What a name stands for, links followed.
struct Target {
    std::string path;
    bool exists = false;
    bool is_replaced = false; ///< a regular file, or none yet; else it is written into
    struct stat status {};
};

/// /dev/stdout and its kind: another file of the same name would not be the open one.
bool leads_to_open_file(const std::string& file) {
    std::error_code error;
    const std::string folder = fs::canonical(folder_of(file), error).string();
    const std::string target = fs::read_symlink(file, error).string();
    return folder.starts_with("/proc/") || target.starts_with("/proc/");
}

Target target_of(const std::string& file) {
    Target target;
    target.exists = stat(file.c_str(), &target.status) == 0;
    if (target.exists && S_ISDIR(target.status.st_mode)) {
        fail_to_write(file, std::make_error_code(std::errc::is_a_directory).message());
    }
    if (target.exists && !S_ISREG(target.status.st_mode)) {
        target.path = file;
        return target;
    }
    target.path = follow_links(file);
    target.is_replaced = !leads_to_open_file(file);
    return target;
}

/// The same, once the folders are there.
Target made_target_of(const std::string& file) {
    make_folder_of(file);
    Target target = target_of(file);
    if (!target.exists) {
        make_folder_of(target.path);
    }
    return target;
}

bool may_write(const std::string& path) {
    return faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0;
}

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

/// The new file is whose the old one was, as far as the process may say so, and has its
/// permissions.
void keep_rights(const Descriptor& descriptor, const struct stat& old) {
    const bool is_others = old.st_uid != geteuid() || old.st_gid != getegid();
    if (is_others && fchown(descriptor.get(), old.st_uid, old.st_gid) != 0) {
        errno = 0; // it is this user's now
    }
    constexpr mode_t permissions = 0777;
    fchmod(descriptor.get(), old.st_mode & permissions);
}

void write_and_rename(const std::string& file, const Target& target, std::string_view text) {
    if (target.exists && !may_write(target.path)) {
        fail_to_write(file, last_error());
    }
    const auto [temporary, number] = make_temporary(target.path);
    const Descriptor descriptor(number);
    if (descriptor.get() < 0) {
        fail_to_write(file, last_error());
    }
    if (target.exists) {
        keep_rights(descriptor, target.status);
    }
    if (const std::string error = fill_and_rename(descriptor, temporary, target.path, text);
        !error.empty()) {
        fail(file, "cannot be replaced (" + error + ")");
    }
    sync_folder(folder_of(target.path));
}

void write_into(const std::string& file, std::string_view text) {
    // Without O_NONBLOCK a pipe that nobody reads would block.
    const Descriptor descriptor(
        open(file.c_str(), O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)); // NOLINT
    if (descriptor.get() < 0) {
        fail_to_write(file, last_error());
    }
    fcntl(descriptor.get(), F_SETFL,
          O_APPEND); // NOLINT: POSIX; from here on a reader is waited for
    if (!write_all(descriptor.get(), text)) {
        fail_to_write(file, last_error());
    }
}

/// Takes a lock that others hold for less than a moment; a process that was stopped with it must
/// not stop this one. File systems without locks have writers that replace whole files all the
/// same.
bool lock_soon(int descriptor) {
    constexpr int most_attempts = 200;
    for (int attempt = 1; flock(descriptor, LOCK_EX | LOCK_NB) != 0; ++attempt) {
        if (errno == ENOSYS || errno == EOPNOTSUPP || errno == ENOLCK) {
            return true;
        }
        if ((errno != EWOULDBLOCK && errno != EINTR) || attempt == most_attempts) {
            return false;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return true;
}

/// Held as long as this object lives, or this process.
class FileLock {
public:
    explicit FileLock(const std::string& file)
        : descriptor_(open(file.c_str(), O_WRONLY | O_CREAT | O_NONBLOCK | O_CLOEXEC, // NOLINT
                           0644)) {
        if (descriptor_.get() < 0 || !lock_soon(descriptor_.get())) {
            fail(file, "cannot be locked (" + last_error() + ")");
        }
    }
    /// By name, not only by closing: a child that was forked meanwhile holds the descriptor, too.
    ~FileLock() { flock(descriptor_.get(), LOCK_UN); }
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;

private:
    Descriptor descriptor_;
};

#else

class FileLock {
public:
    explicit FileLock(const std::string&) {}
};

#endif

} // namespace

#ifdef __unix__

std::optional<std::string> read_file(const std::string& file, std::uint64_t most) {
    // Without O_NONBLOCK a pipe of that name would block.
    const Descriptor descriptor(
        open(file.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)); // NOLINT: POSIX
    if (descriptor.get() < 0 && (errno == ENOENT || errno == ENOTDIR)) {
        return std::nullopt;
    }
    struct stat status {};
    if (descriptor.get() < 0 || fstat(descriptor.get(), &status) != 0) {
        fail_to_read(file, last_error());
    }
    if (!S_ISREG(status.st_mode)) {
        fail_to_read(file, "it is no regular file");
    }
    auto text = read_all(descriptor.get(), most);
    if (!text) {
        fail_to_read(file, errno == EFBIG ? too_long(most) : last_error());
    }
    return text;
}

void replace_file(const std::string& file, std::string_view text) {
    const Target target = made_target_of(file);
    if (target.is_replaced) {
        write_and_rename(file, target, text);
    } else {
        write_into(file, text);
    }
}

void require_writable(const std::string& file) {
    const Target target = made_target_of(file);
    if ((target.exists && !may_write(target.path)) ||
        (target.is_replaced && !may_write(folder_of(target.path)))) {
        fail_to_write(file, last_error());
    }
}

#else

std::optional<std::string> read_file(const std::string& file, std::uint64_t most) {
    std::error_code error;
    const fs::file_status status = fs::status(file, error);
    if (status.type() == fs::file_type::not_found) {
        return std::nullopt;
    }
    if (!fs::is_regular_file(status)) {
        fail_to_read(file, "it is no regular file");
    }
    if (fs::file_size(file, error) > most) {
        fail_to_read(file, too_long(most));
    }
    std::ifstream stream(file, std::ios::binary);
    if (!stream) {
        fail_to_read(file, "it cannot be opened");
    }
    return std::string(std::istreambuf_iterator<char>(stream), {});
}

void replace_file(const std::string& file, std::string_view text) {
    require_writable(file);
    const std::string target = follow_links(file);
    const std::string temporary = target + ".tmp";
    std::ofstream stream(temporary, std::ios::binary);
    if (!(stream << text << std::flush)) {
        fail(file, "cannot be written");
    }
    stream.close();
    std::error_code error;
    fs::rename(temporary, target, error);
    if (error) {
        std::error_code ignored;
        fs::remove(temporary, ignored);
        fail(file, "cannot be replaced (" + error.message() + ")");
    }
}

void require_writable(const std::string& file) {
    make_folder_of(file);
    std::error_code error;
    const fs::file_status status = fs::status(file, error);
    if (fs::exists(status) && !fs::is_regular_file(status)) {
        fail_to_write(file, "it is no regular file");
    }
}

#endif

void while_locked(const std::string& file, const std::function<void()>& action) {
    make_folder_of(file);
    const FileLock lock(follow_links(file) + ".lock");
    action();
}

void update_file(const std::string& file,
                 const std::function<std::string(const std::string&)>& change) {
    while_locked(file, [&] { replace_file(file, change(read_file(file).value_or(""))); });
}

std::string set_aside(const std::string& file) {
    const std::string target = follow_links(file);
    std::error_code error;
    if (!fs::is_regular_file(target, error)) {
        fail(file, "is no regular file, and stays");
    }
    std::string aside = target + ".damaged";
    fs::rename(target, aside, error);
    if (error) {
        fail(file, "cannot be moved aside (" + error.message() + ")");
    }
    return aside;
}

} // namespace libsgemm::support
