// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "doors/blas/gemm_call.hpp"

#include <string>

namespace libsgemm::blas {

/// Another BLAS of this process, on the host: small problems are its own.
class HostBlas {
public:
    /// Finds it: `name` (a file, or "none"); if that is empty, or no BLAS, which is reported on
    /// standard error, the one that the program would have had without this library, one that is
    /// loaded for some library alone, as NumPy's own is, or else the system's libblas.so.3,
    /// libopenblas.so.0 or libblis.so.4. Never throws: there may be none.
    explicit HostBlas(const std::string& name) noexcept;
    /// The one that the program would have had without this library, or none: loads nothing. None
    /// for the name "none".
    static HostBlas already_loaded(const std::string& name) noexcept;

    bool is_there() const noexcept { return sgemm_ != nullptr || sgemm_64_ != nullptr; }
    /// Computes the product; false, and nothing has happened, if there is none or the sizes are too
    /// large for it.
    bool multiply(const GemmCall& call) const noexcept;
    /// A symbol of that BLAS, or of the program; null if neither has it.
    void* find(const char* symbol) const noexcept;

private:
    HostBlas() noexcept = default;
    bool open(const char* file) noexcept;
    bool find_loaded() noexcept;
    bool take(void* library) noexcept;

    void* library_ = nullptr; // never closed
    void* sgemm_ = nullptr;
    void* sgemm_64_ = nullptr;
};

} // namespace libsgemm::blas
