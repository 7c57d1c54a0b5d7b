// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/hostile_locale.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace sgemm_fuzz {

/// Takes values off the front of a fuzzer's bytes; zeros where there are none left.
class Bytes {
public:
    Bytes(const std::uint8_t* data, std::size_t size)
        : rest_(reinterpret_cast<const char*>(data), size) {}

    template <class Value>
    Value take() {
        Value value{};
        const std::size_t count = rest_.size() < sizeof value ? rest_.size() : sizeof value;
        std::memcpy(&value, rest_.data(), count);
        rest_.remove_prefix(count);
        return value;
    }
    std::string_view take_text(std::size_t size) {
        const std::string_view text = rest_.substr(0, size);
        rest_.remove_prefix(text.size());
        return text;
    }
    std::string_view rest() const { return rest_; }
    bool empty() const { return rest_.empty(); }

private:
    std::string_view rest_;
};

/// What must hold: a fuzzer stops at it and keeps the input.
inline void require(bool holds) {
    if (!holds) {
        std::abort();
    }
}

/// What an input becomes, as text, is the same whatever locale the program has chosen.
template <class MakeText>
void require_same_in_any_locale(MakeText make_text) {
    const auto expected = make_text();
    const sgemm_test::HostileLocale hostile;
    require(make_text() == expected);
}

} // namespace sgemm_fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
