// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "options.hpp"
#include "sgemm/device.hpp"
#include "sgemm/kernels.hpp"

#include <iosfwd>

namespace info {

/// Platforms, devices and traits; with --device, only that device.
void print_devices(const Options& options, std::ostream& out);

/// What the catalogue says of a kernel.
void print_kernel(const libsgemm::KernelInfo& kernel, std::ostream& out);

/// The catalogue; with --device, also what stops each kernel there.
void print_kernels(const Options& options, std::ostream& out);

/// How the problem would be computed on the device.
void print_plan(const Options& options, std::ostream& out);

/// Checks the kernels on the device, and disables those that are wrong there. Whether nothing was.
bool run_self_test(const Options& options, std::ostream& out);

/// The self-test's other side: a process that may hang or crash. The exit status.
int serve_self_test(const Options& options);

} // namespace info
