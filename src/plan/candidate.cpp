// SPDX-License-Identifier: Apache-2.0
#include "plan/candidate.hpp"

namespace libsgemm::planning {

std::string Candidate::to_string() const {
    std::string text(kernel->name);
    if (!parameters.empty()) {
        text += " (" + parameters.to_string() + ")";
    }
    return text + catalog::to_string(variant, *kernel);
}

} // namespace libsgemm::planning
