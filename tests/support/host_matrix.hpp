// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/storage.hpp"
#include "support/values.hpp"

#include <bit>
#include <cstdint>
#include <vector>

namespace sgemm_test {

/// Fills everything that is not an element of a matrix. NaN, so that one which is read spoils the
/// result, with a payload that tells it from a computed NaN where one is overwritten.
inline constexpr std::uint32_t guard_bits = 0x7fc5eedbU;
inline const float guard_value = std::bit_cast<float>(guard_bits);

inline bool same_bits(float x, float y) {
    return std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y);
}

/// A buffer's contents: a strided batch of matrices behind an offset, guards everywhere else.
class HostMatrix {
public:
    HostMatrix(const Storage& storage, std::int64_t offset, Values values, std::uint64_t seed);
    /// A matrix inside of contents that are there already, such as a block of a larger matrix.
    HostMatrix(const Storage& storage, std::int64_t offset, std::vector<float> image);

    const Storage& storage() const { return storage_; }
    std::int64_t offset() const { return offset_; }
    const std::vector<float>& image() const { return image_; }

    float at(std::int64_t matrix, std::int64_t row, std::int64_t column) const {
        return in(image_, matrix, row, column);
    }
    /// The same element in another image of this matrix.
    float in(const std::vector<float>& image, std::int64_t matrix, std::int64_t row,
             std::int64_t column) const {
        return image[static_cast<std::size_t>(offset_ + storage_.index(matrix, row, column))];
    }
    /// For each position of the image, whether an element of a matrix lies there.
    std::vector<bool> element_mask() const;

private:
    Storage storage_;
    std::int64_t offset_;
    std::vector<float> image_;
};

} // namespace sgemm_test
