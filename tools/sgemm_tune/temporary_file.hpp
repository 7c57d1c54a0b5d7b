// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/posix_file.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace libsgemm::tune {

/// A file of a name of its own, for as long as it is needed.
class TemporaryFile {
public:
    TemporaryFile() : path_((std::filesystem::temp_directory_path() / "sgemm-XXXXXX").string()) {
        const support::Descriptor descriptor(mkstemp(path_.data()));
        if (descriptor.get() < 0) {
            throw std::runtime_error(path_ + ": cannot be written");
        }
    }
    ~TemporaryFile() { std::remove(path_.c_str()); }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    const std::string& path() const { return path_; }

private:
    std::string path_;
};

} // namespace libsgemm::tune
