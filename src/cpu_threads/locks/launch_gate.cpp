// SPDX-License-Identifier: Apache-2.0
#include "cpu_threads/locks/launch_gate.hpp"

#include "cpu_threads/locks/spin.hpp"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>

namespace libsgemm::detail {
namespace {

/// PoCL keeps 128 copies, of whichever kernels were used last.
constexpr std::uint64_t kept = 64;

thread_local int inside_this_thread = 0;

} // namespace

struct LaunchGate::State {
    std::size_t widest = 0; ///< that a copy of the kernel is known to be for
    int inside = 0;
    bool is_taken = false;  ///< by a launch that goes alone
    std::uint64_t last = 0; ///< `loaded` at the last launch
};

/// Of the process, as PoCL's copies are.
struct LaunchGate::Gates {
    SpinLock lock; ///< of all of this, for less than a microsecond
    std::condition_variable_any left;
    int waiting = 0;
    std::map<Kernel, State> states;
    std::uint64_t loaded = 0; ///< launches that went alone
};

LaunchGate::Gates& LaunchGate::gates() {
    static auto* const all = new Gates(); // for threads that outlive static objects
    return *all;
}

LaunchGate::LaunchGate(const Kernel& kernel, const std::array<std::size_t, 3>& global)
    : width_(std::max(global[0], global[1])) {
    Gates& all = gates();
    std::unique_lock lock(all.lock);
    State& state = all.states[kernel];
    state_ = &state;
    const auto is_wide_enough = [&] {
        return width_ <= state.widest && all.loaded - state.last < kept;
    };
    const auto may_begin = [&] {
        return inside_this_thread > 0 ||
               (!state.is_taken && (state.inside == 0 || is_wide_enough()));
    };
    if (!may_begin()) {
        ++all.waiting;
        all.left.wait(lock, may_begin);
        --all.waiting;
    }
    is_alone_ = inside_this_thread == 0 && !is_wide_enough();
    state.is_taken = state.is_taken || is_alone_;
    ++state.inside;
    ++inside_this_thread;
}

bool LaunchGate::is_held_by_this_thread() noexcept {
    return inside_this_thread > 0;
}

LaunchGate::~LaunchGate() {
    Gates& all = gates();
    bool is_awaited = false;
    {
        const std::lock_guard lock(all.lock);
        --inside_this_thread;
        --state_->inside;
        if (is_alone_) {
            state_->is_taken = false;
            state_->widest = width_;
            ++all.loaded;
        }
        state_->last = all.loaded;
        is_awaited = all.waiting > 0;
    }
    if (is_awaited) {
        all.left.notify_all();
    }
}

} // namespace libsgemm::detail
