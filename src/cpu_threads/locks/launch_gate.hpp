// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>

namespace libsgemm::detail {

/// Lets launches of one kernel into PoCL's device that computes in the calling thread, from several
/// threads at a time.
///
/// PoCL (3.1 to 5.0) loads a kernel again for a launch that is wider than all before, and gives
/// back whichever of its copies it used last: where two threads use two of them, its assertion ends
/// the process (pocl_release_dlhandle_cache(); since 6.0 it gives back the right one). It uses the
/// last one that is wide enough, so that all launches use the widest once it is there. A launch
/// that is wider than all before goes alone.
class LaunchGate {
public:
    /// Which copies of a kernel there can be: what its program is made of, and the size of its
    /// work-groups.
    struct Kernel {
        std::uint64_t program = 0;
        std::array<std::size_t, 3> local{};
        bool operator<(const Kernel& other) const {
            return std::tie(program, local) < std::tie(other.program, other.local);
        }
    };

    /// Waits until the launch may begin, and lets it end. A launch below another one in the same
    /// thread, as of a callback, waits for nothing.
    LaunchGate(const Kernel& kernel, const std::array<std::size_t, 3>& global);
    ~LaunchGate();
    /// Whether this thread is within one: what a driver of such a device may count on.
    static bool is_held_by_this_thread() noexcept;
    LaunchGate(const LaunchGate&) = delete;
    LaunchGate& operator=(const LaunchGate&) = delete;

private:
    struct State;
    struct Gates;
    static Gates& gates();

    State* state_ = nullptr;
    std::size_t width_;
    bool is_alone_ = false;
};

} // namespace libsgemm::detail
