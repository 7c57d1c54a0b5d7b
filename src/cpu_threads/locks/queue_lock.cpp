// SPDX-License-Identifier: Apache-2.0
#include "cpu_threads/locks/queue_lock.hpp"

#include "cpu_threads/locks/spin.hpp"

#include <algorithm>
#include <list>
#include <mutex>

namespace libsgemm::detail {

struct QueueLock::OfQueue {
    cl_command_queue queue = nullptr;
    int threads = 0; ///< that have the lock or wait for it; 0: free for another queue
    std::recursive_mutex mutex;
};

/// As many as locks were ever held at a time.
struct QueueLock::All {
    SpinLock lock; ///< for less than a microsecond
    std::list<OfQueue> queues;
};

QueueLock::All& QueueLock::all() {
    static auto* const instance = new All(); // for threads that outlive static objects
    return *instance;
}

QueueLock::QueueLock(cl_command_queue queue) {
    {
        All& turns = all();
        const std::lock_guard lock(turns.lock);
        const auto find = [&](auto&& is_right) {
            return std::find_if(turns.queues.begin(), turns.queues.end(), is_right);
        };
        auto found =
            find([&](const OfQueue& one) { return one.threads > 0 && one.queue == queue; });
        if (found == turns.queues.end()) {
            found = find([](const OfQueue& one) { return one.threads == 0; });
        }
        if (found == turns.queues.end()) {
            found = turns.queues.emplace(found);
        }
        found->queue = queue;
        ++found->threads;
        of_queue_ = &*found;
    }
    of_queue_->mutex.lock();
}

QueueLock::~QueueLock() {
    if (of_queue_ == nullptr) {
        return;
    }
    of_queue_->mutex.unlock();
    const std::lock_guard lock(all().lock);
    --of_queue_->threads;
}

} // namespace libsgemm::detail
