// SPDX-License-Identifier: Apache-2.0
#include "plan/plan_value.hpp"

namespace libsgemm::planning {

std::string PlanValue::to_string() const {
    return kernel == nullptr ? "no main kernel" : catalog::to_string(*kernel, parameters, variant);
}

} // namespace libsgemm::planning
