// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/opencl.hpp"

#include <array>
#include <cstddef>
#include <functional>
#include <mutex>

namespace sgemm::execute {

/// Lets one thread at a time enqueue into a queue, for drivers that cannot: PoCL's device that computes in the calling
/// thread (3.1) begins a command that waits for the one before while another thread is still enqueuing it, and each
/// then waits for a lock of the other.
class QueueTurns {
public:
    /// Recursive, since commands, and callbacks of their events, may run in the thread that enqueues.
    using Turn = std::unique_lock<std::recursive_mutex>;

    Turn take(cl_command_queue queue) {
        return Turn(
            of_queues_[std::hash<cl_command_queue>()(queue) / alignment % of_queues_.size()]);
    }

private:
    static constexpr std::size_t alignment = 64; ///< about, of what queues point to
    std::array<std::recursive_mutex, 31> of_queues_;
};

} // namespace sgemm::execute
