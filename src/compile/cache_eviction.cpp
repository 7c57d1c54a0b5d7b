// SPDX-License-Identifier: Apache-2.0
#include "compile/cache_eviction.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <vector>

namespace libsgemm::compile {
namespace {

namespace fs = std::filesystem;

struct File {
    fs::path path;
    std::uint64_t bytes = 0;
    fs::file_time_type used;
};

/// A file that another process has just removed has no size; it is left out.
bool read_file(const fs::directory_entry& entry, File& file) {
    std::error_code error;
    if (entry.is_symlink(error) || !entry.is_regular_file(error)) {
        return false;
    }
    file.path = entry.path();
    file.bytes = entry.file_size(error);
    if (error) {
        return false;
    }
    file.used = entry.last_write_time(error);
    return !error;
}

void discard(const fs::path& path) {
    std::error_code ignored; // another process was faster, or may and we may not
    fs::remove(path, ignored);
}

/// What a name has after the 32 digits that all of ours begin with; empty for names that are not
/// ours.
std::string after_digits(const std::string& name) {
    constexpr std::size_t digits = 32;
    return name.find_first_not_of("0123456789abcdef") == digits ? name.substr(digits) : "";
}

bool is_left_over(const File& file, const std::string& ending) {
    constexpr std::size_t random_characters = 6;
    const std::string prefix = std::string(entry_suffix) + ".tmp-";
    return ending.starts_with(prefix) && ending.size() == prefix.size() + random_characters &&
           fs::file_time_type::clock::now() - file.used > std::chrono::hours(1);
}

std::vector<File> entries_of(const std::string& folder) {
    std::vector<File> files;
    std::error_code error;
    for (auto i = fs::directory_iterator(folder, error); !error && i != fs::directory_iterator();
         i.increment(error)) {
        File file;
        if (!read_file(*i, file)) {
            continue;
        }
        const std::string ending = after_digits(file.path.filename().string());
        if (ending == entry_suffix) {
            files.push_back(std::move(file));
        } else if (is_left_over(file, ending)) {
            discard(file.path);
        }
    }
    return files;
}

void remove_oldest(std::vector<File> files, std::uint64_t max_bytes) {
    std::uint64_t bytes = 0;
    for (const File& file : files) {
        bytes += file.bytes;
    }
    std::sort(files.begin(), files.end(),
              [](const File& x, const File& y) { return x.used < y.used; });
    for (auto file = files.begin(); bytes > max_bytes && file != files.end(); ++file) {
        discard(file->path);
        bytes -= file->bytes;
    }
}

} // namespace

void evict(const std::string& folder, std::uint64_t max_bytes) noexcept {
    try {
        remove_oldest(entries_of(folder), max_bytes);
    } catch (
        const std::exception&) { // NOLINT(bugprone-empty-catch): out of memory; the next one will
    }
}

} // namespace libsgemm::compile
