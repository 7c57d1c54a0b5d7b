// SPDX-License-Identifier: Apache-2.0
#include "device/handles.hpp"
#include "device/query.hpp"
#include "sgemm/device.hpp"
#include "sgemm/error.hpp"
#include "support/text.hpp"

#include <algorithm>
#include <iterator>

namespace libsgemm {
namespace {

// The ICD loader's own status (cl_khr_icd): no driver is installed.
constexpr cl_int platform_not_found_khr = -1001;

constexpr const char* how_to_get_a_device =
    "there is no OpenCL device: install the driver of a GPU's vendor, or PoCL for the CPU (Debian, "
    "Ubuntu: apt install pocl-opencl-icd); \"clinfo --list\" shows what OpenCL finds";

std::vector<cl_platform_id> list_platforms() {
    cl_uint count = 0;
    const cl_int status = clGetPlatformIDs(0, nullptr, &count);
    if (status == platform_not_found_khr || count == 0) {
        return {};
    }
    device::check(status, "clGetPlatformIDs");
    std::vector<cl_platform_id> platforms(count);
    device::check(clGetPlatformIDs(count, platforms.data(), nullptr), "clGetPlatformIDs");
    return platforms;
}

std::vector<cl_device_id> list_devices_of(cl_platform_id platform) {
    cl_uint count = 0;
    const cl_int status = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
    if (status == CL_DEVICE_NOT_FOUND || count == 0) {
        return {};
    }
    device::check(status, "clGetDeviceIDs");
    std::vector<cl_device_id> devices(count);
    device::check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, devices.data(), nullptr),
                  "clGetDeviceIDs");
    return devices;
}

bool names(const DeviceHandle& handle, const std::string& lowered_selector) {
    const auto contains = [&](const std::string& text) {
        return support::to_lower(text).find(lowered_selector) != std::string::npos;
    };
    if (handle.selector == lowered_selector ||
        handle.selector.starts_with(lowered_selector + ":")) {
        return true;
    }
    if (lowered_selector == "gpu") {
        return handle.traits.type == DeviceType::gpu;
    }
    if (lowered_selector == "cpu") {
        return handle.traits.type == DeviceType::cpu;
    }
    const bool is_index = lowered_selector.find_first_not_of("0123456789:") == std::string::npos;
    return !is_index && (contains(handle.traits.name) || contains(handle.traits.platform));
}

/// Those with threads of their own before those that compute in the caller's, else as listed.
std::vector<DeviceHandle> in_order_of_choice(std::vector<DeviceHandle> devices) {
    std::stable_partition(devices.begin(), devices.end(), [](const DeviceHandle& d) {
        return !d.traits.computes_in_calling_thread;
    });
    return devices;
}

std::string offered(const std::vector<DeviceHandle>& devices) {
    std::vector<std::string> texts;
    std::transform(devices.begin(), devices.end(), std::back_inserter(texts),
                   [](const DeviceHandle& d) { return d.selector + " " + d.traits.name; });
    return support::join(texts, ", ");
}

} // namespace

std::vector<DeviceHandle> list_devices() {
    std::vector<DeviceHandle> devices;
    const auto platforms = list_platforms();
    for (std::size_t p = 0; p < platforms.size(); ++p) {
        const auto ids = list_devices_of(platforms[p]);
        for (std::size_t d = 0; d < ids.size(); ++d) {
            devices.push_back({platforms[p], ids[d], std::to_string(p) + ":" + std::to_string(d),
                               query_traits(ids[d])});
        }
    }
    return devices;
}

DeviceHandle select_device(const std::string& selector) {
    const auto devices = in_order_of_choice(list_devices());
    const bool is_from_environment = selector.empty();
    const std::string wanted =
        is_from_environment ? support::environment("SGEMM_DEVICE") : selector;
    const char* const argument = is_from_environment && !wanted.empty() ? "SGEMM_DEVICE" : "device";
    if (devices.empty()) {
        throw ArgumentError(argument, wanted.empty() ? "any" : wanted, how_to_get_a_device);
    }
    if (wanted.empty()) {
        const auto gpu = std::find_if(devices.begin(), devices.end(), [](const DeviceHandle& d) {
            return d.traits.type == DeviceType::gpu;
        });
        return gpu != devices.end() ? *gpu : devices.front();
    }
    const auto found = std::find_if(devices.begin(), devices.end(), [&](const DeviceHandle& d) {
        return names(d, support::to_lower(wanted));
    });
    if (found == devices.end()) {
        throw ArgumentError(argument, wanted, "must name a device; there are: " + offered(devices));
    }
    return *found;
}

cl_device_id calling_thread_device(cl_device_id device) {
    if (query_traits(device).type != DeviceType::cpu) {
        return nullptr;
    }
    auto* const platform =
        device::get<cl_platform_id>(clGetDeviceInfo, device, CL_DEVICE_PLATFORM, "clGetDeviceInfo");
    const auto offered = list_devices_of(platform);
    const auto found = std::find_if(offered.begin(), offered.end(), [](cl_device_id one) {
        return query_traits(one).computes_in_calling_thread;
    });
    return found == offered.end() ? nullptr : *found;
}

} // namespace libsgemm
