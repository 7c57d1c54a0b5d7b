// SPDX-License-Identifier: Apache-2.0
//
// What the main() of every tool does about standard input and output.
#pragma once

#include <cerrno>
#include <cstdio>
#include <iostream>
#include <system_error>

#ifdef __unix__
#include <fcntl.h>
#include <unistd.h>
#endif

namespace libsgemm::support {

/// Takes the places of standard input, output and error where the program was started without them:
/// otherwise files that it opens would get them, and its output would end up there. Using what
/// stands there then is an error.
inline void hold_standard_streams() {
#ifdef __unix__
    constexpr int modes[] = {O_WRONLY, O_RDONLY, O_RDONLY}; // the wrong ones
    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor) {
        if (fcntl(descriptor, F_GETFD) == -1 && errno == EBADF) { // NOLINT: POSIX
            // The lowest free number is this one. NOLINTNEXTLINE: POSIX
            static_cast<void>(open("/dev/null", modes[descriptor]));
        }
    }
#endif
}

/// The exit status of a program that is about to end with `status`: 1 in place of 0 where not all
/// of its output could be written; then it says so on standard error.
inline int status_after_output(const char* program, int status) {
    errno = 0;
    std::cout.flush();
    const bool is_written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout;
    if (is_written) {
        return status;
    }
    const int reason = errno;
    std::cerr << program << ": standard output cannot be written";
    if (reason != 0) {
        std::cerr << ": " << std::generic_category().message(reason);
    }
    std::cerr << '\n';
    return status == 0 ? 1 : status;
}

} // namespace libsgemm::support
