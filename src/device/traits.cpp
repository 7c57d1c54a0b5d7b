// SPDX-License-Identifier: Apache-2.0
#include "device/host_cpu.hpp"
#include "device/query.hpp"
#include "sgemm/device.hpp"
#include "support/text.hpp"

#include <algorithm>
#include <array>

namespace libsgemm {
namespace {

// From cl_ext.h of the Khronos registry; spelled out because not every installed header has them.
constexpr cl_device_info compute_capability_major_nv = 0x4000;
constexpr cl_device_info compute_capability_minor_nv = 0x4001;
constexpr cl_device_info warp_size_nv = 0x4003;

template <class Value>
Value property(cl_device_id device, cl_device_info which) {
    return device::get<Value>(clGetDeviceInfo, device, which, "clGetDeviceInfo");
}

std::string text(cl_device_id device, cl_device_info which) {
    return device::get_text(clGetDeviceInfo, device, which, "clGetDeviceInfo");
}

DeviceType type_of(cl_device_type type) {
    if ((type & CL_DEVICE_TYPE_GPU) != 0) {
        return DeviceType::gpu;
    }
    if ((type & CL_DEVICE_TYPE_CPU) != 0) {
        return DeviceType::cpu;
    }
    return (type & CL_DEVICE_TYPE_ACCELERATOR) != 0 ? DeviceType::accelerator : DeviceType::other;
}

std::string vendor_key_of(const std::string& vendor) {
    struct Rule {
        const char* part;
        const char* key;
    };
    static constexpr std::array rules{
        Rule{"nvidia", "nvidia"},    Rule{"advanced micro devices", "amd"},
        Rule{"authenticamd", "amd"}, Rule{"intel", "intel"},
        Rule{"apple", "apple"},      Rule{"qualcomm", "qualcomm"},
        Rule{"arm", "arm"},
    };
    const std::string lowered = support::to_lower(vendor);
    const auto* found = std::find_if(rules.begin(), rules.end(), [&](const Rule& rule) {
        return lowered.find(rule.part) != std::string::npos;
    });
    if (found != rules.end()) {
        return found->key;
    }
    return lowered == "amd" ? "amd" : "other";
}

/// On x86 CPUs the width of a native float vector tells the instruction set apart.
std::string cpu_architecture(int native_vector_width) {
    switch (native_vector_width) {
    case 16:
        return "cpu-512bit";
    case 8:
        return "cpu-256bit";
    case 4:
        return "cpu-128bit";
    default:
        return "cpu";
    }
}

/// PoCL reports CPUID's name for the vendor of the CPU that it runs on; other platforms' may be
/// anywhere.
std::string microarchitecture_of_host(const std::string& vendor) {
    const device::CpuId host = device::host_cpu_id();
    return vendor == host.vendor ? device::microarchitecture_of(host) : "";
}

void read_sizes(cl_device_id device, DeviceTraits& traits) {
    const auto sizes = property<std::array<std::size_t, 3>>(device, CL_DEVICE_MAX_WORK_ITEM_SIZES);
    for (std::size_t i = 0; i < 3; ++i) {
        traits.max_work_item_sizes[i] = static_cast<std::int64_t>(sizes[i]);
    }
    const auto as_int64 = [&](cl_device_info which) {
        return static_cast<std::int64_t>(property<cl_ulong>(device, which));
    };
    traits.local_memory_bytes = as_int64(CL_DEVICE_LOCAL_MEM_SIZE);
    traits.global_memory_bytes = as_int64(CL_DEVICE_GLOBAL_MEM_SIZE);
    traits.max_allocation_bytes = as_int64(CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    traits.compute_units = property<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS);
    traits.clock_mhz = property<cl_uint>(device, CL_DEVICE_MAX_CLOCK_FREQUENCY);
    traits.base_alignment_bytes = property<cl_uint>(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8;
    traits.max_work_group_size =
        static_cast<std::int64_t>(property<std::size_t>(device, CL_DEVICE_MAX_WORK_GROUP_SIZE));
    traits.local_memory_dedicated =
        property<cl_device_local_mem_type>(device, CL_DEVICE_LOCAL_MEM_TYPE) == CL_LOCAL;
    traits.native_vector_width =
        static_cast<int>(property<cl_uint>(device, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT));
}

/// PoCL puts the name of its driver before that of the CPU.
bool is_calling_thread(const DeviceTraits& traits) {
    return traits.type == DeviceType::cpu && traits.platform == "Portable Computing Language" &&
           (traits.name.starts_with("basic") || traits.name.starts_with("cpu-minimal"));
}

void read_nvidia(cl_device_id device, DeviceTraits& traits) {
    const auto read = [&](cl_device_info which) {
        return static_cast<int>(device::get_or<cl_uint>(clGetDeviceInfo, device, which, 0));
    };
    const int major = read(compute_capability_major_nv);
    const int minor = read(compute_capability_minor_nv);
    traits.compute_capability = 10 * major + minor;
    traits.has_nvidia_ptx = traits.compute_capability > 0;
    traits.subgroup_size = read(warp_size_nv);
    traits.architecture = "sm_" + std::to_string(traits.compute_capability);
}

/// "OpenCL C 1.2 ..." -> 12
int parse_opencl_c_version(const std::string& version) {
    const std::string prefix = "OpenCL C ";
    if (!version.starts_with(prefix) || version.size() < prefix.size() + 3) {
        return 12;
    }
    return 10 * (version[prefix.size()] - '0') + (version[prefix.size() + 2] - '0');
}

} // namespace

DeviceTraits query_traits(cl_device_id device) {
    DeviceTraits traits;
    traits.name = text(device, CL_DEVICE_NAME);
    traits.vendor = text(device, CL_DEVICE_VENDOR);
    traits.driver_version = text(device, CL_DRIVER_VERSION);
    traits.vendor_key = vendor_key_of(traits.vendor);
    traits.type = type_of(property<cl_device_type>(device, CL_DEVICE_TYPE));
    traits.opencl_c_version = parse_opencl_c_version(text(device, CL_DEVICE_OPENCL_C_VERSION));
    auto* platform = property<cl_platform_id>(device, CL_DEVICE_PLATFORM);
    const auto platform_text = [&](cl_platform_info which) {
        return device::get_text(clGetPlatformInfo, platform, which, "clGetPlatformInfo");
    };
    traits.platform = platform_text(CL_PLATFORM_NAME);
    traits.platform_version = platform_text(CL_PLATFORM_VERSION);
    read_sizes(device, traits);

    const std::string extensions = " " + text(device, CL_DEVICE_EXTENSIONS) + " ";
    const auto has = [&](const std::string& extension) {
        return extensions.find(" " + extension + " ") != std::string::npos;
    };
    if (traits.type == DeviceType::cpu) {
        traits.architecture = cpu_architecture(traits.native_vector_width);
        traits.microarchitecture = microarchitecture_of_host(traits.vendor);
        traits.computes_in_calling_thread = is_calling_thread(traits);
    }
    if (has("cl_nv_device_attribute_query")) {
        read_nvidia(device, traits);
    }
    traits.has_subgroup_shuffle = has("cl_khr_subgroup_shuffle") && has("cl_khr_subgroups");
    return traits;
}

} // namespace libsgemm
