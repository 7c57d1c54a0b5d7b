// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace libsgemm::blas {

/// What the environment says.
struct Settings {
    std::string host;                ///< SGEMM_BLAS_HOST: a library, or "none"; empty: to be found
    std::optional<double> threshold; ///< SGEMM_BLAS_THRESHOLD; empty: by device
    bool traces = false;             ///< SGEMM_TRACE
};

/// A threshold that is no number is reported on standard error and ignored: BLAS has no way to say
/// so.
Settings read_settings();

} // namespace libsgemm::blas
