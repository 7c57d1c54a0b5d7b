// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>

namespace libsgemm::validate {

/// The numbers 0, step, ..., (count - 1) * step.
struct Steps {
    std::int64_t step = 1;  ///< positive
    std::int64_t count = 1; ///< positive
};

/// A few of these, in no order; without memory of its own, as every call is checked.
class StepList {
public:
    static constexpr std::size_t most = 4;

    StepList() = default;
    StepList(std::initializer_list<Steps> steps) {
        for (const Steps& one : steps) {
            push_back(one);
        }
    }

    void push_back(const Steps& steps) {
        if (steps.count > 1) { // 0 alone adds nothing
            steps_.at(size_++) = steps;
        }
    }
    void erase(const Steps* one) {
        steps_[static_cast<std::size_t>(one - begin())] = steps_[--size_];
    }

    std::size_t size() const { return size_; }
    Steps& operator[](std::size_t i) { return steps_[i]; }
    const Steps& operator[](std::size_t i) const { return steps_[i]; }
    Steps* begin() { return steps_.data(); }
    Steps* end() { return steps_.data() + size_; }
    const Steps* begin() const { return steps_.data(); }
    const Steps* end() const { return steps_.data() + size_; }

private:
    std::array<Steps, most> steps_{};
    std::size_t size_ = 0;
};

/// Whether numbers, one of each, add up to one in [low, high]. The largest sum fits in 62 bits. By
/// Euclid's algorithm where two of them are left that cannot be joined, which is exact; one value
/// after the other of any more. Nothing if that takes more than `most_tried` steps.
std::optional<bool> some_sum_is_within(StepList summands, std::int64_t low, std::int64_t high,
                                       std::int64_t most_tried);

} // namespace libsgemm::validate
