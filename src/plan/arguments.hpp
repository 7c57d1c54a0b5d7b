// SPDX-License-Identifier: Apache-2.0
//
// Arguments that steps of several builders have.
#pragma once

#include "plan/plan_value.hpp"

#include <cstdint>
#include <vector>

namespace libsgemm::planning {

inline constexpr Argument user_alpha{Argument::Kind::alpha, 0};
inline constexpr Argument user_beta{Argument::Kind::beta, 0};
inline constexpr Argument zero{Argument::Kind::zero, 0};
inline constexpr Argument one{Argument::Kind::one, 0};

inline void append_integer(std::vector<Argument>& arguments, std::int64_t value) {
    arguments.push_back({Argument::Kind::integer, value});
}

} // namespace libsgemm::planning
