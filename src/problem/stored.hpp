// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace libsgemm::validate {

/// A stored matrix (or strided batch of them) as memory sees it: `lines` runs of `line` contiguous
/// elements, `ld` apart.
struct Stored {
    std::int64_t line = 0;
    std::int64_t lines = 0;
    std::int64_t ld = 1;
    std::int64_t batch = 1;
    std::int64_t batch_stride = 0;

    bool empty() const { return line == 0 || lines == 0 || batch == 0; }
    /// Elements from the first to one past the last of one matrix; 0 if empty.
    std::int64_t matrix_extent() const { return empty() ? 0 : (lines - 1) * ld + line; }
    /// The same for the whole batch.
    std::int64_t extent() const {
        return empty() ? 0 : (batch - 1) * batch_stride + matrix_extent();
    }
};

} // namespace libsgemm::validate
