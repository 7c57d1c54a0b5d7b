// SPDX-License-Identifier: Apache-2.0
#include "tables/disabled_kernels.hpp"

#include "sgemm/error.hpp"
#include "support/atomic_file.hpp"
#include "support/text.hpp"
#include "tables/toml_text.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>

namespace libsgemm::tables {
namespace {

/// Messages of several lines are shown in one.
std::string one_line(std::string text) {
    std::replace_if(text.begin(), text.end(), support::is_control, ' ');
    return text;
}

std::string entry_text(const DisabledKernel& disabled) {
    std::string text = "\n[[disabled]]\nkernel = " + toml_string(disabled.kernel) + "\n";
    if (!disabled.parameters.empty()) {
        std::string list;
        for (const auto& [name, value] : disabled.parameters) {
            list += (list.empty() ? "" : ", ") + name + " = " + std::to_string(value);
        }
        text += "parameters = { " + list + " }\n";
    }
    if (!disabled.source.empty()) {
        text += "source = " + toml_string(disabled.source) + "\n";
    }
    return text + "reason = " + toml_string(one_line(disabled.reason)) + "\n";
}

bool covers(const DisabledKernel& disabled, std::string_view kernel,
            const catalog::Parameters& parameters) {
    return disabled.kernel == kernel &&
           std::all_of(disabled.parameters.begin(), disabled.parameters.end(),
                       [&](const auto& parameter) {
                           return parameters.contains(parameter.first) &&
                                  parameters[parameter.first] == parameter.second;
                       });
}

bool is_about_another_kernel(const DisabledKernel& disabled,
                             const catalog::KernelCatalog& catalog) {
    const std::string_view hash = catalog.source_hash(disabled.kernel);
    return catalog.find(disabled.kernel) == nullptr ||
           (!hash.empty() && !disabled.source.empty() && !hash.starts_with(disabled.source));
}

} // namespace

const DisabledKernel* find_disabled(const DeviceTable& table, std::string_view kernel,
                                    const catalog::Parameters& parameters) {
    const auto found =
        std::find_if(table.disabled.begin(), table.disabled.end(),
                     [&](const DisabledKernel& d) { return covers(d, kernel, parameters); });
    return found == table.disabled.end() ? nullptr : &*found;
}

std::string disabled_kernels_path(const DeviceTraits& device) {
    return beside_user_table(device, ".disabled.toml");
}

std::vector<DisabledKernel> read_disabled_kernels(const std::string& file,
                                                  const catalog::KernelCatalog& catalog) {
    const auto text = file.empty() ? std::nullopt : support::read_file(file);
    if (!text) {
        return {};
    }
    std::vector<DisabledKernel> disabled = parse_table(*text, file).disabled;
    std::erase_if(disabled,
                  [&](const DisabledKernel& d) { return is_about_another_kernel(d, catalog); });
    return disabled;
}

void write_disabled_kernels(const std::string& file, const std::vector<DisabledKernel>& disabled,
                            const std::string& comment) {
    set_aside_if_damaged(file);
    if (disabled.empty()) {
        std::error_code error;
        std::filesystem::remove(file, error);
        if (error) {
            throw ConfigurationError(file + ": cannot be removed (" + error.message() + ")");
        }
        return;
    }
    std::string text = toml_comment(comment);
    for (const DisabledKernel& entry : disabled) {
        text += entry_text(entry);
    }
    support::replace_file(file, text);
}

} // namespace libsgemm::tables
