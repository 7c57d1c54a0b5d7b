// SPDX-License-Identifier: Apache-2.0
#include "sgemm/event.hpp"

#include "device/handles.hpp"

#include <utility>

namespace libsgemm {

Event::Event(const Event& other) {
    if (other.event_ != nullptr) {
        device::check(clRetainEvent(other.event_), "clRetainEvent");
        event_ = other.event_;
    }
}

Event& Event::operator=(Event other) noexcept {
    std::swap(event_, other.event_);
    return *this;
}

Event::~Event() {
    if (event_ != nullptr) {
        clReleaseEvent(event_);
    }
}

cl_event Event::release() noexcept {
    return std::exchange(event_, nullptr);
}

void Event::wait() const {
    if (event_ != nullptr) {
        device::check(clWaitForEvents(1, &event_), "clWaitForEvents");
    }
}

} // namespace libsgemm
