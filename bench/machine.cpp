// SPDX-License-Identifier: Apache-2.0
#include "machine.hpp"

#include "bench_commit.hpp"
#include "device/pocl_threads.hpp"
#include "format.hpp"
#include "sgemm/version.hpp"

#include <array>
#include <cstdio>
#include <fstream>
#include <thread>

namespace libsgemm::bench {
namespace {

using Facts = std::map<std::string, std::string>;

std::string cpu_model() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        const std::size_t colon = line.find(": ");
        if (line.rfind("model name", 0) == 0 && colon != std::string::npos) {
            return line.substr(colon + 2);
        }
    }
    return "unknown";
}

std::string first_output_line(const std::string& command) {
    std::FILE* const pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) {
        return {};
    }
    std::array<char, 256> buffer{};
    const bool read = std::fgets(buffer.data(), static_cast<int>(buffer.size()), pipe) != nullptr;
    pclose(pipe);
    std::string line = read ? buffer.data() : "";
    line.erase(line.find_last_not_of(" \r\n") + 1);
    return line;
}

/// OpenCL does not tell an NVIDIA device's clocks and power limit; its tool does, where there is
/// one.
std::string nvidia_state() {
    return first_output_line(
        "nvidia-smi --query-gpu=clocks.sm,clocks.max.sm,clocks.mem,power.limit,temperature.gpu "
        "--format=csv,noheader 2>/dev/null");
}

void add_device(Facts& facts, const DeviceTraits& device) {
    facts["device"] = device.name;
    facts["device_type"] = device.type == DeviceType::cpu   ? "cpu"
                           : device.type == DeviceType::gpu ? "gpu"
                                                            : "other";
    facts["device_vendor"] = device.vendor;
    facts["device_architecture"] = device.architecture;
    facts["device_microarchitecture"] = device.microarchitecture;
    facts["driver"] = device.driver_version;
    facts["platform"] = device.platform + ", " + device.platform_version;
    facts["compute_units"] = std::to_string(device.compute_units);
    facts["max_clock_mhz"] = std::to_string(device.clock_mhz);
    if (device.type == DeviceType::cpu) {
        facts["pocl_affinity"] = device::pocl_affinity();
    }
    if (device.vendor_key == "nvidia") {
        if (const std::string state = nvidia_state(); !state.empty()) {
            facts["nvidia_sm_clock,max_sm_clock,memory_clock,power_limit,temperature"] = state;
        }
    }
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) {
        text += (text.empty() ? "" : ",") + word;
    }
    return text;
}

} // namespace

Facts describe_measurement(const Options& options, const Environment& environment,
                           const Implementations& implementations) {
    Facts facts;
    facts["sgemm_version"] = version();
    facts["commit"] = SGEMM_BENCH_COMMIT;
    facts["command"] = options.command_line;
    facts["suite"] = joined(options.suites);
    facts["repetitions"] = options.benchmark_flag("repetitions", "1");
    if (options.sustained > 0.0) {
        facts["sustained"] =
            format_seconds(options.sustained) + " of calls one after another before each wait";
    }
    facts["seed"] = std::to_string(options.seed);
    for (const auto& [name, values] : kinds_of_values()) {
        if (values == options.values && values != Values::uniform) {
            facts["values"] = name;
        }
    }
    facts["alpha"] = format_number(options.alpha);
    facts["beta"] = format_number(options.beta);
    facts["cpu"] = cpu_model();
    facts["cpu_threads"] = std::to_string(std::thread::hardware_concurrency());
    if (environment.opencl) {
        add_device(facts, environment.opencl->device().traits);
    }
    for (const auto& implementation : implementations) {
        facts.merge(implementation->facts());
    }
    return facts;
}

} // namespace libsgemm::bench
