// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "doors/c/errors.hpp"
#include "sgemm/context.hpp"
#include "sgemm/error.hpp"
#include "sgemm/sgemm.h"

#include <memory>
#include <string>

/// What the opaque handles point to.
struct sgemm_context_state { // NOLINT(readability-identifier-naming): C's name
    std::shared_ptr<libsgemm::c_api::Errors> errors;
    libsgemm::Context context;
};

struct sgemm_plan_state { // NOLINT(readability-identifier-naming): C's name
    std::shared_ptr<libsgemm::c_api::Errors> errors; ///< its context's, which may be gone
    libsgemm::Plan plan;
};

struct sgemm_packed_state { // NOLINT(readability-identifier-naming): C's name
    std::shared_ptr<libsgemm::c_api::Errors> errors;
    libsgemm::PackedMatrix matrix;
};

namespace libsgemm::c_api {

/// Where failures of a call with that context or plan go; the handle may be null.
template <class Handle>
Errors& errors_of(Handle handle) {
    return handle == nullptr ? errors_without_context() : *handle->errors;
}

template <class Pointer>
void require(const char* argument, Pointer pointer) {
    if (pointer == nullptr) {
        throw ArgumentError(argument, "null", "must not be null");
    }
}

} // namespace libsgemm::c_api
