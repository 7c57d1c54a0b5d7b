// SPDX-License-Identifier: Apache-2.0
#include "tune/fit/table_writer.hpp"

#include "support/text_stream.hpp"
#include "tables/choices.hpp"
#include "tables/coefficients.hpp"
#include "tables/toml_text.hpp"
#include "tune/fit/traits_facts.hpp"

namespace libsgemm::tune {
namespace {

constexpr int digits_shown = 4;

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

void write_row(std::ostream& out, const tables::TableRow& row) {
    out << "\n[[kernel]]\nname = " << tables::toml_string(row.kernel) << '\n';
    if (!row.parameters.empty()) {
        std::string list;
        for (const auto& [name, value] : row.parameters) {
            list += (list.empty() ? "" : ", ") + name + " = " + std::to_string(value);
        }
        out << "parameters = { " << list << " }\n";
    }
    out << "model = { " << tables::model_text(row.model, digits_shown) << " }\n";
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
            out << "    { shape = " << tables::toml_string(m.shape) << ", us = " << 1e6 * m.seconds
                << ", spread = " << m.spread << " },\n";
        }
        out << "]\n";
    }
}

std::string text_of(const tables::DeviceTable& table, const std::string& comment,
                    bool with_machine) {
    support::TextWriter out;
    out.precision(digits_shown);
    out << tables::toml_comment(comment)
        << "description = " << tables::toml_string(table.description) << '\n';
    if (!table.rows_from.empty()) {
        out << "rows_from = " << tables::toml_string(table.rows_from) << '\n';
    }
    write_match(out, table.match);
    if (with_machine) {
        out << "\n[machine]\n" << tables::machine_text(table.machine, digits_shown);
    }
    if (!table.provenance.empty()) {
        out << "\n[provenance]\n";
        for (const auto& [key, value] : table.provenance) {
            out << key << " = " << tables::toml_string(value) << '\n';
        }
    }
    for (const tables::TableRow& row : table.rows) {
        write_row(out, row);
    }
    for (const tables::Choice& choice : table.choices) {
        out << tables::choice_text(choice);
    }
    return out.str();
}

} // namespace

std::string table_text(const tables::DeviceTable& table, const std::string& comment) {
    return text_of(table, comment, true);
}

std::string own_table_text(tables::DeviceTable table, const std::string& comment) {
    table.rows.resize(table.rows.size() - table.base_rows);
    return text_of(table, comment, table.has_machine);
}

} // namespace libsgemm::tune
