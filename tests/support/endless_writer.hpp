// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <csignal>
#include <poll.h>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace sgemm_test {

/// A process that writes for ever, until it is killed.
class EndlessWriter {
public:
    /// Calls `write` with 0, 1, 2 and so on in a process of its own. Throws where the system gives
    /// none.
    template <class Write>
    explicit EndlessWriter(Write write) {
        std::array<int, 2> ends{};
        if (pipe(ends.data()) != 0) {
            throw std::runtime_error("no pipe");
        }
        process_ = fork();
        if (process_ < 0) {
            throw std::runtime_error("no process");
        }
        if (process_ == 0) {
            close(ends[0]);
            write_on(write, ends[1]);
        }
        close(ends[1]);
        first_write_ = ends[0];
    }
    ~EndlessWriter() {
        if (process_ > 0) {
            end();
        }
        close(first_write_);
    }
    EndlessWriter(const EndlessWriter&) = delete;
    EndlessWriter& operator=(const EndlessWriter&) = delete;

    /// Kills it `delay` after its first write, however slowly the process came up. False if it had
    /// ended by itself or has written nothing within a minute.
    bool killed_after(std::chrono::microseconds delay) {
        pollfd first{first_write_, POLLIN, 0};
        char byte = 0;
        const bool has_written = poll(&first, 1, 60'000) == 1 && read(first_write_, &byte, 1) == 1;
        std::this_thread::sleep_for(delay);
        return WIFSIGNALED(end()) && has_written;
    }

private:
    template <class Write>
    [[noreturn]] static void write_on(Write write, int first_write) {
        try {
            write(0);
            constexpr char byte = 1;
            if (::write(first_write, &byte, 1) == 1) {
                for (unsigned i = 1;; ++i) {
                    write(i);
                }
            }
        } catch (...) { // the parent sees that it has ended
        }
        _exit(1);
    }

    int end() {
        int status = 0;
        kill(process_, SIGKILL);
        waitpid(process_, &status, 0);
        process_ = -1;
        return status;
    }

    pid_t process_ = -1;
    int first_write_ = -1; ///< the reading end
};

} // namespace sgemm_test
