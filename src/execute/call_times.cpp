// SPDX-License-Identifier: Apache-2.0
#include "execute/call_times.hpp"

#include "device/profiling.hpp"
#include "plan/describe.hpp"
#include "sgemm/error.hpp"
#include "support/text.hpp"

#include <algorithm>
#include <utility>

namespace libsgemm::execute {
namespace {

/// Events that a program never completes must not pile up.
constexpr std::size_t most_pending = 256;

} // namespace

bool CallTimes::are_told_by(cl_command_queue queue) {
    const auto properties = device::get_or<cl_command_queue_properties>(
        clGetCommandQueueInfo, queue, CL_QUEUE_PROPERTIES, 0);
    return (properties & CL_QUEUE_PROFILING_ENABLE) != 0;
}

void CallTimes::add(std::uint64_t call, const planning::PlanValue& plan,
                    std::vector<device::EventHandle> events) {
    Pending pending{call, plan.predicted_seconds, {}};
    for (std::size_t i = 0; i < events.size(); ++i) {
        const planning::Step& step = plan.steps[i];
        pending.passes.push_back({std::string(planning::name_of(step.kind)) + " " + step.build.name,
                                  std::move(events[i])});
    }
    const std::lock_guard lock(mutex_);
    pending_.push_back(std::move(pending));
    if (pending_.size() > most_pending) {
        pending_.pop_front();
    }
}

std::string CallTimes::text_of(const Pending& pending) {
    const std::string call = "call " + std::to_string(pending.call);
    for (const Pass& pass : pending.passes) {
        if (const cl_int status = device::status_of(pass.event); status < 0) {
            return call + " failed while it ran: " + pass.name + ", " + opencl_status_name(status);
        }
    }
    try {
        device::Span whole{~cl_ulong{0}, 0};
        std::string passes;
        for (const Pass& pass : pending.passes) {
            const device::Span span = device::span_of(pass.event.get());
            whole = {std::min(whole.start, span.start), std::max(whole.end, span.end)};
            passes += (passes.empty() ? ": " : "; ") + pass.name + " " +
                      support::format_seconds(span.seconds());
        }
        return call + " took " + support::format_seconds(whole.seconds()) + " (predicted " +
               support::format_seconds(pending.predicted_seconds) + ")" + passes;
    } catch (const OpenClError& error) {
        return call + " completed, but its times cannot be had: " + error.what();
    }
}

std::vector<std::string> CallTimes::take_completed() {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> lines;
    std::deque<Pending> rest;
    for (Pending& pending : pending_) {
        const bool done =
            std::all_of(pending.passes.begin(), pending.passes.end(), [](const Pass& pass) {
                return device::status_of(pass.event) <= CL_COMPLETE;
            });
        if (done) {
            lines.push_back(text_of(pending));
        } else {
            rest.push_back(std::move(pending));
        }
    }
    pending_ = std::move(rest);
    return lines;
}

std::size_t CallTimes::pending() const {
    const std::lock_guard lock(mutex_);
    return pending_.size();
}

} // namespace libsgemm::execute
