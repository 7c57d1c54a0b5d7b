// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace libsgemm::bench {

/// What is going on, on standard error: one line that keeps changing on a terminal, else a line now
/// and then.
class Progress {
public:
    explicit Progress(std::size_t cases);
    ~Progress() { clear(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void working_on(const std::string& what);
    void case_done() { ++done_; }
    /// Makes room for other output on the same terminal.
    void clear();

private:
    using Clock = std::chrono::steady_clock;

    std::size_t cases_;
    std::size_t done_ = 0;
    bool terminal_;
    bool shown_ = false;
    Clock::time_point start_ = Clock::now();
    Clock::time_point last_ = start_;
};

} // namespace libsgemm::bench
