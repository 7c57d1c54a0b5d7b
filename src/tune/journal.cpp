// SPDX-License-Identifier: Apache-2.0
#include "tune/journal.hpp"

#include "sgemm/error.hpp"
#include "support/text_stream.hpp"
#include "tune/trial_json.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <fstream>
#include <sys/file.h>
#include <unistd.h>
#include <utility>

namespace sgemm::tune {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& file, const std::string& what) {
    throw ConfigurationError(file.string() + ": " + what);
}

[[noreturn]] void fail_errno(const fs::path& file, const std::string& what) {
    const std::string reason = std::strerror(errno); // NOLINT(concurrency-mt-unsafe): one thread
    fail(file, what + ": " + reason);
}

std::string read_all(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    support::TextWriter text;
    text << stream.rdbuf();
    if (!stream) {
        fail(file, "the journal cannot be read");
    }
    return text.str();
}

/// Records of all whole lines.
std::vector<TrialRecord> parse_lines(const std::string& text, const fs::path& file) {
    std::vector<TrialRecord> records;
    std::size_t begin = 0;
    for (int number = 1;; ++number) {
        const std::size_t end = text.find('\n', begin);
        if (end == std::string::npos) {
            return records;
        }
        if (end > begin) {
            records.push_back(parse_record(text.substr(begin, end - begin),
                                           file.string() + ':' + std::to_string(number)));
        }
        begin = end + 1;
    }
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
        open(file.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    if (descriptor < 0) {
        fail_errno(file, "the journal cannot be written");
    }
    return descriptor;
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
    std::string key =
        origin.device + '|' + origin.driver + '|' + origin.source + '|' + configuration.to_string();
    if (configuration.treatment.pre_passes == PrePassStyle::separate) {
        key += ", separate passes";
    }
    key += '|' + (kind == RecordKind::timing ? bench::shape_name(shape) : "verification");
    return round == 0 ? key : key + "|round " + std::to_string(round);
}

std::string key_of(const TrialRecord& record) {
    return key_of(record.kind, record.origin, record.spec.configuration, record.spec.shape,
                  record.round);
}

std::vector<TrialRecord> read_journal(const fs::path& file) {
    return parse_lines(read_all(file), file);
}

Journal::Journal(fs::path file) : file_(std::move(file)) {
    descriptor_ = open_for_appending(file_);
    try {
        if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
            if (errno == EWOULDBLOCK) {
                fail(file_, "another tuner is working on this journal; wait for it, or choose "
                            "another file");
            }
            fail_errno(file_, "the journal cannot be locked");
        }
        const std::string text = read_all(file_);
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

} // namespace sgemm::tune
