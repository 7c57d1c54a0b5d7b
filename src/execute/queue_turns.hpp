// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/opencl.hpp"

#include <utility>

namespace libsgemm::execute {

/// One thread at a time enqueues into a queue, for drivers that cannot take more: PoCL's device
/// that computes in the calling thread (3.1) begins a command that waits for the one before while
/// another thread is still enqueuing it, and each then waits for a lock of the other. Whichever
/// Context asks; threads with other queues go on meanwhile. A thread may take a lock that it has,
/// since callbacks of events may run in the thread that enqueues.
class QueueTurn {
public:
    QueueTurn() noexcept = default; ///< none
    /// Waits for it.
    explicit QueueTurn(cl_command_queue queue);
    QueueTurn(QueueTurn&& other) noexcept : of_queue_(std::exchange(other.of_queue_, nullptr)) {}
    ~QueueTurn();
    QueueTurn(const QueueTurn&) = delete;
    QueueTurn& operator=(const QueueTurn&) = delete;
    QueueTurn& operator=(QueueTurn&&) = delete;

private:
    struct OfQueue;
    struct All;
    static All& all();

    OfQueue* of_queue_ = nullptr;
};

} // namespace libsgemm::execute
