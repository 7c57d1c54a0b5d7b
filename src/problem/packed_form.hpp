// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/problem.hpp"

#include <cstdint>

namespace libsgemm::validate {

/// The parts of an operand that was split before (PackedMatrix), in the same buffer as its values:
/// where they lie, in words of 4 bytes from the buffer's start, and how they are laid out
/// (kernels/emulated/split.clh).
struct PackedForm {
    Precision scheme = Precision::strict; ///< strict: there are no parts
    std::int64_t padded = 0;              ///< rows, those of zeros included
    std::int64_t blocks = 0;              ///< along k
    std::int64_t matrices = 0;            ///< one where the batch shares the operand
    std::int64_t scales = 0;
    std::int64_t control = 0;
    std::int64_t parts = 0;

    bool has_parts() const { return scheme != Precision::strict; }
    bool operator==(const PackedForm&) const = default;
};

} // namespace libsgemm::validate
