// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/export.hpp"
#include "sgemm/opencl.hpp"

namespace sgemm {

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
    /// Blocks until the work is complete. Throws OpenClError if it failed.
    void wait() const;

private:
    cl_event event_ = nullptr;
};

} // namespace sgemm
