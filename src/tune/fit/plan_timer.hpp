// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compile/program_cache.hpp"
#include "device/handles.hpp"
#include "execute/workspace_pool.hpp"
#include "judge/shape.hpp"
#include "plan/plan_value.hpp"
#include "sgemm/device.hpp"
#include "support/log.hpp"
#include "tables/device_table.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace libsgemm::tune {

/// A plan with its programs.
struct BuiltPlan {
    planning::PlanValue plan;
    std::vector<std::shared_ptr<const compile::Program>> programs;
};

/// Seconds of one execution.
struct RunTime {
    double device = 0; ///< from the first step's start to the last one's end
    double wall = 0;   ///< from before enqueueing until the host knows
};

/// Builds plans and times them on one device, on operands with random contents.
///
/// build() may be called from several threads, run() from one at a time.
class PlanTimer {
public:
    /// Throws OpenClError.
    explicit PlanTimer(const DeviceHandle& device);

    const DeviceTraits& traits() const { return traits_; }

    /// Makes room for a shape's operands. Throws OpenClError.
    void require(const judge::Shape& shape);

    /// Throws BuildError (also for a kernel whose registers do not allow its work-groups).
    BuiltPlan build(const planning::PlanValue& plan);
    /// Builds one program, for the sake of the compiler's cache. Throws BuildError.
    void build_program(const planning::KernelBuild& build) { programs_.get(build); }
    /// alpha = 1, beta = 0. Throws OpenClError.
    RunTime run(const BuiltPlan& built);

    /// What a launch takes here, and the bandwidth; all else as given. Throws Error.
    tables::MachineModel probe(const tables::MachineModel& machine);

private:
    struct Buffer {
        device::BufferHandle handle;
        std::int64_t elements = 0;
    };
    void grow(Buffer& buffer, std::int64_t elements);

    DeviceTraits traits_;
    cl_device_id device_;
    support::Log log_;
    device::ContextHandle context_;
    device::QueueHandle queue_;
    compile::ProgramCache programs_;
    execute::WorkspacePool pool_;
    Buffer a_, b_, c_;
};

} // namespace libsgemm::tune
