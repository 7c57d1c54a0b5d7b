// SPDX-License-Identifier: Apache-2.0
#include "doors/c/errors.hpp"

#include "sgemm/error.hpp"

#include <algorithm>
#include <new>

namespace libsgemm::c_api {
namespace {

/// Only the latest failure of each thread is kept: a record per context and thread would grow.
struct OwnFailure {
    std::uint64_t of = 0; ///< id of an Errors
    Failure failure;
};
thread_local OwnFailure own;

std::uint64_t next_id() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

Failure rethrown(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const ArgumentError& e) {
        return {SGEMM_INVALID_ARGUMENT, CL_SUCCESS, e.what()};
    } catch (const UnsupportedError& e) {
        return {SGEMM_UNSUPPORTED, CL_SUCCESS, e.what()};
    } catch (const BuildError& e) {
        return {SGEMM_BUILD_FAILED, CL_SUCCESS, e.what()};
    } catch (const OpenClError& e) {
        return {SGEMM_OPENCL_ERROR, e.status(), e.what()};
    } catch (const ConfigurationError& e) {
        return {SGEMM_CONFIGURATION_ERROR, CL_SUCCESS, e.what()};
    } catch (const std::bad_alloc&) {
        return {SGEMM_OUT_OF_MEMORY, CL_SUCCESS, {}}; // a text would need memory
    } catch (const std::exception& e) {
        return {SGEMM_INTERNAL_ERROR, CL_SUCCESS, e.what()};
    } catch (...) {
        return {SGEMM_INTERNAL_ERROR, CL_SUCCESS, {}};
    }
}

} // namespace

Failure failure_of(const std::exception_ptr& error) noexcept {
    try {
        return rethrown(error);
    } catch (...) { // while copying the text
        return {SGEMM_OUT_OF_MEMORY, CL_SUCCESS, {}};
    }
}

Errors::Errors() : id_(next_id()) {}

sgemm_status Errors::record() noexcept {
    Failure failure = failure_of(std::current_exception());
    const sgemm_status status = failure.status;
    try {
        if (failure.detail.empty()) {
            failure.detail = sgemm_status_string(status);
        }
        own = {id_, failure};
        const std::lock_guard lock(mutex_);
        latest_ = std::move(failure);
    } catch (...) { // NOLINT(bugprone-empty-catch): the status is what counts
    }
    return status;
}

Failure Errors::latest() const {
    if (own.of == id_) {
        return own.failure;
    }
    const std::lock_guard lock(mutex_);
    return latest_;
}

Failure latest_of_thread() {
    return own.failure;
}

Errors& errors_without_context() {
    thread_local Errors errors;
    return errors;
}

std::size_t copy_text(const std::string& from, char* to, std::size_t size) noexcept {
    if (to != nullptr && size > 0) {
        const std::size_t length = std::min(size - 1, from.size());
        std::copy_n(from.data(), length, to);
        to[length] = '\0';
    }
    return from.size();
}

} // namespace libsgemm::c_api

const char* sgemm_status_string(sgemm_status status) {
    switch (status) {
    case SGEMM_SUCCESS:
        return "success";
    case SGEMM_INVALID_ARGUMENT:
        return "invalid argument";
    case SGEMM_UNSUPPORTED:
        return "the forced choice cannot run this problem on this device";
    case SGEMM_BUILD_FAILED:
        return "no kernel could be compiled";
    case SGEMM_OPENCL_ERROR:
        return "an OpenCL call failed";
    case SGEMM_CONFIGURATION_ERROR:
        return "a device table cannot be read";
    case SGEMM_OUT_OF_MEMORY:
        return "out of host memory";
    case SGEMM_INTERNAL_ERROR:
        return "internal error";
    }
    return "unknown status";
}
