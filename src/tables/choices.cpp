// SPDX-License-Identifier: Apache-2.0
#include "tables/choices.hpp"

#include "sgemm/error.hpp"
#include "support/atomic_file.hpp"
#include "support/hash.hpp"
#include "support/text_stream.hpp"
#include "tables/coefficients.hpp"
#include "tables/toml_text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iomanip>
#include <utility>

namespace libsgemm::tables {
namespace {

constexpr std::size_t most_choices = 4096;

void add_complaint(std::string& complaint, const std::string& more) {
    complaint += (complaint.empty() ? "" : "\n") + more;
}

/// Throws ConfigurationError for what is no file of choices. Earlier versions began such a file
/// with a machine.
std::vector<Choice> parse_choices(const std::string& text, const std::string& file) {
    DeviceTable table = parse_table(text, file);
    if (!table.rows.empty() || !table.disabled.empty() || !table.provenance.empty()) {
        throw ConfigurationError(file + ": is a device table; choices are not kept in one");
    }
    return std::move(table.choices);
}

std::string moved_aside(const std::string& file, const ConfigurationError& error) {
    return std::string(error.what()) + "; it is " + support::set_aside(file) +
           " now, and what it knew is timed again";
}

/// The choices of a text; none where it has been moved aside. Throws ConfigurationError where it
/// stays.
std::vector<Choice> parse_or_set_aside(const ChoiceFile& file, const std::string& text,
                                       std::string& complaint) {
    try {
        return parse_choices(text, file.path);
    } catch (const ConfigurationError& error) {
        if (file.is_named) {
            throw;
        }
        add_complaint(complaint, moved_aside(file.path, error));
        return {};
    }
}

std::vector<Choice> read_or_set_aside(const ChoiceFile& file, std::string& complaint) {
    const auto text = file.path.empty() ? std::nullopt : support::read_file(file.path);
    if (!text) {
        return {};
    }
    if (file.is_named) {
        return parse_choices(*text, file.path);
    }
    try {
        return parse_choices(*text, file.path);
    } catch (const ConfigurationError&) { // another process may be making it again just now
        std::vector<Choice> choices;
        support::while_locked(file.path, [&] {
            if (const auto again = support::read_file(file.path)) {
                choices = parse_or_set_aside(file, *again, complaint);
            }
        });
        return choices;
    }
}

/// { kernel = "NAME", parameters = { "tile_m" = 64 }, edges = "guarded", split_k = 4 }
std::string plan_text(const catalog::PlanKey& plan) {
    std::string text = "{ kernel = " + toml_string(plan.kernel) + ", parameters = {";
    const char* separator = " ";
    for (const auto& [name, value] : plan.parameters) {
        text += separator + toml_string(name) + " = " + std::to_string(value);
        separator = ", ";
    }
    const catalog::Variant& variant = plan.variant;
    text += " }, edges = " + toml_string(catalog::name_of(variant.edges)) +
            ", split_k = " + std::to_string(variant.split_k);
    for (const catalog::VariantFlag& flag : catalog::variant_flags) {
        text += variant.*flag.value ? ", " + std::string(flag.key) + " = true" : "";
    }
    if (const catalog::Parts& parts = variant.parts; parts != catalog::Parts()) {
        text += ", parts = [" + std::to_string(parts.m) + ", " + std::to_string(parts.n) + ", " +
                std::to_string(parts.k) + "]";
    }
    text += variant.pre_passes == PrePassStyle::separate ? ", separate_passes = true" : "";
    return text + " }";
}

std::string three(const std::array<std::int64_t, 3>& values) {
    return "[" + std::to_string(values[0]) + ", " + std::to_string(values[1]) + ", " +
           std::to_string(values[2]) + "]";
}

std::string problem_text(const ExactProblem& p) {
    return std::string("{ op = \"") + (p.transpose_a ? 'T' : 'N') + (p.transpose_b ? 'T' : 'N') +
           "\", extents = " + three({p.m, p.n, p.k}) + ", ld = " + three(p.ld) +
           ", aligned = " + three(p.aligned) + " }";
}

bool is_for(const Choice& choice, const ChoiceFile& file) {
    return (choice.table.empty() || choice.table == file.table) &&
           (choice.device.empty() || choice.device == file.device);
}

std::string text_of(const std::vector<Choice>& choices) {
    std::string text = "# What timing found. libsgemm writes this file anew when it finds more; it "
                       "may be removed.\n";
    for (const Choice& choice : choices) {
        text += choice_text(choice);
    }
    return text;
}

} // namespace

std::string choice_text(const Choice& choice) {
    support::TextWriter text;
    text << std::setprecision(4) << "\n[[choice]]\n";
    if (choice.problem) {
        text << "problem = " << problem_text(*choice.problem) << '\n';
    } else {
        text << "problems = " << toml_string(choice.problems) << '\n';
    }
    // Before the plan: a file that is cut short must not lose it.
    for (const auto& [key, value] : {std::pair{"table", &choice.table},
                                     {"device", &choice.device},
                                     {"source", &choice.source},
                                     {"runner_up", &choice.runner_up}}) {
        if (!value->empty()) {
            text << key << " = " << toml_string(*value) << '\n';
        }
    }
    for (const auto& [key, seconds] :
         {std::pair{"us", choice.seconds}, {"runner_up_us", choice.runner_up_seconds}}) {
        if (seconds > 0) {
            text << key << " = " << 1e6 * seconds << '\n';
        }
    }
    text << "plan = " << plan_text(choice.plan) << '\n';
    return text.str();
}

std::string choices_path(const DeviceTraits& device) {
    return beside_user_table(device, ".choices.toml");
}

std::string device_key(const DeviceTraits& device) {
    return device.name + ", compute units: " + std::to_string(device.compute_units) +
           ", driver: " + device.driver_version;
}

std::string table_key(const DeviceTable& table, const DeviceTraits& device,
                      const catalog::KernelCatalog& catalog) {
    constexpr int digits = 10;
    std::string text = device.name + '\n' + device.driver_version + '\n' +
                       std::to_string(device.compute_units) + '\n' +
                       machine_text(table.machine, digits);
    for (const TableRow& row : table.rows) {
        text += row.kernel + ' ' + row.parameters.to_string() + ' ' + model_text(row.model, digits);
        const std::string_view hash = catalog.source_hash(row.kernel);
        text += (hash.empty() ? "" : ' ' + std::string(hash)) + '\n';
    }
    return support::hash_text(text);
}

std::vector<Choice> read_choices(const ChoiceFile& file, std::string& complaint) {
    std::vector<Choice> choices;
    try {
        choices = read_or_set_aside(file, complaint);
    } catch (const ConfigurationError& error) {
        add_complaint(complaint, std::string(error.what()) + "; no choices are taken from it");
    }
    std::erase_if(choices, [&](const Choice& choice) { return !is_for(choice, file); });
    for (Choice& choice : choices) {
        choice.is_of_file = true;
    }
    return choices;
}

std::size_t forget_choices(const ChoiceFile& file, const std::vector<Choice>& later,
                           std::string& complaint) {
    const auto is_known = [&](const Choice& old) {
        return old.problem && is_for(old, file) &&
               std::ranges::find(later, old.problem, &Choice::problem) != later.end();
    };
    if (std::ranges::none_of(read_choices(file, complaint), is_known)) {
        return 0; // it is not made, or written anew, for nothing
    }
    std::size_t count = 0;
    support::update_file(file.path, [&](const std::string& before) {
        std::vector<Choice> choices = parse_or_set_aside(file, before, complaint);
        count = std::erase_if(choices, is_known);
        return text_of(choices);
    });
    return count;
}

void save_choice(const ChoiceFile& file, const Choice& choice, std::string& complaint,
                 const catalog::KernelCatalog& catalog) {
    support::update_file(file.path, [&](const std::string& before) {
        std::vector<Choice> choices = parse_or_set_aside(file, before, complaint);
        std::erase_if(choices, [&](const Choice& old) {
            return is_stale(old, catalog) || (old.problems == choice.problems &&
                                              old.problem == choice.problem && is_for(old, file));
        });
        if (choices.size() >= most_choices) { // of tables of old
            choices.erase(choices.begin());
        }
        choices.push_back(choice);
        if (choice.problem) { // what was measured of one problem is for any table
            choices.back().device = file.device;
        } else {
            choices.back().table = file.table;
        }
        return text_of(choices);
    });
}

} // namespace libsgemm::tables
