// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/handles.hpp"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace libsgemm::execute {

/// Device buffers for the passes of calls, reused without waiting on the host. Thread-safe.
///
/// A buffer goes back to the pool as soon as a call is enqueued. The next call gets it only where
/// it has to wait for nothing that it would not wait for anyway: the buffer's last use is complete,
/// or stands before the call in the same in-order queue, or its event is in the call's wait list.
/// Else the call gets another buffer. So no call waits for an unrelated one, or fails with it. (One
/// exception bounds memory: see most_in_flight.)
///
/// The end of a use is known by its event. While one in-order queue alone takes workspace none is
/// needed; as soon as buffers of another queue are here, uses end with events.
///
/// The pool grows with what is in flight. It gives back what is free and was not used by the last
/// `kept_calls` calls, and all of it where the device has no room for more.
class WorkspacePool {
public:
    /// A free buffer is kept for so many calls with workspace.
    static constexpr std::uint64_t kept_calls = 64;
    /// Buffers that calls of one out-of-order queue hold at a time. Further calls go behind the use
    /// of the same queue that was enqueued first, wherever the program's events would let them go:
    /// programs that enqueue without end must not run out of memory.
    static constexpr std::size_t most_in_flight = 16;

    /// What a call needs.
    struct Request {
        std::size_t bytes = 0;
        bool with_counters = false;
        cl_command_queue queue = nullptr;
        bool in_order = true; ///< the queue
        const std::vector<cl_event>& wait_list;
    };

    explicit WorkspacePool(device::ContextHandle context);

    /// A buffer on loan. Destroyed without finish() it is dropped, not reused: nobody knows what
    /// still runs on it.
    class Loan {
    public:
        /// Throws OpenClError.
        Loan(WorkspacePool& pool, const Request& request);
        ~Loan() = default;
        Loan(const Loan&) = delete;
        Loan& operator=(const Loan&) = delete;

        cl_mem buffer() const noexcept { return slot_.buffer.get(); }
        /// planning::most_counters of 32 bits, all zero: each launch leaves them so. Null unless
        /// asked for.
        cl_mem counters() const noexcept { return slot_.counters.get(); }
        /// What must complete before the buffer may be written, beside the wait list; null if
        /// nothing. Of the same queue.
        cl_event busy_until() const noexcept { return slot_.last_use.get(); }
        /// Whether finish() is to be told an event.
        bool needs_event() const noexcept { return needs_event_; }
        /// Returns the buffer: its use ends with `last_use`; null, of an in-order queue alone: with
        /// what is in the queue by now.
        void finish(device::EventHandle last_use);

    private:
        friend class WorkspacePool;
        struct Slot {
            device::BufferHandle buffer;
            device::BufferHandle counters; ///< from the first call on that needs them
            std::size_t bytes = 0;
            device::QueueHandle queue;    ///< of the last use
            device::EventHandle last_use; ///< null: only an in-order queue knows when that ends
            std::uint64_t call = 0;       ///< the pool's count at the last use
        };
        WorkspacePool& pool_;
        bool needs_event_ = false;
        Slot slot_;
    };

    /// Drops all buffers that are not on loan. OpenCL keeps those that are in use as long as it has
    /// to.
    void trim();

    std::uint64_t allocations() const;
    std::size_t bytes() const; ///< of buffers that are not on loan

private:
    using Slot = Loan::Slot;
    using Slots = std::vector<Slot>;

    static bool is_over(Slot& slot, const std::vector<cl_event>& wait_list);
    Slot take(const Request& request, bool& needs_event);
    Slots::iterator find_free(const Request& request);
    Slots::iterator find_in_flight(const Request& request);
    void put(Slot slot);
    device::BufferHandle allocate(std::size_t bytes, cl_mem_flags flags, void* host);
    device::BufferHandle allocate_in_place_of(device::BufferHandle& outgrown, std::size_t bytes);
    device::BufferHandle allocate_counters();

    device::ContextHandle context_;
    mutable std::mutex mutex_;
    Slots idle_; ///< in the order of their last uses
    std::uint64_t calls_ = 0;
    std::uint64_t allocations_ = 0;
};

} // namespace libsgemm::execute
