// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/export.hpp"
#include "sgemm/opencl.hpp"

#include <cstdint>

namespace libsgemm {

/// How the end of a call is to be known.
enum class Completion : std::uint8_t {
    event, ///< by the event that the call returns
    /// By the queue: in an in-order queue what comes behind the call waits for it anyhow, and so
    /// does clFinish(); in an out-of-order queue clFinish() and barriers alone do. The call returns
    /// an Event without a cl_event, and costs its caller less: 1.5 us with NVIDIA's driver. Whether
    /// a kernel failed on the device is then not to be known from it.
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
    /// Blocks until the work is complete; at once where there is no event. Throws OpenClError if it
    /// failed.
    void wait() const;

private:
    cl_event event_ = nullptr;
};

} // namespace libsgemm
