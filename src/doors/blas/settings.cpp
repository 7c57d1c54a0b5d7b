// SPDX-License-Identifier: Apache-2.0
#include "doors/blas/settings.hpp"

#include "support/text.hpp"

#include <cstdio>

namespace libsgemm::blas {
namespace {

std::optional<double> read_threshold(const std::string& text) {
    if (text.empty()) {
        return std::nullopt;
    }
    const auto value = support::parse_number<double>(text);
    if (!value || !(*value >= 0)) {
        std::fprintf(stderr,
                     "sgemm_blas: SGEMM_BLAS_THRESHOLD=%s is no number of rows, and ignored\n",
                     text.c_str());
        return std::nullopt;
    }
    return value;
}

bool read_trace(const std::string& text) {
    if (text.empty()) {
        return false;
    }
    const auto is_on = support::parse_switch(text);
    if (!is_on) {
        std::fprintf(stderr, "sgemm_blas: SGEMM_TRACE=%s is neither on nor off\n", text.c_str());
    }
    return is_on.value_or(false);
}

} // namespace

Settings read_settings() {
    return {support::environment("SGEMM_BLAS_HOST"),
            read_threshold(support::environment("SGEMM_BLAS_THRESHOLD")),
            read_trace(support::environment("SGEMM_TRACE"))};
}

} // namespace libsgemm::blas
