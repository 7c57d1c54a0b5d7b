// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "doors/blas/gemm_call.hpp"

namespace libsgemm::blas {

/// Computes a product whose arguments are right, where it belongs: small ones on the host's BLAS,
/// others on the device. What one cannot do the other does, or three loops. Any thread; waits until
/// C is there.
void multiply(const GemmCall& call) noexcept;

/// A symbol of the program or of the host's BLAS; null if neither has it.
void* find_symbol(const char* name) noexcept;

} // namespace libsgemm::blas
