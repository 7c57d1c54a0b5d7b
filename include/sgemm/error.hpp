// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/export.hpp"
#include "sgemm/opencl.hpp"

#include <stdexcept>
#include <string>

namespace libsgemm {

/// Base of everything the library throws by itself. (std::bad_alloc may also leave a call.)
/// Unless a class below says otherwise nothing was enqueued and C is untouched.
class SGEMM_API Error : public std::runtime_error {
public:
    explicit Error(const std::string& what);
    ~Error() override;
};

/// An argument breaks a rule. `what()` reads "argument: rule (value)".
class SGEMM_API ArgumentError : public Error {
public:
    ArgumentError(std::string argument, std::string value, std::string rule);
    ~ArgumentError() override;
    const std::string& argument() const noexcept { return argument_; } ///< e.g. "lda"
    const std::string& value() const noexcept { return value_; }       ///< what was given, e.g. "3"
    const std::string& rule() const noexcept { return rule_; }         ///< what must hold

private:
    std::string argument_, value_, rule_;
};

/// A forced kernel, edge strategy or set of parameters cannot run this problem on this device.
/// `what()` lists the reasons.
class SGEMM_API UnsupportedError : public Error {
public:
    explicit UnsupportedError(const std::string& what);
    ~UnsupportedError() override;
};

/// A kernel did not build on the device and no other candidate was allowed or left.
class SGEMM_API BuildError : public Error {
public:
    BuildError(std::string kernel, std::string log);
    ~BuildError() override;
    const std::string& kernel() const noexcept { return kernel_; }
    const std::string& build_log() const noexcept { return log_; }

private:
    std::string kernel_, log_;
};

/// An OpenCL call failed. If it failed while a plan was being enqueued, C's contents are undefined
/// once the queue has finished.
class SGEMM_API OpenClError : public Error {
public:
    OpenClError(std::string call, cl_int status);
    ~OpenClError() override;
    const std::string& call() const noexcept { return call_; } ///< e.g. "clCreateBuffer"
    cl_int status() const noexcept { return status_; }         ///< e.g. CL_OUT_OF_RESOURCES

private:
    std::string call_;
    cl_int status_;
};

/// A device table cannot be read or understood; names file, line and key.
class SGEMM_API ConfigurationError : public Error {
public:
    explicit ConfigurationError(const std::string& what);
    ~ConfigurationError() override;
};

/// The symbolic name of an OpenCL status, e.g. "CL_OUT_OF_RESOURCES"; "unknown OpenCL status" else.
SGEMM_API const char* opencl_status_name(cl_int status) noexcept;

} // namespace libsgemm
