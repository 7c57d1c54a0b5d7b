// SPDX-License-Identifier: Apache-2.0
#include "doors/c/convert.hpp"
#include "doors/c/objects.hpp"

#include <vector>

namespace {

using libsgemm::c_api::errors_of;
using libsgemm::c_api::guarded;
using libsgemm::c_api::require;

/// Programs may be of versions whose structure is shorter.
std::vector<libsgemm::Problem> problems_of(const sgemm_problem* first, std::size_t count) {
    std::vector<libsgemm::Problem> problems;
    const auto* bytes = reinterpret_cast<const char*>(first); // NOLINT: distances in bytes
    for (std::size_t i = 0; i < count; ++i) {
        const auto* problem = // NOLINTNEXTLINE: as above
            reinterpret_cast<const sgemm_problem*>(bytes + i * first->struct_bytes);
        problems.push_back(libsgemm::c_api::problem_of(problem));
    }
    return problems;
}

} // namespace

sgemm_status sgemm_tune(sgemm_context context, const sgemm_problem* problems, size_t count,
                        double seconds, sgemm_tune_function progress, void* user_data,
                        size_t* tuned) {
    return guarded(errors_of(context), [&] {
        require("context", context);
        if (count > 0) {
            require("problems", problems);
        }
        libsgemm::TuneListener listener;
        if (progress != nullptr) {
            listener = [&](const libsgemm::TunedProblem& one) {
                const sgemm_tuned_problem result{one.done, one.count, one.plan.c_str(), one.seconds,
                                                 one.seconds_before};
                return progress(&result, user_data) != 0;
            };
        }
        const std::size_t done =
            context->context.tune(problems_of(problems, count), seconds, listener);
        if (tuned != nullptr) {
            *tuned = done;
        }
    });
}
