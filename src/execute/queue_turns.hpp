// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/opencl.hpp"

#include <array>
#include <cstddef>
#include <functional>
#include <mutex>

namespace sgemm::execute {

/// One thread at a time enqueues products into a queue, for drivers that cannot take more: PoCL's device that computes in
/// the calling thread (3.1) begins a command that waits for the one before while another thread is still enqueuing it,
/// and each then waits for a lock of the other. Recursive, since callbacks of events may run in the thread that enqueues.
using QueueTurn = std::unique_lock<std::recursive_mutex>;

/// The turn of a queue, whichever Context asks.
inline QueueTurn take_turn(cl_command_queue queue) {
    constexpr std::size_t alignment = 64; // about, of what queues point to
    static std::array<std::recursive_mutex, 31> of_queues;
    return QueueTurn(
        of_queues[std::hash<cl_command_queue>()(queue) / alignment % of_queues.size()]);
}

} // namespace sgemm::execute
