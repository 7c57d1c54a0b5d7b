// SPDX-License-Identifier: Apache-2.0
#include "print.hpp"
#include "tables/device_table.hpp"

#include <cstdint>
#include <iomanip>
#include <ostream>
#include <string>

namespace info {
namespace {

const char* type_name(libsgemm::DeviceType type) {
    switch (type) {
    case libsgemm::DeviceType::cpu:
        return "CPU";
    case libsgemm::DeviceType::gpu:
        return "GPU";
    case libsgemm::DeviceType::accelerator:
        return "accelerator";
    case libsgemm::DeviceType::other:
        break;
    }
    return "other";
}

std::string amount(std::int64_t bytes) {
    constexpr const char* units[] = {" B", " KiB", " MiB", " GiB"};
    std::size_t unit = 0;
    while (unit < 3 && bytes >= 1024 && (bytes % 1024 == 0 || bytes >= 65536)) {
        bytes /= 1024;
        ++unit;
    }
    return std::to_string(bytes) + units[unit];
}

std::string known(std::int64_t value, const std::string& unit) {
    return value == 0 ? "unknown" : std::to_string(value) + unit;
}

template <typename Value>
void row(std::ostream& out, const char* name, const Value& value) {
    out << "    " << std::left << std::setw(22) << name << value << '\n';
}

void print_traits(const libsgemm::DeviceTraits& traits, std::ostream& out) {
    row(out, "type", type_name(traits.type));
    row(out, "vendor", traits.vendor + " (" + traits.vendor_key + ")");
    row(out, "architecture", traits.architecture.empty() ? "unknown" : traits.architecture);
    if (!traits.microarchitecture.empty())
        row(out, "microarchitecture", traits.microarchitecture);
    row(out, "driver", traits.driver_version);
    row(out, "OpenCL C",
        std::to_string(traits.opencl_c_version / 10) + "." +
            std::to_string(traits.opencl_c_version % 10));
    row(out, "compute units", traits.compute_units);
    if (traits.computes_in_calling_thread)
        row(out, "computes in", "the calling thread");
    row(out, "clock", known(traits.clock_mhz, " MHz"));
    row(out, "work-group limit",
        std::to_string(traits.max_work_group_size) + " (" +
            std::to_string(traits.max_work_item_sizes[0]) + " x " +
            std::to_string(traits.max_work_item_sizes[1]) + " x " +
            std::to_string(traits.max_work_item_sizes[2]) + ")");
    row(out, "local memory",
        amount(traits.local_memory_bytes) +
            (traits.local_memory_dedicated ? ", dedicated" : ", in cached memory"));
    row(out, "global memory", amount(traits.global_memory_bytes));
    row(out, "largest buffer", amount(traits.max_allocation_bytes));
    row(out, "buffer alignment", amount(traits.base_alignment_bytes));
    row(out, "native vector width", traits.native_vector_width);
    row(out, "sub-group", known(traits.subgroup_size, " work-items"));
    row(out, "sub-group shuffle", traits.has_subgroup_shuffle ? "yes" : "no");
    row(out, "inline PTX", traits.has_nvidia_ptx ? "yes" : "no");
    if (traits.compute_capability != 0)
        row(out, "compute capability",
            std::to_string(traits.compute_capability / 10) + "." +
                std::to_string(traits.compute_capability % 10));
}

/// How well the library knows a device by the table that a program gets for it.
std::string standing_of(const libsgemm::tables::DeviceTable& table) {
    if (table.embedded.empty()) {
        return "your own table";
    }
    if (table.match.name) {
        return "tuned on this very device";
    }
    return table.is_generic() ? "not tuned: the parameters are published or cautious ones"
                              : "tuned on devices of this kind";
}

/// Will it be fast here, and what is there to do?
void print_standing(const libsgemm::DeviceHandle& device, std::ostream& out) {
    std::string complaint;
    const auto table = libsgemm::tables::usual_table(device.traits, complaint);
    row(out, "table", table.origin + ": " + standing_of(table));
    if (!complaint.empty()) {
        row(out, "mind", complaint);
    }
    if (table.is_generic() && !table.embedded.empty()) {
        row(out, "to do", "sgemm-tune --device " + device.selector + ", some minutes");
    }
    if (device.traits.type == libsgemm::DeviceType::cpu &&
        !device.traits.computes_in_calling_thread) {
        row(out, "small products",
            "are faster in the calling thread: see "
            "docs/guide/small-products-on-cpus.md");
    }
}

void print_device(const libsgemm::DeviceHandle& device, std::ostream& out) {
    out << "  " << device.selector << "  " << device.traits.name << '\n';
    print_traits(device.traits, out);
    print_standing(device, out);
}

void print_platform(const libsgemm::DeviceTraits& traits, std::ostream& out) {
    out << traits.platform << " (" << traits.platform_version << ")\n";
}

} // namespace

void print_devices(const Options& options, std::ostream& out) {
    if (options.device_given) {
        const libsgemm::DeviceHandle device = libsgemm::select_device(options.device);
        print_platform(device.traits, out);
        print_device(device, out);
        return;
    }
    const auto devices = libsgemm::list_devices();
    if (devices.empty())
        throw std::runtime_error(
            "no OpenCL device found: install the driver of a GPU's vendor, or PoCL for the CPU "
            "(Debian, Ubuntu: apt install pocl-opencl-icd)");
    cl_platform_id platform = nullptr;
    for (const libsgemm::DeviceHandle& device : devices) {
        if (device.platform != platform)
            print_platform(device.traits, out);
        platform = device.platform;
        print_device(device, out);
    }
}

} // namespace info
