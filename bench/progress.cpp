// SPDX-License-Identifier: Apache-2.0
#include "progress.hpp"

#include <iostream>
#include <unistd.h>

namespace libsgemm::bench {

Progress::Progress(std::size_t cases) : cases_(cases), terminal_(isatty(STDERR_FILENO) != 0) {}

void Progress::working_on(const std::string& what) {
    const auto now = Clock::now();
    const auto interval = terminal_ ? std::chrono::milliseconds(100) : std::chrono::seconds(15);
    if (now - last_ < interval) {
        return;
    }
    last_ = now;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - start_).count();
    std::cerr << (terminal_ ? "\r\033[K" : "") << '[' << done_ << " of " << cases_ << " cases, "
              << seconds << " s] " << what << (terminal_ ? "" : "\n") << std::flush;
    shown_ = terminal_;
}

void Progress::clear() {
    if (shown_) {
        std::cerr << "\r\033[K" << std::flush;
        shown_ = false;
    }
}

} // namespace libsgemm::bench
