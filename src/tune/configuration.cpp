// SPDX-License-Identifier: Apache-2.0
#include "tune/configuration.hpp"

#include "sgemm/error.hpp"

namespace libsgemm::tune {

std::string Configuration::to_string() const {
    std::string text = kernel + " (" + parameters.to_string() + ")";
    if (treatment.edges == planning::EdgeTreatment::guarded) {
        text += ", guarded";
    }
    if (treatment.edges == planning::EdgeTreatment::shifted) {
        text += ", pointer shift";
    }
    if (treatment.edges == planning::EdgeTreatment::extended) {
        text += ", extended tiles";
    }
    if (treatment.split_k > 1) {
        text += ", k in " + std::to_string(treatment.split_k) + " slices";
    }
    text += treatment.sum_in_launch ? ", summed in the launch" : "";
    if (treatment.narrow) {
        text += ", narrow loads";
    }
    if (const auto& parts = treatment.parts; parts.count() > 1) {
        text += ", parts " + std::to_string(parts.m) + "x" + std::to_string(parts.n) + "x" +
                std::to_string(parts.k);
    }
    if (treatment.relay_a || treatment.relay_b) {
        text += std::string(", re-laid ") + (treatment.relay_a ? "A" : "") +
                (treatment.relay_b ? "B" : "");
    }
    text += treatment.pack_a ? ", A packed" : "";
    text += treatment.turn_b ? ", B turned" : "";
    return text;
}

Configuration to_configuration(const planning::Candidate& candidate) {
    Configuration configuration;
    configuration.kernel = std::string(candidate.kernel->name);
    configuration.parameters = candidate.parameters;
    configuration.treatment = {candidate.edges,        candidate.split_k, candidate.narrowed,
                               candidate.parts,        candidate.relay_a, candidate.relay_b,
                               candidate.pre_passes,   candidate.pack_a,  candidate.turn_b,
                               candidate.sum_in_launch};
    return configuration;
}

planning::Candidate to_candidate(const Configuration& configuration,
                                 const catalog::KernelCatalog& catalog) {
    planning::Candidate candidate;
    candidate.kernel = catalog.find(configuration.kernel);
    if (candidate.kernel == nullptr) {
        throw ArgumentError("kernel", configuration.kernel, "must name a kernel of the catalogue");
    }
    candidate.parameters = configuration.parameters;
    candidate.edges = configuration.treatment.edges;
    candidate.split_k = configuration.treatment.split_k;
    candidate.narrowed = configuration.treatment.narrow;
    candidate.parts = configuration.treatment.parts;
    candidate.relay_a = configuration.treatment.relay_a;
    candidate.relay_b = configuration.treatment.relay_b;
    candidate.pre_passes = configuration.treatment.pre_passes;
    candidate.pack_a = configuration.treatment.pack_a;
    candidate.turn_b = configuration.treatment.turn_b;
    candidate.sum_in_launch = configuration.treatment.sum_in_launch;
    return candidate;
}

} // namespace libsgemm::tune
