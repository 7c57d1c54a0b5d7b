// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/handles.hpp"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace sgemm::execute {

/// Device buffers for the passes of calls, reused without waiting on the host.
///
/// A buffer goes back to the pool as soon as a call is enqueued, together with the event that ends
/// its use. Whoever gets it next either finds the event complete or puts it in front of his first
/// kernels: the device waits, the host never does. An in-order queue gets its own last buffer first
/// and needs no event for that; else a few buffers allow overlap between calls and queues. Where a call in an
/// in-order queue made no event, others have the pool put a marker into that queue to learn when its buffer is free.
/// Nobody waits for a marker, which is behind whatever came later: meanwhile there are other buffers, or new ones.
class WorkspacePool {
public:
    explicit WorkspacePool(device::ContextHandle context);

    /// A buffer on loan. Destroyed without finish() it is dropped, not reused: nobody knows what
    /// still runs on it.
    class Loan {
    public:
        Loan(WorkspacePool& pool, std::size_t bytes, cl_command_queue queue, bool in_order,
             bool with_counters);
        ~Loan() = default;
        Loan(const Loan&) = delete;
        Loan& operator=(const Loan&) = delete;

        cl_mem buffer() const noexcept { return slot_.buffer.get(); }
        /// planning::most_counters of 32 bits, all zero: each launch leaves them so. Null unless asked for.
        cl_mem counters() const noexcept { return slot_.counters.get(); }
        /// What must complete before the buffer may be written; null if nothing.
        cl_event busy_until() const noexcept { return slot_.last_use.get(); }
        /// Returns the buffer: its use ends with `last_use`; null, of an in-order queue alone: with what is in the queue by
        /// now.
        void finish(device::EventHandle last_use);

    private:
        friend class WorkspacePool;
        struct Slot {
            device::BufferHandle buffer;
            device::BufferHandle counters; ///< from the first call on that needs them
            std::size_t bytes = 0;
            device::QueueHandle queue;    ///< of the last use
            device::EventHandle last_use; ///< null where that is over
            bool has_no_event = false;    ///< it is not over, as far as is known, and has none yet
            bool is_marker = false;       ///< `last_use` is not the event of a call
        };
        WorkspacePool& pool_;
        Slot slot_;
    };

    /// Drops buffers that nothing uses any more, and those of calls without an event: OpenCL keeps these as long as it has to.
    void trim();

    std::uint64_t allocations() const;
    std::size_t bytes() const;

private:
    using Slot = Loan::Slot;

    Slot take(std::size_t bytes, cl_command_queue queue, bool in_order);
    std::vector<Slot>::iterator find_for(std::size_t bytes, cl_command_queue queue, bool in_order);
    void mark_ends();
    device::BufferHandle allocate(std::size_t bytes, cl_mem_flags flags, void* host);
    device::BufferHandle allocate_counters();
    void put(Slot slot);

    device::ContextHandle context_;
    mutable std::mutex mutex_;
    std::vector<Slot> idle_; ///< least recently used first
    std::uint64_t allocations_ = 0;
};

} // namespace sgemm::execute
