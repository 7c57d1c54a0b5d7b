// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "options.hpp"
#include "sgemm/device.hpp"

#include <iosfwd>

namespace info {

/// Platforms, devices and traits; with --device, only that device.
void print_devices(const Options& options, std::ostream& out);

/// The catalogue; with --device, also what stops each kernel there.
void print_kernels(const Options& options, std::ostream& out);

/// How the problem would be computed on the device.
void print_plan(const Options& options, std::ostream& out);

} // namespace info
