// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compile/program_cache.hpp"
#include "device/handles.hpp"
#include "plan/plan_value.hpp"
#include "sgemm/device.hpp"
#include "support/log.hpp"

#include <functional>

namespace libsgemm::execute {

/// What plans are built and run on; all of it outlives what is made from it.
struct Runtime {
    const device::ContextHandle& context;
    cl_device_id device;
    const DeviceTraits& traits;
    compile::ProgramCache& programs;
    const support::Log& log;
};

/// Makes a plan's programs, and tries them first where nobody vouches for them. Throws BuildError
/// for those that may not be run.
using Compile = std::function<compile::Programs(const planning::PlanValue&)>;

} // namespace libsgemm::execute
