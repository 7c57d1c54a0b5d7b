// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/plan_value.hpp"

#include <string>
#include <string_view>

namespace sgemm_test {

/// What a step's build defines as `name`, or "none".
inline std::string define_of(const libsgemm::planning::Step& step, std::string_view name) {
    for (const auto& [key, value] : step.build.defines) {
        if (key == name) {
            return value;
        }
    }
    return "none";
}

} // namespace sgemm_test
