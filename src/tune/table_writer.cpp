// SPDX-License-Identifier: Apache-2.0
#include "tune/table_writer.hpp"

#include "tables/toml_text.hpp"
#include "tune/model/coefficients.hpp"
#include "tune/model/traits_facts.hpp"

#include <cstdio>
#include <sstream>

namespace sgemm::tune {
namespace {

std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", value); // NOLINT(cppcoreguidelines-pro-type-vararg)
    return text;
}

/// Tables have no word for other types.
const char* word_for(DeviceType type) {
    return type_name(type == DeviceType::other ? DeviceType::accelerator : type);
}

void write_match(std::ostream& out, const tables::DeviceMatch& match) {
    out << "\n[match]\n";
    const auto line = [&out](const char* key, const std::optional<std::string>& value) {
        if (value) {
            out << key << " = " << tables::toml_string(*value) << '\n';
        }
    };
    line("name", match.name);
    line("architecture", match.architecture);
    line("microarchitecture", match.microarchitecture);
    line("vendor", match.vendor);
    if (match.type) {
        out << "type = \"" << word_for(*match.type) << "\"\n";
    }
}

void write_machine(std::ostream& out, const tables::MachineModel& machine) {
    out << "\n[machine]\n";
    for (const auto& c : machine_coefficients()) {
        if (machine.*c.field > 0) {
            out << c.key << " = " << number(machine.*c.field / c.unit) << '\n';
        }
    }
    out << "flops_per_cycle_per_unit = " << number(machine.flops_per_cycle_per_unit) << '\n';
    if (machine.clock_mhz > 0) {
        out << "clock_mhz = " << number(machine.clock_mhz) << '\n';
    }
    if (machine.ld_period > 0) {
        out << "ld_period = " << machine.ld_period
            << "\nld_slowdown = " << number(machine.ld_slowdown) << '\n';
    }
    if (machine.call_seconds > 0) {
        out << "call_us = " << number(1e6 * machine.call_seconds) << '\n';
    }
    if (machine.launch_unit_seconds > 0) {
        out << "launch_unit_us = " << number(1e6 * machine.launch_unit_seconds) << '\n';
    }
    if (machine.wake_seconds > 0) {
        out << "wake_us = " << number(1e6 * machine.wake_seconds) << '\n';
    }
    if (machine.cache_ways > 0) {
        out << "cache_ways = " << machine.cache_ways
            << "\ncache_line_ns = " << number(1e9 * machine.cache_line_seconds) << '\n';
    }
    if (machine.memory_bandwidth > 0) {
        out << "memory_gbs = " << number(1e-9 * machine.memory_bandwidth) << '\n';
    }
    if (machine.sharing_bandwidth > 0) {
        out << "sharing_gbs = " << number(1e-9 * machine.sharing_bandwidth) << '\n';
    }
}

std::string model_text(const tables::KernelModel& model) {
    const tables::KernelModel plain;
    std::string text = "efficiency = " + number(model.efficiency);
    if (model.groups_per_unit != 1) {
        text += ", groups_per_unit = " + number(model.groups_per_unit);
    }
    for (const auto& c : kernel_coefficients()) {
        const bool is_efficiency = std::string_view(c.key) == "efficiency";
        if (!is_efficiency && model.*c.field != plain.*c.field) {
            text += std::string(", ") + c.key + " = " + number(model.*c.field / c.unit);
        }
    }
    return text + fixed_coefficients(model);
}

void write_row(std::ostream& out, const tables::TableRow& row) {
    out << "\n[[kernel]]\nname = " << tables::toml_string(row.kernel) << '\n';
    if (!row.parameters.empty()) {
        std::string list;
        for (const auto& [name, value] : row.parameters) {
            list += (list.empty() ? "" : ", ") + name + " = " + std::to_string(value);
        }
        out << "parameters = { " << list << " }\n";
    }
    out << "model = { " << model_text(row.model) << " }\n";
    for (const auto& [key, text] : {std::pair{"source", &row.source},
                                    {"verified", &row.verified},
                                    {"provenance", &row.provenance}}) {
        if (!text->empty()) {
            out << key << " = " << tables::toml_string(*text) << '\n';
        }
    }
    if (!row.measured.empty()) {
        out << "measured = [\n";
        for (const tables::Measurement& m : row.measured) {
            out << "    { shape = " << tables::toml_string(m.shape)
                << ", us = " << number(1e6 * m.seconds) << ", spread = " << number(m.spread)
                << " },\n";
        }
        out << "]\n";
    }
}

} // namespace

std::string table_text(const tables::DeviceTable& table, const std::string& comment) {
    std::ostringstream out;
    out << tables::toml_comment(comment)
        << "description = " << tables::toml_string(table.description) << '\n';
    if (!table.rows_from.empty()) {
        out << "rows_from = " << tables::toml_string(table.rows_from) << '\n';
    }
    write_match(out, table.match);
    write_machine(out, table.machine);
    if (!table.provenance.empty()) {
        out << "\n[provenance]\n";
        for (const auto& [key, value] : table.provenance) {
            out << key << " = " << tables::toml_string(value) << '\n';
        }
    }
    for (const tables::TableRow& row : table.rows) {
        write_row(out, row);
    }
    return out.str();
}

} // namespace sgemm::tune
