// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/opencl.hpp"

#include <utility>

namespace libsgemm::detail {

/// Lets one thread at a time enqueue into a queue, for drivers that cannot take more: PoCL's device
/// that computes in the calling thread (3.1) begins a command that waits for the one before while
/// another thread is still enqueuing it, and each then waits for a lock of the other. Whichever
/// Context asks; threads with other queues go on meanwhile. A thread may take a lock that it has,
/// since callbacks of events may run in the thread that enqueues.
class QueueLock {
public:
    QueueLock() noexcept = default; ///< none
    /// Waits for it.
    explicit QueueLock(cl_command_queue queue);
    QueueLock(QueueLock&& other) noexcept : of_queue_(std::exchange(other.of_queue_, nullptr)) {}
    ~QueueLock();
    QueueLock(const QueueLock&) = delete;
    QueueLock& operator=(const QueueLock&) = delete;
    QueueLock& operator=(QueueLock&&) = delete;

private:
    struct OfQueue;
    struct All;
    static All& all();

    OfQueue* of_queue_ = nullptr;
};

} // namespace libsgemm::detail
