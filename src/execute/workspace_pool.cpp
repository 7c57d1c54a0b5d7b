// SPDX-License-Identifier: Apache-2.0
#include "execute/workspace_pool.hpp"

#include "device/query.hpp"
#include "device/shortage.hpp"
#include "plan/plan_value.hpp"
#include "sgemm/error.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace libsgemm::execute {
namespace {

constexpr std::size_t counters_bytes = planning::most_counters * sizeof(cl_uint);

/// Negative where it failed, or cannot be had.
cl_int status_of_use(const device::EventHandle& event) {
    return device::get_or<cl_int>(clGetEventInfo, event.get(), CL_EVENT_COMMAND_EXECUTION_STATUS,
                                  -1);
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

/// Whether a call with this wait list begins behind the last use anyway.
bool WorkspacePool::is_over(Slot& slot, const std::vector<cl_event>& wait_list) {
    if (!slot.last_use) {
        return false;
    }
    if (std::find(wait_list.begin(), wait_list.end(), slot.last_use.get()) != wait_list.end()) {
        return true;
    }
    const cl_int status = status_of_use(slot.last_use);
    if (status < CL_COMPLETE) {
        slot.last_use = {}; // other launches of that call may still run
    }
    return status == CL_COMPLETE;
}

/// A buffer that the call need not wait for, if possible one that is large enough. The caller has
/// the lock.
WorkspacePool::Slots::iterator WorkspacePool::find_free(const Request& request) {
    auto best = idle_.end();
    const auto may_stop = [&] { return best != idle_.end() && best->bytes >= request.bytes; };
    const auto look = [&](auto&& is_free) {
        for (auto slot = idle_.begin(); slot != idle_.end() && !may_stop(); ++slot) {
            if ((best == idle_.end() || slot->bytes > best->bytes) && is_free(*slot)) {
                best = slot;
            }
        }
    };
    if (request.in_order) { // first, since nothing is asked of OpenCL
        look([&](const Slot& slot) { return slot.queue.get() == request.queue; });
    }
    look([&](Slot& slot) { return is_over(slot, request.wait_list); });
    return best;
}

/// Of an out-of-order queue that has as many buffers in flight as it may: the one that was enqueued
/// first, if possible one that is large enough. The caller has the lock.
WorkspacePool::Slots::iterator WorkspacePool::find_in_flight(const Request& request) {
    auto first = idle_.end();
    std::size_t count = 0;
    for (auto slot = idle_.begin(); slot != idle_.end(); ++slot) {
        if (slot->queue.get() != request.queue || !slot->last_use) {
            continue;
        }
        ++count;
        if (first == idle_.end() ||
            (first->bytes < request.bytes && slot->bytes >= request.bytes)) {
            first = slot;
        }
    }
    return count < most_in_flight ? idle_.end() : first;
}

WorkspacePool::Slot WorkspacePool::take(const Request& request, bool& needs_event) {
    Slot slot;
    {
        const std::lock_guard lock(mutex_);
        ++calls_;
        auto found = find_free(request);
        const bool is_free = found != idle_.end();
        if (!is_free && !request.in_order) {
            found = find_in_flight(request);
        }
        if (found != idle_.end()) {
            slot = std::move(*found);
            idle_.erase(found);
        }
        if (is_free) {
            slot.last_use = {};
        }
        needs_event = std::any_of(idle_.begin(), idle_.end(), [&](const Slot& other) {
            return other.queue.get() != request.queue;
        });
    }
    if (slot.bytes < request.bytes) {
        slot.buffer = allocate_in_place_of(slot.buffer, request.bytes);
        slot.bytes = request.bytes;
    }
    return slot;
}

/// Where there is no room for both, the outgrown buffer goes first, and all that is idle.
device::BufferHandle WorkspacePool::allocate_in_place_of(device::BufferHandle& outgrown,
                                                         std::size_t bytes) {
    try {
        return allocate(bytes, 0, nullptr);
    } catch (const OpenClError& error) {
        if (!device::is_shortage(error.status())) {
            throw;
        }
    }
    outgrown = {};
    trim();
    return allocate(bytes, 0, nullptr);
}

void WorkspacePool::put(Slot slot) {
    Slots dropped; // outlives the lock: to release a buffer may take time
    const std::lock_guard lock(mutex_);
    slot.call = calls_;
    idle_.push_back(std::move(slot));
    for (auto old = idle_.begin(); old != idle_.end() && old->call + kept_calls < calls_;) {
        if (old->last_use && status_of_use(old->last_use) > CL_COMPLETE) {
            ++old; // it counts among what is in flight
        } else {
            dropped.push_back(std::move(*old));
            old = idle_.erase(old);
        }
    }
}

void WorkspacePool::trim() {
    Slots dropped;
    const std::lock_guard lock(mutex_);
    dropped.swap(idle_);
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

WorkspacePool::Loan::Loan(WorkspacePool& pool, const Request& request)
    : pool_(pool), slot_(pool.take(request, needs_event_)) {
    if (slot_.queue.get() != request.queue) {
        slot_.queue = device::QueueHandle::retained(request.queue);
    }
    if (request.with_counters && !slot_.counters) {
        slot_.counters = pool.allocate_counters();
    }
}

void WorkspacePool::Loan::finish(device::EventHandle last_use) {
    slot_.last_use = std::move(last_use);
    pool_.put(std::move(slot_));
}

} // namespace libsgemm::execute
