// SPDX-License-Identifier: Apache-2.0
#include "tune/atomic_file.hpp"

#include "sgemm/error.hpp"
#include "support/atomic_file.hpp"
#include "support/posix_file.hpp"

#include <system_error>
#include <unistd.h>

namespace sgemm::tune {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_to_write(const fs::path& file, const std::string& what) {
    throw ConfigurationError(file.string() + ": cannot be written: " + what);
}

fs::path folder_of(const fs::path& file) {
    return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

} // namespace

void require_writable(const fs::path& file) {
    const fs::path folder = folder_of(file);
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) {
        fail_to_write(file, "the folder cannot be made: " + error.message());
    }
    if (fs::is_directory(file)) {
        fail_to_write(file, "it is a folder");
    }
    if (access(folder.c_str(), W_OK) != 0) {
        fail_to_write(file, support::last_error());
    }
}

void replace_file(const fs::path& file, const std::string& contents) {
    require_writable(file);
    support::replace_file(file.string(), contents);
}

} // namespace sgemm::tune
