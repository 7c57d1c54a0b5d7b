// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/export.hpp"
#include "sgemm/opencl.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace libsgemm {

enum class DeviceType : std::uint8_t { cpu, gpu, accelerator, other };

/// What planning knows of a device: a plain value, read once with query_traits(), or made up by
/// hand to plan for a device that is not there.
struct DeviceTraits {
    std::string name;         ///< CL_DEVICE_NAME
    std::string vendor;       ///< CL_DEVICE_VENDOR, as reported
    std::string vendor_key;   ///< "nvidia", "amd", "intel", "arm", "qualcomm", "apple" or "other"
    std::string architecture; ///< e.g. "sm_90", "cpu-512bit"; empty if unknown
    /// Of a CPU, if it is the one that this process runs on, as compilers name it, e.g. "znver4";
    /// empty if unknown.
    std::string microarchitecture;
    std::string platform;         ///< CL_PLATFORM_NAME
    std::string platform_version; ///< CL_PLATFORM_VERSION
    std::string driver_version;   ///< CL_DRIVER_VERSION
    DeviceType type = DeviceType::other;
    std::int64_t compute_units = 1;
    std::int64_t clock_mhz = 0;           ///< maximum clock; 0 if unknown
    std::int64_t max_work_group_size = 1; ///< work-items
    std::int64_t max_work_item_sizes[3] = {1, 1, 1};
    std::int64_t local_memory_bytes = 0;
    bool local_memory_dedicated = false; ///< false: local memory is ordinary cached memory
    std::int64_t global_memory_bytes = 0;
    std::int64_t max_allocation_bytes = 0;
    std::int64_t base_alignment_bytes = 128; ///< of every buffer and sub-buffer
    int native_vector_width = 1;             ///< floats
    int opencl_c_version = 12;               ///< 12, 20, 30
    bool has_nvidia_ptx = false;             ///< inline PTX in OpenCL C
    int compute_capability = 0;              ///< NVIDIA: 10 * major + minor, else 0
    bool has_subgroup_shuffle = false;       ///< cl_khr_subgroup_shuffle, with known sub-group size
    int subgroup_size = 0;                   ///< work-items; 0 if unknown or variable
    /// Commands run in the thread that enqueues them (or completes what they wait for), on one
    /// core, and no thread has to wake: PoCL's `cpu-minimal` (before 4.0 `basic`). MultiDevice
    /// takes one for small products.
    bool computes_in_calling_thread = false;
};

/// A device that an OpenCL platform offers, with a selector that names it.
struct DeviceHandle {
    cl_platform_id platform = nullptr;
    cl_device_id device = nullptr;
    std::string selector; ///< "PLATFORM_INDEX:DEVICE_INDEX", as select_device() takes it
    DeviceTraits traits;
};

/// Reads a device's traits. Throws OpenClError.
SGEMM_API DeviceTraits query_traits(cl_device_id device);

/// All devices of all platforms, in the ICD loader's order; empty where there is none.
SGEMM_API std::vector<DeviceHandle> list_devices();

/// Chooses a device: "P:D" (platform and device index), "P" (its first device), "gpu", "cpu", or
/// part of a device or platform name, case-insensitive. An empty selector means the environment
/// variable SGEMM_DEVICE, or else the first GPU, or else the first device. Of several that fit,
/// those that compute in the calling thread come last. Throws ArgumentError if none fits, which
/// says what there is, or how to get one.
SGEMM_API DeviceHandle select_device(const std::string& selector = {});

/// The device of the same platform that computes in the calling thread, for a MultiDevice together
/// with `device`, a CPU; null where the platform offers none. PoCL does where POCL_DEVICES asks for
/// it: "cpu cpu-minimal", before 4.0 "pthread basic"; names that it does not know it passes over.
/// Throws OpenClError.
SGEMM_API cl_device_id calling_thread_device(cl_device_id device);

} // namespace libsgemm
