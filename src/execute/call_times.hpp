// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/handles.hpp"
#include "plan/plan_value.hpp"

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

namespace libsgemm::execute {

/// Times of traced calls, pass by pass, as the device's profiling events tell them. A call only
/// enqueues, so its times are there later: whoever asks next gets those of the calls that have
/// completed since. Never waits. Thread-safe.
class CallTimes {
public:
    /// Whether a queue's events tell times.
    static bool are_told_by(cl_command_queue queue);

    /// A call and the events of its steps, in order.
    void add(std::uint64_t call, const planning::PlanValue& plan,
             std::vector<device::EventHandle> events);

    /// A line for each call that has completed or failed since the last time, in the order of
    /// add().
    std::vector<std::string> take_completed();
    /// Those that have not, at the end.
    std::size_t pending() const;

private:
    struct Pass {
        std::string name; ///< "pre-pass transpose"
        device::EventHandle event;
    };
    struct Pending {
        std::uint64_t call = 0;
        double predicted_seconds = 0;
        std::vector<Pass> passes;
    };
    static std::string text_of(const Pending& pending);

    mutable std::mutex mutex_;
    std::deque<Pending> pending_;
};

} // namespace libsgemm::execute
