// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/sgemm.h"

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>

namespace libsgemm::c_api {

/// What a call failed with.
struct Failure {
    sgemm_status status = SGEMM_SUCCESS;
    cl_int opencl_status = CL_SUCCESS;
    std::string detail;
};

/// The status, code and text of an exception.
Failure failure_of(const std::exception_ptr& error) noexcept;

/// The latest failures of one context's calls, or of those without a context. Thread-safe.
class Errors {
public:
    Errors();
    /// Remembers the exception that is being handled, for this thread and for all; gives its
    /// status.
    sgemm_status record() noexcept;
    /// This thread's latest failure here, or else any thread's.
    Failure latest() const;

private:
    std::uint64_t id_; ///< unlike an address, never used again
    mutable std::mutex mutex_;
    Failure latest_;
};

/// This thread's latest failure of any kind.
Failure latest_of_thread();

/// Those of calls without a context: of this thread.
Errors& errors_without_context();

/// Runs the body of a C function: what it throws becomes a status.
template <class Body>
sgemm_status guarded(Errors& errors, Body body) noexcept {
    try {
        body();
        return SGEMM_SUCCESS;
    } catch (...) {
        return errors.record();
    }
}

/// Copies a text as the C functions do: cut to `size` bytes with its zero. Gives its whole length.
std::size_t copy_text(const std::string& from, char* to, std::size_t size) noexcept;

} // namespace libsgemm::c_api
