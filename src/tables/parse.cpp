// SPDX-License-Identifier: Apache-2.0
#include "sgemm/error.hpp"
#include "tables/device_table.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <sstream>
#include <toml++/toml.h>

namespace sgemm::tables {
namespace {

/// Reads typed keys of one TOML table and rejects those that nobody asked for.
class Reader {
public:
    Reader(const toml::table& table, std::string path, const std::string& origin)
        : table_(table), path_(std::move(path)), origin_(origin) {}

    [[noreturn]] void fail(const toml::source_region& where, const std::string& message) const {
        std::ostringstream text;
        text << origin_ << ':' << where.begin.line << ": " << message;
        throw ConfigurationError(text.str());
    }

    void allow_only(std::initializer_list<std::string_view> keys) const {
        for (const auto& [key, node] : table_) {
            if (std::find(keys.begin(), keys.end(), key.str()) == keys.end()) {
                fail(node.source(), "unknown key '" + name(key.str()) + "'");
            }
        }
    }

    std::optional<std::string> text(std::string_view key) const {
        const toml::node* node = table_.get(key);
        if (node == nullptr) {
            return std::nullopt;
        }
        const auto value = node->value_exact<std::string>();
        if (!value) {
            fail(node->source(), "'" + name(key) + "' must be a string");
        }
        return *value;
    }

    std::string required_text(std::string_view key) const {
        auto value = text(key);
        if (!value) {
            fail(table_.source(), "missing key '" + name(key) + "'");
        }
        return *std::move(value);
    }

    /// A finite number in [least, most].
    double number(std::string_view key, double fallback, double least, double most) const {
        const toml::node* node = table_.get(key);
        if (node == nullptr) {
            return fallback;
        }
        const auto value = node->is_number() ? node->value<double>() : std::nullopt;
        if (!value || !std::isfinite(*value) || *value < least || *value > most) {
            std::ostringstream range;
            range << "'" << name(key) << "' must be a number from " << least << " to " << most;
            fail(node->source(), range.str());
        }
        return *value;
    }

    /// The sub-table `key`; null if absent.
    const toml::table* sub_table(std::string_view key) const {
        const toml::node* node = table_.get(key);
        if (node != nullptr && !node->is_table()) {
            fail(node->source(), "'" + name(key) + "' must be a table");
        }
        return node == nullptr ? nullptr : node->as_table();
    }

    Reader reader_of(const toml::table& table, std::string_view key) const {
        return {table, name(key), origin_};
    }

    std::string name(std::string_view key) const {
        return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
    }
    const toml::table& table() const { return table_; }

private:
    const toml::table& table_;
    std::string path_;
    const std::string& origin_;
};

DeviceType parse_type(const Reader& reader, const std::string& text) {
    if (text == "cpu") {
        return DeviceType::cpu;
    }
    if (text == "gpu") {
        return DeviceType::gpu;
    }
    if (text == "accelerator") {
        return DeviceType::accelerator;
    }
    reader.fail(reader.table().source(),
                "'" + reader.name("type") + "' must be cpu, gpu or accelerator");
}

DeviceMatch parse_match(const Reader& reader) {
    reader.allow_only({"name", "architecture", "vendor", "type"});
    DeviceMatch match;
    match.name = reader.text("name");
    match.architecture = reader.text("architecture");
    match.vendor = reader.text("vendor");
    if (const auto type = reader.text("type")) {
        match.type = parse_type(reader, *type);
    }
    return match;
}

MachineModel parse_machine(const Reader& reader) {
    reader.allow_only({"launch_us", "pass_us", "pass_group_us", "slice_us", "bandwidth_gbs",
                       "transpose_bandwidth_gbs", "flops_per_cycle_per_unit", "clock_mhz",
                       "ld_period", "ld_slowdown"});
    MachineModel machine;
    machine.launch_seconds = 1e-6 * reader.number("launch_us", 5, 0, 1e6);
    machine.pass_seconds = 1e-6 * reader.number("pass_us", 0, 0, 1e6);
    machine.pass_group_seconds = 1e-6 * reader.number("pass_group_us", 0, 0, 1e6);
    machine.slice_seconds = 1e-6 * reader.number("slice_us", 0, 0, 1e6);
    machine.bandwidth = 1e9 * reader.number("bandwidth_gbs", 100, 1e-3, 1e6);
    machine.transpose_bandwidth =
        1e9 * reader.number("transpose_bandwidth_gbs", machine.bandwidth / 1e9, 1e-3, 1e6);
    machine.flops_per_cycle_per_unit = reader.number("flops_per_cycle_per_unit", 16, 1, 1e6);
    machine.clock_mhz = reader.number("clock_mhz", 0, 0, 1e5);
    machine.ld_period = static_cast<std::int64_t>(reader.number("ld_period", 0, 0, 1e9));
    machine.ld_slowdown = reader.number("ld_slowdown", 1, 1, 1e3);
    return machine;
}

KernelModel parse_model(const Reader& reader) {
    reader.allow_only({"efficiency",         "groups_per_unit", "lone_group_speedup",
                       "group_us",           "contention",      "wave_overlap",
                       "guarded_slowdown",   "extension_cost",  "k_tail_steps",
                       "narrow_loads_a",     "narrow_loads_b",  "k_major_a",
                       "k_major_b",          "cached_mib",      "uncached_factor",
                       "bandwidth_share",    "memory_exposure", "in_place_period",
                       "in_place_collision", "in_place_mib",    "far_in_place"});
    KernelModel model;
    model.efficiency = reader.number("efficiency", model.efficiency, 1e-9, 1e3);
    model.groups_per_unit = reader.number("groups_per_unit", 1, 1, 1e4);
    model.lone_group_speedup = reader.number("lone_group_speedup", 1, 1, model.groups_per_unit);
    model.group_seconds = 1e-6 * reader.number("group_us", 0, 0, 1e6);
    model.guarded_slowdown = reader.number("guarded_slowdown", model.guarded_slowdown, 1, 1e3);
    model.contention = reader.number("contention", 0, 0, 0.9);
    model.wave_overlap = reader.number("wave_overlap", 0, 0, 1);
    model.extension_cost = reader.number("extension_cost", model.extension_cost, 0, 10);
    model.k_tail_steps = reader.number("k_tail_steps", 0, 0, 1e3);
    model.narrow_loads_a = reader.number("narrow_loads_a", model.narrow_loads_a, 1e-6, 1e3);
    model.narrow_loads_b = reader.number("narrow_loads_b", model.narrow_loads_b, 1e-6, 1e3);
    model.k_major_a = reader.number("k_major_a", 1, 1e-6, 1e3);
    model.k_major_b = reader.number("k_major_b", 1, 1e-6, 1e3);
    model.cached_bytes = 1024.0 * 1024.0 * reader.number("cached_mib", 0, 0, 1e9);
    model.uncached_factor = reader.number("uncached_factor", 1, 1e-6, 1);
    model.bandwidth_share = reader.number("bandwidth_share", 1, 1e-6, 1e3);
    model.memory_exposure = reader.number("memory_exposure", 0, 0, 1);
    model.in_place_period = static_cast<std::int64_t>(reader.number("in_place_period", 0, 0, 1e9));
    model.in_place_collision = reader.number("in_place_collision", 1, 1, 1e3);
    model.in_place_bytes = 1024.0 * 1024.0 * reader.number("in_place_mib", 0, 0, 1e9);
    model.far_in_place = reader.number("far_in_place", 1, 1e-6, 1);
    return model;
}

catalog::Parameters parse_parameters(const Reader& reader) {
    catalog::Parameters parameters;
    for (const auto& [key, node] : reader.table()) {
        const auto value = node.value_exact<std::int64_t>();
        if (!value || *value < 0 || *value > 1'000'000) {
            reader.fail(node.source(), "'" + reader.name(key.str()) +
                                           "' must be a whole number from 0 to 1000000");
        }
        parameters.set(key.str(), static_cast<int>(*value));
    }
    return parameters;
}

/// { shape = "NT/64x64x64", us = 12.5, spread = 0.01 }
std::vector<Measurement> parse_measured(const Reader& row) {
    std::vector<Measurement> measured;
    const toml::node* node = row.table().get("measured");
    if (node == nullptr) {
        return measured;
    }
    const toml::array* array = node->as_array();
    if (array == nullptr) {
        row.fail(node->source(), "'" + row.name("measured") + "' must be an array of tables");
    }
    for (const toml::node& element : *array) {
        const toml::table* table = element.as_table();
        if (table == nullptr) {
            row.fail(element.source(), "'" + row.name("measured") + "' must be an array of tables");
        }
        const Reader reader = row.reader_of(*table, "measured");
        reader.allow_only({"shape", "us", "spread"});
        measured.push_back({reader.required_text("shape"), 1e-6 * reader.number("us", 0, 0, 1e12),
                            reader.number("spread", 0, 0, 1e6)});
    }
    return measured;
}

Provenance parse_provenance(const Reader& reader) {
    Provenance provenance;
    for (const auto& [key, node] : reader.table()) {
        provenance.emplace(key.str(), reader.required_text(key.str()));
    }
    return provenance;
}

TableRow parse_row(const Reader& reader) {
    reader.allow_only(
        {"name", "parameters", "model", "source", "verified", "provenance", "measured"});
    TableRow row;
    row.kernel = reader.required_text("name");
    row.line = static_cast<int>(reader.table().source().begin.line);
    row.source = reader.text("source").value_or("");
    row.verified = reader.text("verified").value_or("");
    row.provenance = reader.text("provenance").value_or("");
    row.measured = parse_measured(reader);
    if (const auto* parameters = reader.sub_table("parameters")) {
        row.parameters = parse_parameters(reader.reader_of(*parameters, "parameters"));
    }
    if (const auto* model = reader.sub_table("model")) {
        row.model = parse_model(reader.reader_of(*model, "model"));
    }
    return row;
}

Choice parse_choice(const Reader& reader) {
    reader.allow_only({"problems", "plan"});
    return {reader.required_text("problems"), reader.required_text("plan")};
}

/// The tables of the array `key`, each parsed.
template <class Item>
std::vector<Item> parse_array(const Reader& root, const std::string& key,
                              Item (*parse)(const Reader&)) {
    std::vector<Item> items;
    const toml::node* node = root.table().get(key);
    if (node == nullptr) {
        return items;
    }
    const std::string complaint = "'" + key + "' must be an array of tables ([[" + key + "]])";
    const toml::array* array = node->as_array();
    if (array == nullptr) {
        root.fail(node->source(), complaint);
    }
    for (const toml::node& element : *array) {
        const toml::table* table = element.as_table();
        if (table == nullptr) {
            root.fail(element.source(), complaint);
        }
        items.push_back(parse(root.reader_of(*table, key)));
    }
    return items;
}

} // namespace

DeviceTable parse_table(std::string_view text, const std::string& origin) {
    toml::table document;
    try {
        document = toml::parse(text, origin);
    } catch (const toml::parse_error& error) {
        std::ostringstream message;
        message << origin << ':' << error.source().begin.line << ": " << error.description();
        throw ConfigurationError(message.str());
    }
    const Reader root(document, "", origin);
    root.allow_only(
        {"description", "rows_from", "match", "machine", "provenance", "kernel", "choice"});
    DeviceTable table;
    table.origin = origin;
    table.description = root.text("description").value_or("");
    table.rows_from = root.text("rows_from").value_or("");
    if (const auto* match = root.sub_table("match")) {
        table.match = parse_match(root.reader_of(*match, "match"));
    }
    if (const auto* machine = root.sub_table("machine")) {
        table.machine = parse_machine(root.reader_of(*machine, "machine"));
    }
    if (const auto* provenance = root.sub_table("provenance")) {
        table.provenance = parse_provenance(root.reader_of(*provenance, "provenance"));
    }
    table.rows = parse_array(root, "kernel", parse_row);
    table.choices = parse_array(root, "choice", parse_choice);
    return table;
}

} // namespace sgemm::tables
