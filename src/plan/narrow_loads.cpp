// SPDX-License-Identifier: Apache-2.0
#include "plan/narrow_loads.hpp"

#include "plan/inputs.hpp"

#include <cstdint>

namespace libsgemm::planning {
namespace {

using catalog::load_width_a_name;
using catalog::load_width_b_name;
using validate::CanonicalProblem;
using validate::Operand;

/// The widest load, at most `width`, that an operand's storage allows where it lies.
int possible_width(const Operand& operand, std::int64_t mn, const CanonicalProblem& problem,
                   EdgeStrategy edges, int width) {
    while (width > 1 && !reads_in_place(operand, mn, width, problem.batch, edges)) {
        width /= 2;
    }
    return width;
}

int possible_a(const Candidate& candidate, const CanonicalProblem& problem) {
    return possible_width(problem.a, problem.m, problem, candidate.variant.edges,
                          candidate.parameters.get_or(load_width_a_name, 1));
}

int possible_b(const Candidate& candidate, const CanonicalProblem& problem) {
    return possible_width(problem.b, problem.n, problem, candidate.variant.edges,
                          candidate.parameters.get_or(load_width_b_name, 1));
}

/// A kernel need not take every width.
void set_load_width(Candidate& candidate, std::string_view name, int width) {
    candidate.parameters.set(name, width);
    while (width > 1 && !catalog::keeps_constraints(*candidate.kernel, candidate.parameters)) {
        width /= 2;
        candidate.parameters.set(name, width);
    }
}

} // namespace

bool narrows_a(const Candidate& candidate, const CanonicalProblem& problem) {
    return possible_a(candidate, problem) < candidate.parameters.get_or(load_width_a_name, 1);
}

bool narrows_b(const Candidate& candidate, const CanonicalProblem& problem) {
    return possible_b(candidate, problem) < candidate.parameters.get_or(load_width_b_name, 1);
}

void narrow_loads(Candidate& candidate, const CanonicalProblem& problem) {
    candidate.variant.narrow_a = narrows_a(candidate, problem);
    candidate.variant.narrow_b = narrows_b(candidate, problem);
}

Candidate narrowed(Candidate candidate, const CanonicalProblem& problem) {
    if (candidate.variant.narrow_a && narrows_a(candidate, problem)) {
        set_load_width(candidate, load_width_a_name, possible_a(candidate, problem));
    }
    if (candidate.variant.narrow_b && narrows_b(candidate, problem)) {
        set_load_width(candidate, load_width_b_name, possible_b(candidate, problem));
    }
    candidate.variant.narrow_a = candidate.variant.narrow_b = false;
    return candidate;
}

} // namespace libsgemm::planning
