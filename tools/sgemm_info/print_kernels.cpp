// SPDX-License-Identifier: Apache-2.0
#include "print.hpp"
#include "sgemm/kernels.hpp"

#include <algorithm>
#include <iomanip>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace info {
namespace {

std::ostream& label(std::ostream& out, const char* name) {
    return out << "    " << std::left << std::setw(12) << name;
}

void print_parameter(const libsgemm::ParameterInfo& parameter, std::ostream& out) {
    label(out, "parameter") << parameter.name << " = " << parameter.default_value << " ("
                            << parameter.define << ": " << parameter.meaning << "; tried:";
    for (const int value : parameter.values)
        out << ' ' << value;
    out << ")\n";
}

} // namespace

void print_kernel(const libsgemm::KernelInfo& kernel, std::ostream& out) {
    out << kernel.name << "\n    " << kernel.summary << '\n';
    label(out, "source") << kernel.source << ", SHA-256 " << kernel.source_hash.substr(0, 16)
                         << '\n';
    label(out, "for") << kernel.use << '\n';
    label(out, "operands") << kernel.operands << '\n';
    label(out, "edges") << kernel.edges << '\n';
    for (const libsgemm::ParameterInfo& parameter : kernel.parameters)
        print_parameter(parameter, out);
    for (const std::string& constraint : kernel.constraints)
        label(out, "rule") << constraint << '\n';
}

namespace {

void print_obstacles(const std::string& kernel, const libsgemm::DeviceTraits& device,
                     std::ostream& out) {
    const auto obstacles = libsgemm::kernel_obstacles(kernel, device);
    if (obstacles.empty())
        label(out, "here") << "can run\n";
    for (const std::string& obstacle : obstacles)
        label(out, "here") << "cannot run: " << obstacle << '\n';
}

std::vector<libsgemm::KernelInfo> chosen_kernels(const std::string& name) {
    auto kernels = libsgemm::kernels();
    if (name.empty())
        return kernels;
    std::erase_if(kernels, [&](const libsgemm::KernelInfo& kernel) { return kernel.name != name; });
    if (kernels.empty())
        throw UsageError("--kernel: there is no kernel \"" + name +
                         "\"; sgemm-info --kernels lists them");
    return kernels;
}

} // namespace

void print_kernels(const Options& options, std::ostream& out) {
    std::optional<libsgemm::DeviceTraits> device;
    if (options.device_given) {
        device = libsgemm::select_device(options.device).traits;
        out << "On " << device->name << ":\n\n";
    }
    for (const libsgemm::KernelInfo& kernel : chosen_kernels(options.choice.kernel)) {
        print_kernel(kernel, out);
        if (device)
            print_obstacles(kernel.name, *device, out);
        out << '\n';
    }
}

} // namespace info
