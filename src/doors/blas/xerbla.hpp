// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace libsgemm::blas {

/// Reports a wrong argument as the reference BLAS does: by the program's XERBLA if it has one, or
/// else the host BLAS's; without either a line on standard error. `argument` counts from 1 in
/// Fortran's list.
template <class Integer>
void report(Integer argument);

/// The same for CBLAS, whose list begins with the layout: cblas_xerbla() of the program or of the
/// host's BLAS, or else a line on standard error and the end of the process. For row-major calls
/// `argument` counts in the list as it is handed to Fortran, with A and B exchanged, as the
/// reference has it.
void report_cblas(int argument, bool row_major, const char* form, int value);

} // namespace libsgemm::blas
