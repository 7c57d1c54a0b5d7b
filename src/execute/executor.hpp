// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compile/program.hpp"
#include "device/handles.hpp"
#include "execute/workspace_pool.hpp"
#include "plan/plan_value.hpp"
#include "problem/operands.hpp"
#include "sgemm/event.hpp"

#include <memory>
#include <vector>

namespace libsgemm::execute {

/// Enqueues a plan's steps and returns the event of the last one, if the call asks for one; its
/// matrices are those of the canonical problem.
/// `programs` holds one program per step, and says whether launches compute in the calling thread:
/// these pass a LaunchGate. Where `step_events` is given it gets the events of all steps, in order:
/// for measurements. Throws OpenClError; steps that were enqueued before then still run.
Event execute(const planning::PlanValue& plan,
              const std::vector<std::shared_ptr<const compile::Program>>& programs,
              const validate::CallArguments& call, WorkspacePool& pool,
              std::vector<device::EventHandle>* step_events = nullptr);

/// Throws OpenClError.
bool is_out_of_order(cl_command_queue queue);

/// For calls that have nothing to do: what follows in order, and the event, wait for the wait list.
Event enqueue_nothing(cl_command_queue queue, const std::vector<cl_event>& wait_list,
                      Completion completion);

} // namespace libsgemm::execute
