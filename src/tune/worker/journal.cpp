// SPDX-License-Identifier: Apache-2.0
#include "tune/worker/journal.hpp"

#include "sgemm/error.hpp"
#include "support/atomic_file.hpp"
#include "support/posix_file.hpp"
#include "tune/worker/trial_json.hpp"

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace libsgemm::tune {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& file, const std::string& what) {
    throw ConfigurationError(file.string() + ": " + what);
}

[[noreturn]] void fail_errno(const fs::path& file, const std::string& what) {
    const std::string reason = std::strerror(errno); // NOLINT(concurrency-mt-unsafe): one thread
    fail(file, what + ": " + reason);
}

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30U;

std::string read_all(const fs::path& file, int descriptor) {
    auto text = support::read_all(descriptor, most_bytes);
    if (!text) {
        fail_errno(file, "the journal cannot be read");
    }
    return *std::move(text);
}

/// Whole lines with something in them, each with "FILE:LINE".
template <class Take>
void for_each_line(const std::string& text, const fs::path& file, const Take& take) {
    std::size_t begin = 0;
    for (int number = 1;; ++number) {
        const std::size_t end = text.find('\n', begin);
        if (end == std::string::npos) {
            return;
        }
        if (end > begin) {
            take(text.substr(begin, end - begin), file.string() + ':' + std::to_string(number));
        }
        begin = end + 1;
    }
}

/// Records of all whole lines.
std::vector<TrialRecord> parse_lines(const std::string& text, const fs::path& file) {
    std::vector<TrialRecord> records;
    for_each_line(text, file, [&](const std::string& line, const std::string& origin) {
        records.push_back(parse_record(line, origin));
    });
    return records;
}

int open_for_appending(const fs::path& file) {
    if (file.has_parent_path()) {
        std::error_code error;
        fs::create_directories(file.parent_path(), error);
        if (error) {
            fail(file, "the folder cannot be made: " + error.message());
        }
    }
    const int descriptor = // NOLINTNEXTLINE(cppcoreguidelines-pro-type-vararg): that is POSIX
        open(file.c_str(), O_RDWR | O_APPEND | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0644);
    if (descriptor < 0) {
        fail_errno(file, "the journal cannot be written");
    }
    return descriptor;
}

/// What an open journal holds: a device, nothing.
std::string read_open(const fs::path& file, int descriptor) {
    struct stat status {};
    if (fstat(descriptor, &status) != 0) {
        fail_errno(file, "the journal cannot be read");
    }
    if (S_ISCHR(status.st_mode)) {
        return {};
    }
    if (!S_ISREG(status.st_mode)) {
        fail(file, "the journal cannot be written: it is no regular file");
    }
    return read_all(file, descriptor);
}

} // namespace

std::string utc_now() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&now, &parts);
    std::array<char, 32> text{};
    std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
    return text.data();
}

std::string key_of(RecordKind kind, const Origin& origin, const Configuration& configuration,
                   const Shape& shape, int round) {
    std::string key = origin.device + '|' + origin.driver + '|' + origin.source + '|' +
                      json_of(configuration).dump();
    key += '|' + (kind == RecordKind::timing ? judge::shape_name(shape) : "verification");
    return round == 0 ? key : key + "|round " + std::to_string(round);
}

std::string key_of(const TrialRecord& record) {
    return key_of(record.kind, record.origin, record.spec.configuration, record.spec.shape,
                  record.round);
}

std::vector<TrialRecord> read_journal(const fs::path& file) {
    const support::Descriptor descriptor(open(file.c_str(), O_RDONLY | O_CLOEXEC)); // NOLINT: POSIX
    if (descriptor.get() < 0) {
        fail_errno(file, "the journal cannot be read");
    }
    return parse_lines(read_all(file, descriptor.get()), file);
}

std::string repair_journal(const fs::path& file) {
    const auto text = support::read_file(file.string(), most_bytes);
    std::string good;
    std::string first_error;
    int bad = 0;
    for_each_line(text.value_or(""), file, [&](const std::string& line, const std::string& origin) {
        try {
            parse_record(line, origin);
            good += line + '\n';
        } catch (const ConfigurationError& error) {
            first_error = bad++ == 0 ? error.what() : first_error;
        }
    });
    if (bad == 0) {
        return {};
    }
    const std::string aside = support::set_aside(file.string());
    support::replace_file(file.string(), good);
    return first_error + "; the journal is " + aside + " now, and goes on without " +
           std::to_string(bad) + " of its lines";
}

Journal::Journal(fs::path file) : file_(std::move(file)) {
    descriptor_ = open_for_appending(file_);
    try {
        struct stat status {};
        const bool is_shared = fstat(descriptor_, &status) == 0 && !S_ISREG(status.st_mode);
        if (!is_shared && flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
            if (errno == EWOULDBLOCK) {
                fail(file_, "another tuner is working on this journal; wait for it, or choose "
                            "another file");
            }
            fail_errno(file_, "the journal cannot be locked");
        }
        const std::string text = read_open(file_, descriptor_);
        records_ = parse_lines(text, file_);
        const std::size_t last_end = text.rfind('\n');
        const std::size_t whole = last_end == std::string::npos ? 0 : last_end + 1;
        if (whole != text.size() && ftruncate(descriptor_, static_cast<off_t>(whole)) != 0) {
            fail_errno(file_, "a torn last line cannot be cut off");
        }
    } catch (...) {
        close(descriptor_);
        throw;
    }
    for (std::size_t i = 0; i < records_.size(); ++i) {
        by_key_.insert_or_assign(key_of(records_[i]), i);
    }
}

Journal::~Journal() {
    close(descriptor_);
}

const TrialRecord* Journal::find(const std::string& key) const {
    const auto found = by_key_.find(key);
    return found == by_key_.end() ? nullptr : &records_[found->second];
}

void Journal::append(TrialRecord record) {
    if (record.time.empty()) {
        record.time = utc_now();
    }
    const std::string line = to_json(record) + '\n';
    std::size_t written = 0;
    while (written < line.size()) {
        const ssize_t count = write(descriptor_, line.data() + written, line.size() - written);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0) {
            fail_errno(file_, "the journal cannot be written");
        }
        written += static_cast<std::size_t>(count);
    }
    if (fdatasync(descriptor_) != 0 && errno != EINVAL) { // a pipe or /dev/null has nothing to sync
        fail_errno(file_, "the journal cannot be written");
    }
    by_key_.insert_or_assign(key_of(record), records_.size());
    records_.push_back(std::move(record));
}

} // namespace libsgemm::tune
