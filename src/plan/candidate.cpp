// SPDX-License-Identifier: Apache-2.0
#include "plan/candidate.hpp"

#include "plan/precision.hpp"

#include <algorithm>

namespace libsgemm::planning {

std::string Candidate::to_string() const {
    return catalog::to_string(*kernel, parameters, variant);
}

double bound_terms(const Candidate& candidate, std::int64_t k) {
    const double strict = strict_bound_terms(k);
    if (candidate.kernel->bound_terms == nullptr) {
        return strict;
    }
    const int split_k = candidate.variant.split_k;
    const double terms = candidate.kernel->bound_terms(candidate.parameters, k);
    return std::max(strict, split_k > 1 ? terms + split_k : terms);
}

} // namespace libsgemm::planning
