// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/export.hpp"
#include "sgemm/opencl.hpp"

#include <cstdint>

namespace sgemm {

/// How the end of a call is to be known.
enum class Completion : std::uint8_t {
    event, ///< by the event that the call returns
    /// By the queue: what comes behind the call in an in-order queue, and clFinish(), wait for it anyhow. The call
    /// returns an Event without a cl_event and saves its host that event: 1.5 us with NVIDIA's driver.
    in_queue,
};

/// Owns one reference to a cl_event. Copies retain, destruction releases. Distinct objects may be
/// used from distinct threads.
class SGEMM_API Event {
public:
    Event() noexcept = default;
    explicit Event(cl_event owned) noexcept : event_(owned) {} ///< takes over the reference
    Event(const Event& other);                                 ///< throws OpenClError
    Event(Event&& other) noexcept : event_(other.release()) {}
    Event& operator=(Event other) noexcept;
    ~Event();

    cl_event get() const noexcept { return event_; }
    /// Gives the reference to the caller, who then calls clReleaseEvent.
    cl_event release() noexcept;
    /// Blocks until the work is complete; at once where there is no event. Throws OpenClError if it failed.
    void wait() const;

private:
    cl_event event_ = nullptr;
};

} // namespace sgemm
