// SPDX-License-Identifier: Apache-2.0
//
// One maker per file of this folder; they throw Unavailable.
#pragma once

#include "implementations/implementation.hpp"

#include <string>

namespace libsgemm::bench {

Implementations make_libsgemm(const std::string& spec, Environment& environment);
Implementations make_calling_thread(Environment& environment);
Implementations make_clblast(Environment& environment);
Implementations make_clblast_tuned(Environment& environment);
Implementations make_openblas(Environment& environment);
Implementations make_blis(Environment& environment);
/// "FILE[:SYMBOL]": any library with CBLAS' sgemm.
Implementations make_cblas_file(const std::string& spec, Environment& environment);
Implementations make_cublas(Environment& environment);
Implementations make_fma_peak(Environment& environment);

} // namespace libsgemm::bench
