// SPDX-License-Identifier: Apache-2.0
#include "execute/workspace_pool.hpp"

#include "device/query.hpp"
#include "plan/plan_value.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace sgemm::execute {
namespace {

/// Buffers that wait in the pool. More would let more queues overlap, at the price of memory.
constexpr std::size_t max_idle = 4;

constexpr std::size_t counters_bytes = planning::most_counters * sizeof(cl_uint);

/// Whether nothing enqueued uses the buffer any more (a failed command counts as ended).
bool is_complete(const device::EventHandle& event) {
    return device::status_of(event) <= CL_COMPLETE;
}

void flush(cl_command_queue queue) {
    device::check(clFlush(queue), "clFlush");
}

/// An event behind all that is in an in-order queue, on its way. Null if the queue refuses.
device::EventHandle end_of(cl_command_queue queue) {
    cl_event event = nullptr;
    const cl_int status = clEnqueueMarkerWithWaitList(queue, 0, nullptr, &event);
    device::EventHandle end(status == CL_SUCCESS ? event : nullptr);
    return end && clFlush(queue) == CL_SUCCESS ? end : device::EventHandle();
}

} // namespace

WorkspacePool::WorkspacePool(device::ContextHandle context) : context_(std::move(context)) {}

device::BufferHandle WorkspacePool::allocate(std::size_t bytes, cl_mem_flags flags, void* host) {
    cl_int status = CL_SUCCESS;
    device::BufferHandle buffer(
        clCreateBuffer(context_.get(), CL_MEM_READ_WRITE | flags, bytes, host, &status));
    device::check(status, "clCreateBuffer");
    const std::lock_guard lock(mutex_);
    ++allocations_;
    return buffer;
}

device::BufferHandle WorkspacePool::allocate_counters() {
    std::vector<cl_uint> zeros(planning::most_counters);
    return allocate(counters_bytes, CL_MEM_COPY_HOST_PTR, zeros.data());
}

/// Asks the queues of calls without an event for one; drops buffers of queues that refuse. The caller has the lock.
void WorkspacePool::mark_ends() {
    for (Slot& slot : idle_) {
        if (slot.has_no_event) {
            slot.last_use = end_of(slot.queue.get());
            slot.is_marker = true;
            slot.has_no_event = !slot.last_use;
        }
    }
    std::erase_if(idle_, [](const Slot& slot) { return slot.has_no_event; });
}

/// The caller has the lock.
std::vector<WorkspacePool::Slot>::iterator
WorkspacePool::find_for(std::size_t bytes, cl_command_queue queue, bool in_order) {
    const auto fits = [&](const Slot& slot) { return slot.bytes >= bytes; };
    auto found = std::find_if(idle_.begin(), idle_.end(), [&](const Slot& slot) {
        return in_order && fits(slot) && slot.queue.get() == queue;
    });
    if (found != idle_.end()) {
        return found;
    }
    mark_ends();
    found = std::find_if(idle_.begin(), idle_.end(), [&](const Slot& slot) {
        return fits(slot) && is_complete(slot.last_use);
    });
    return found == idle_.end() && idle_.size() >= max_idle
               ? std::find_if(idle_.begin(), idle_.end(),
                              [&](const Slot& slot) { return fits(slot) && !slot.is_marker; })
               : found;
}

WorkspacePool::Slot WorkspacePool::take(std::size_t bytes, cl_command_queue queue, bool in_order) {
    {
        const std::lock_guard lock(mutex_);
        const auto found = find_for(bytes, queue, in_order);
        if (found != idle_.end()) {
            Slot slot = std::move(*found);
            idle_.erase(found);
            if (in_order && slot.queue.get() == queue) {
                // An in-order queue waits by itself; asking for the event's state would cost the host a call.
                slot.last_use = {};
                slot.has_no_event = slot.is_marker = false;
                return slot;
            }
            const cl_int status = device::status_of(slot.last_use);
            // Who knows what they hold? A marker does not say whether what is before it failed.
            if (status < CL_COMPLETE || slot.is_marker) {
                slot.counters = {};
            }
            slot.is_marker = false;
            if (status <= CL_COMPLETE) {
                slot.last_use = {};
            } else if (slot.queue.get() != queue) {
                flush(slot.queue.get()); // else an event of another queue may not be waited for
            }
            return slot;
        }
    }
    Slot slot;
    slot.buffer = allocate(bytes, 0, nullptr);
    slot.bytes = bytes;
    return slot;
}

void WorkspacePool::put(Slot slot) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(slot));
    if (idle_.size() > max_idle) {
        // The smallest is the least useful. OpenCL keeps its memory until its last kernel is done.
        idle_.erase(std::min_element(idle_.begin(), idle_.end(), [](const Slot& x, const Slot& y) {
            return x.bytes < y.bytes;
        }));
    }
}

void WorkspacePool::trim() {
    const std::lock_guard lock(mutex_);
    std::erase_if(idle_,
                  [](const Slot& slot) { return slot.has_no_event || is_complete(slot.last_use); });
}

std::uint64_t WorkspacePool::allocations() const {
    const std::lock_guard lock(mutex_);
    return allocations_;
}

std::size_t WorkspacePool::bytes() const {
    const std::lock_guard lock(mutex_);
    return std::accumulate(idle_.begin(), idle_.end(), std::size_t{0},
                           [](std::size_t sum, const Slot& slot) {
                               return sum + slot.bytes + (slot.counters ? counters_bytes : 0);
                           });
}

WorkspacePool::Loan::Loan(WorkspacePool& pool, std::size_t bytes, cl_command_queue queue,
                          bool in_order, bool with_counters)
    : pool_(pool), slot_(pool.take(bytes, queue, in_order)) {
    if (slot_.queue.get() != queue) {
        slot_.queue = device::QueueHandle::retained(queue);
    }
    if (with_counters && !slot_.counters) {
        slot_.counters = pool.allocate_counters();
    }
}

void WorkspacePool::Loan::finish(device::EventHandle last_use) {
    slot_.has_no_event = !last_use;
    slot_.last_use = std::move(last_use);
    pool_.put(std::move(slot_));
}

} // namespace sgemm::execute
