// SPDX-License-Identifier: Apache-2.0
#include "context/settings.hpp"

#include "device/query.hpp"
#include "plan/check_options.hpp"
#include "plan/precision.hpp"
#include "sgemm/error.hpp"
#include "support/text.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <system_error>
#include <vector>

namespace libsgemm::detail {
namespace {

void check_device(cl_context context, cl_device_id device) {
    if (context == nullptr) {
        throw ArgumentError("context", "null", "must not be null");
    }
    if (device == nullptr) {
        throw ArgumentError("device", "null", "must not be null");
    }
    std::size_t size = 0;
    device::check(clGetContextInfo(context, CL_CONTEXT_DEVICES, 0, nullptr, &size),
                  "clGetContextInfo");
    std::vector<cl_device_id> devices(size / sizeof(cl_device_id));
    device::check(clGetContextInfo(context, CL_CONTEXT_DEVICES, size, devices.data(), nullptr),
                  "clGetContextInfo");
    // Some platforms (PoCL 3.1) name the devices that sub-devices are part of instead.
    cl_device_id listed = device;
    while (listed != nullptr &&
           std::find(devices.begin(), devices.end(), listed) == devices.end()) {
        listed =
            device::get_or<cl_device_id>(clGetDeviceInfo, listed, CL_DEVICE_PARENT_DEVICE, nullptr);
    }
    if (listed == nullptr) {
        throw ArgumentError("device", "a device", "must be one of the cl_context's devices");
    }
}

/// One of the two would be ignored.
void check_not_both(const PlanOptions& plan, const ExpertPlanOptions* expert) {
    const PlanOptions unset;
    if (expert != nullptr &&
        (plan.kernel != unset.kernel || plan.parameters != unset.parameters ||
         plan.split_k != unset.split_k || plan.offset_alignment != unset.offset_alignment)) {
        throw ArgumentError("options.plan", "set", "must be left as it is where expert is set");
    }
}

} // namespace

cl_context checked_context(cl_context context, cl_device_id device) {
    check_device(context, device);
    return context;
}

ContextOptions checked_options(ContextOptions options, const catalog::KernelCatalog& catalog) {
    check_not_both(options.plan, options.expert.get());
    planning::check_options(plan_options(options), catalog);
    caller_threads(options, 1);
    return options;
}

ExpertPlanOptions plan_options(const ContextOptions& options) {
    return options.expert != nullptr ? *options.expert : ExpertPlanOptions{options.plan};
}

std::string preferred_kernel(const ExpertPlanOptions& options,
                             const catalog::KernelCatalog& catalog) {
    if (!options.kernel.empty()) {
        return {};
    }
    std::string name = support::environment("SGEMM_KERNEL");
    if (!name.empty() && catalog.find(name) == nullptr) {
        throw ArgumentError("SGEMM_KERNEL", name,
                            "must name a kernel; sgemm-info --kernels lists them");
    }
    return name;
}

Precision automatic_precision() {
    const std::string name = support::environment("SGEMM_PRECISION");
    if (name.empty()) {
        return Precision::strict;
    }
    const auto precision = planning::parse_precision(name);
    if (!precision) {
        throw ArgumentError("SGEMM_PRECISION", name,
                            "must be strict, emulated, fp16x2, tf32x3 or bf16x3");
    }
    return *precision;
}

std::string table_file(const ContextOptions& options) {
    if (!options.table_file.empty()) {
        return options.table_file;
    }
    return support::environment("SGEMM_TABLE");
}

tables::ChoiceFile choice_file(const ContextOptions& options, const tables::DeviceTable& table,
                               const DeviceTraits& device, const catalog::KernelCatalog& catalog) {
    tables::ChoiceFile file;
    file.device = tables::device_key(device);
    file.is_named = !options.first_use.file.empty();
    if (file.is_named) {
        file.path = options.first_use.file;
    } else if (table_file(options).empty()) {
        file.path = tables::choices_path(device);
    }
    std::error_code none;
    if (plans_to_time(options.first_use) > 0 || std::filesystem::exists(file.path, none)) {
        file.table = tables::table_key(table, device, catalog);
    }
    return file;
}

int plans_to_time(const FirstUseTiming& timing) {
    if (timing.plans >= 0) {
        return timing.plans;
    }
    const std::string text = support::environment("SGEMM_FIRST_USE");
    if (text.empty()) {
        return 0;
    }
    const auto plans = support::parse_number<int>(text);
    if (!plans || *plans < 0) {
        throw ArgumentError("SGEMM_FIRST_USE", text, "must be a number of plans to time, or 0");
    }
    return *plans;
}

std::size_t caller_threads(const ContextOptions& options, std::int64_t units) {
    constexpr int most = 1024;
    const auto check = [](int threads, const char* parameter) {
        if (threads < 1 || threads > most) {
            throw ArgumentError(parameter, std::to_string(threads),
                                "must be from 1 to " + std::to_string(most) +
                                    ", or left at its default");
        }
        return static_cast<std::size_t>(threads);
    };
    if (options.caller_threads != 0) {
        return check(options.caller_threads, "caller_threads");
    }
    const char* const variable = "SGEMM_CALLER_THREADS";
    const std::string text = support::environment(variable);
    if (text.empty()) {
        return static_cast<std::size_t>(std::clamp<std::int64_t>(units, 1, most));
    }
    const auto threads = support::parse_number<int>(text);
    if (!threads) {
        throw ArgumentError(variable, text, "must be a number of threads");
    }
    return check(*threads, variable);
}

} // namespace libsgemm::detail
