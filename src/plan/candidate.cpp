// SPDX-License-Identifier: Apache-2.0
#include "plan/candidate.hpp"

namespace libsgemm::planning {

std::string Candidate::to_string() const {
    std::string text(kernel->name);
    if (!parameters.empty()) {
        text += " (" + parameters.to_string() + ")";
    }
    if (edges != EdgeTreatment::padded && kernel->edges == catalog::Edges::selectable) {
        text += edges == EdgeTreatment::guarded   ? ", guarded"
                : edges == EdgeTreatment::shifted ? ", pointer shift"
                                                  : ", extended tiles";
    }
    if (split_k > 1) {
        text += kernel->streams ? ", last tiles dealt out"
                                : ", k in " + std::to_string(split_k) + " slices";
        text += sum_in_launch ? ", summed in the launch" : "";
    }
    if (parts.count() > 1) {
        text += ", parts " + std::to_string(parts.m) + "x" + std::to_string(parts.n) + "x" +
                std::to_string(parts.k);
    }
    if (relay_a || relay_b) {
        text += std::string(", re-laid ") + (relay_a ? "A" : "") + (relay_b ? "B" : "");
    }
    text += pack_a ? ", A packed" : "";
    text += turn_b ? ", B turned" : "";
    return text;
}

} // namespace libsgemm::planning
