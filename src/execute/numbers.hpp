// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/opencl.hpp"

#include <array>
#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <type_traits>

namespace libsgemm::execute {

/// A launch's numbers as the struct that its kernel declares (NUMBERS_STRUCT in
/// kernels/common.clh): members in order, each aligned to its size, the whole to 8 bytes (every
/// kernel has a long). One argument of a launch instead of dozens: NVIDIA's driver takes up to 0.1
/// us for each.
class Numbers {
public:
    template <class Value>
    void append(Value value) {
        static_assert(std::is_same_v<Value, cl_long> || std::is_same_v<Value, cl_float>);
        const std::size_t at = rounded_up(size_, sizeof value);
        if (at + sizeof value > bytes_.size()) {
            throw std::length_error("a launch has more numbers than its struct may hold");
        }
        std::memcpy(bytes_.data() + at, &value, sizeof value);
        size_ = at + sizeof value;
    }

    const void* data() const noexcept { return bytes_.data(); }
    std::size_t size() const noexcept { return rounded_up(size_, alignof(cl_long)); } ///< bytes

private:
    static constexpr std::size_t rounded_up(std::size_t size, std::size_t unit) {
        return (size + unit - 1) / unit * unit;
    }

    /// Half of what a device of the full profile takes as arguments (CL_DEVICE_MAX_PARAMETER_SIZE).
    /// No kernel has half of it.
    alignas(cl_long) std::array<std::byte, 512> bytes_{};
    std::size_t size_ = 0;
};

} // namespace libsgemm::execute
