// SPDX-License-Identifier: Apache-2.0
#include "blas/settings.hpp"

#include "support/text.hpp"

#include <cstdio>
#include <cstdlib>

namespace sgemm::blas {
namespace {

std::string environment(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? std::string() : std::string(value);
}

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

} // namespace

Settings read_settings() {
    const std::string trace = environment("SGEMM_TRACE");
    return {environment("SGEMM_BLAS_HOST"), read_threshold(environment("SGEMM_BLAS_THRESHOLD")),
            !trace.empty() && trace != "0"};
}

} // namespace sgemm::blas
