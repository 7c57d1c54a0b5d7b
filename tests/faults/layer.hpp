// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/opencl.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace sgemm_test {

/// A layer between the library and OpenCL. The program defines OpenCL's entry points itself: each
/// counts, fails if it is its turn, or passes on. What a driver calls inside of a call is its own
/// affair.
///
/// A call that fails does nothing and returns CL_OUT_OF_RESOURCES.

/// The n-th call of that entry point from now on fails, n = 1, 2, ...; only that one.
void fail_call(const std::string& entry_point, int n);
/// No call fails any more. Whether the one that was to fail has been made.
bool stop_failing();

/// References to OpenCL objects that calls have taken (created, retained, got as events) less those
/// that were released, by type; without zeros.
using Balance = std::map<std::string, std::int64_t>;
Balance balance();

/// Kernels that were enqueued so far.
std::uint64_t kernels_enqueued();
/// Those of them that did not pass an detail::LaunchGate.
std::uint64_t kernels_outside_a_gate();
/// Kernels and markers in this queue so far.
std::uint64_t commands_in(cl_command_queue queue);
/// Whether one of them has not been flushed.
bool has_unflushed_commands(cl_command_queue queue);
/// Events in wait lists whose command was in another queue, and that not flushed.
std::uint64_t unflushed_waits();
/// Events that are gone have addresses that new ones may get: to be called before those are made.
void forget_waits();
/// Whether a kernel or marker had this event in its wait list, since then.
bool is_waited_for(cl_event event);
/// From now on clGetEventInfo() says that the event's command failed; null: of none.
void report_as_failed(cl_event event);

} // namespace sgemm_test
