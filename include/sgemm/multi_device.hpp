// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/context.hpp"
#include "sgemm/event.hpp"
#include "sgemm/export.hpp"
#include "sgemm/opencl.hpp"
#include "sgemm/problem.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace libsgemm {

namespace detail {
class DeviceGroup;
}

/// What one device computes of a problem: columns of C (rows where C is stored by rows), or whole
/// products of a batch, from number `first` on.
struct DeviceShare {
    std::int64_t first = 0;
    std::int64_t count = 0; ///< 0: the device has nothing to do
    /// Of a device that computes in the calling thread: how many compute there, each a piece.
    int threads = 1;
};

/// One problem on several devices of an OpenCL context: each computes some columns of C at the same
/// time.
///
/// How many columns each gets is planned: the split whose slowest part is predicted to end first,
/// by each device's own table, which may leave devices out. OpenCL lets devices write into one
/// buffer at a time only through sub-buffers, whose starts must be aligned; where no column of C
/// starts so, one device computes all of it.
///
/// A device that computes in the calling thread (calling_thread_device()) gets a problem whole or
/// not at all: small ones, which other threads are predicted to end later, since they have to wake.
/// gemm() then returns when it is computed. Calls that wait for events that are not complete are
/// left to the other devices. Unless ContextOptions (`caller_threads`) say otherwise threads of the
/// library compute there with the caller, each a piece of C in a queue of its own, where that is
/// predicted to be faster and takes up to about a millisecond; one call at a time has them. A
/// process that forks must neither use nor destroy a MultiDevice of before in the child.
///
/// Devices that share memory, such as the sub-devices of a CPU, gain from it. Where a driver moves
/// matrices from device to device at each call the tables say how fast (`sharing_gbs`, the slowest
/// of all devices given); NVIDIA's (580) takes so long that one GPU alone is always faster. There,
/// give each GPU a Context and its part of the matrices.
///
/// All members may be called from any number of threads at once. Copies share one state. One that
/// was moved from can be assigned to or destroyed; all else is an ArgumentError.
class SGEMM_API MultiDevice {
public:
    /// Retains `context`. `devices` are devices, or sub-devices, of it, at least one. Throws as
    /// Context's constructor.
    MultiDevice(cl_context context, const std::vector<cl_device_id>& devices,
                const ContextOptions& options = {});
    MultiDevice(const MultiDevice&) noexcept;
    MultiDevice(MultiDevice&&) noexcept;
    MultiDevice& operator=(const MultiDevice&) noexcept;
    MultiDevice& operator=(MultiDevice&&) noexcept;
    ~MultiDevice();

    /// As Context::gemm(). `queues`: one for each device, in their order. The event is complete
    /// when all devices are done; what follows in the queue of the first device (the first one that
    /// has threads of its own) is behind it, too, also with Completion::in_queue.
    ///
    /// What is computed waits for `wait_list`, and not for what stands in the queues of other
    /// devices, the first one's
    /// included: a call that reads or overwrites what an earlier one, or a copy, has to do with
    /// needs that one's event.
    /// After Completion::in_queue there is none, and only clFinish() of the first device's queue
    /// will do.
    ///
    /// Matrices in shared virtual memory are computed by one device. All parts are planned and
    /// compiled before the first is enqueued: an error of those leaves C as it was.
    Event gemm(const std::vector<cl_command_queue>& queues, const Problem& problem, float alpha,
               const Matrix& a, const Matrix& b, float beta, const Matrix& c,
               const std::vector<cl_event>& wait_list = {},
               Completion completion = Completion::event) const;

    /// How a problem is split whose C starts at that offset and that has nothing to wait for, one
    /// share for each device. Throws ArgumentError.
    std::vector<DeviceShare> shares(const Problem& problem, std::int64_t offset_c = 0) const;

    /// Counts of one device's part, by its number among those given. Throws ArgumentError where
    /// there is none.
    ContextStatistics statistics(std::size_t device) const;

private:
    const detail::DeviceGroup& group() const;

    std::shared_ptr<const detail::DeviceGroup> group_;
};

} // namespace libsgemm
