// SPDX-License-Identifier: Apache-2.0
#include "support/posix_file.hpp"

#ifdef __unix__

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

namespace libsgemm::support {

Descriptor::~Descriptor() {
    if (number_ >= 0) {
        close(number_);
    }
}

std::string last_error() {
    return std::generic_category().message(errno);
}

std::optional<std::string> read_all(int descriptor, std::uint64_t most) {
    std::string bytes;
    std::array<char, 16384> block{};
    for (;;) {
        const auto count = read(descriptor, block.data(), block.size());
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0) {
            return std::nullopt;
        }
        if (count == 0) {
            return bytes;
        }
        bytes.append(block.data(), static_cast<std::size_t>(count));
        if (bytes.size() > most) {
            errno = EFBIG;
            return std::nullopt;
        }
    }
}

bool write_all(int descriptor, std::string_view bytes) {
    while (!bytes.empty()) {
        const auto count = write(descriptor, bytes.data(), bytes.size());
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            return false;
        }
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}

bool write_through(int descriptor, std::string_view bytes) {
    return write_all(descriptor, bytes) && fsync(descriptor) == 0;
}

std::string fill_and_rename(const Descriptor& descriptor, const std::string& temporary,
                            const std::string& file, std::string_view bytes) {
    if (write_through(descriptor.get(), bytes) &&
        std::rename(temporary.c_str(), file.c_str()) == 0) {
        return {};
    }
    std::string error = last_error();
    unlink(temporary.c_str());
    return error;
}

void sync_folder(const std::string& folder) {
    const Descriptor descriptor(
        open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)); // NOLINT: POSIX
    if (descriptor.get() >= 0) {
        fsync(descriptor.get());
    }
}

} // namespace libsgemm::support

#endif
