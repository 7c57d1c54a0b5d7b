// SPDX-License-Identifier: Apache-2.0
//
// The journal: every trial, failures included, as one line of JSON. What a tuner, a fit or a replay
// needs to know of the past is here and nowhere else.
#pragma once

#include "tune/worker/trial.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace libsgemm::tune {

/// Equal for trials that ask the same: they are never repeated. Effort and reference do not count.
std::string key_of(const TrialRecord& record);
std::string key_of(RecordKind kind, const Origin& origin, const Configuration& configuration,
                   const Shape& shape, int round = 0);

/// All records of a journal. A last line without an end was being written when the power went: it
/// does not count. Throws ConfigurationError naming file, line and key for any other bad line, and
/// for a file that cannot be read.
std::vector<TrialRecord> read_journal(const std::filesystem::path& file);

/// Where lines of a journal cannot be understood: keeps it as FILE.damaged, and begins a new one
/// with the others. Returns what to tell of that; empty: nothing was wrong. Throws
/// ConfigurationError for a file that cannot be read or written.
std::string repair_journal(const std::filesystem::path& file);

/// A journal open for appending, locked against other tuners. Each line is on disk when append()
/// returns: whatever ends the process, nothing measured is lost.
class Journal {
public:
    /// Creates the file and its folders where they are missing; reads what is there, and cuts off a
    /// torn last line. A link is followed; a device (/dev/null) is not read. Throws
    /// ConfigurationError if another process has it, or it cannot be written.
    explicit Journal(std::filesystem::path file);
    ~Journal();
    Journal(const Journal&) = delete;
    Journal& operator=(const Journal&) = delete;

    const std::filesystem::path& file() const { return file_; }
    const std::vector<TrialRecord>& records() const { return records_; }
    /// The record of the same trial, from this run or an earlier one; null if there is none.
    const TrialRecord* find(const std::string& key) const;
    /// Throws ConfigurationError where the disk is full or gone.
    void append(TrialRecord record);

private:
    std::filesystem::path file_;
    int descriptor_ = -1;
    std::vector<TrialRecord> records_;
    std::map<std::string, std::size_t, std::less<>> by_key_;
};

/// Now, as journals write it: "2026-11-21T17:46:33Z".
std::string utc_now();

} // namespace libsgemm::tune
