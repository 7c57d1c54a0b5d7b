// SPDX-License-Identifier: Apache-2.0
#include "tables/user_table.hpp"

#include "support/atomic_file.hpp"
#include "tables/model_fields.hpp"
#include "tables/toml_text.hpp"

namespace sgemm::tables {
namespace {

std::string choice_text(const Choice& choice) {
    return "\n[[choice]]\nproblems = " + toml_string(choice.problems) +
           "\nplan = " + toml_string(choice.plan) + "\n";
}

} // namespace

std::string user_table_text(const DeviceTable& table, const DeviceTraits& device) {
    const auto microarchitecture = known_microarchitecture(device);
    return "description = " + toml_string(device.name + ", this machine's own") +
           "\nrows_from = " + toml_string(table.embedded_rows()) + "\n\n" +
           (microarchitecture
                ? "[match]\nmicroarchitecture = " + toml_string(*microarchitecture) + "\n\n"
                : "") +
           "[machine]\n" + machine_text(table.machine, 6);
}

void save_choice(const std::string& file, const Choice& choice, const DeviceTable& table,
                 const DeviceTraits& device) {
    support::update_file(file, [&](const std::string& before) {
        std::string text = before.empty() ? user_table_text(table, device) : before;
        const std::string entry = choice_text(choice);
        const std::string start = entry.substr(0, entry.find("\nplan"));
        const auto old = text.find(start + "\n");
        if (old != std::string::npos) {
            const auto end = text.find("\n[[", old + 1);
            text.erase(old, end == std::string::npos ? end : end - old);
        }
        return text + (text.back() == '\n' ? "" : "\n") + entry;
    });
}

} // namespace sgemm::tables
