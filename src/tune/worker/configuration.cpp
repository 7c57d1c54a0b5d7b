// SPDX-License-Identifier: Apache-2.0
#include "tune/worker/configuration.hpp"

#include "sgemm/error.hpp"

namespace libsgemm::tune {

planning::Candidate to_candidate(const Configuration& configuration,
                                 const catalog::KernelCatalog& catalog) {
    planning::Candidate candidate;
    candidate.kernel = catalog.find(configuration.kernel);
    if (candidate.kernel == nullptr) {
        throw ArgumentError("kernel", configuration.kernel, "must name a kernel of the catalogue");
    }
    candidate.parameters = configuration.parameters;
    candidate.variant = configuration.variant;
    return candidate;
}

} // namespace libsgemm::tune
