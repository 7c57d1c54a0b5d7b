// SPDX-License-Identifier: Apache-2.0
#include "sgemm/error.hpp"
#include "support/atomic_file.hpp"
#include "support/text.hpp"
#include "support/user_folder.hpp"
#include "tables/choices.hpp"
#include "tables/device_table.hpp"
#include "tables/disabled_kernels.hpp"
#include "tables/embedded_tables.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>

namespace libsgemm::tables {
namespace {

/// Adds `points` for a criterion that is given and met; false if it is given and not met.
template <class Value>
bool score_criterion(const std::optional<Value>& wanted, const Value& actual, int points,
                     int& score) {
    if (!wanted) {
        return true;
    }
    score += points;
    return *wanted == actual;
}

DeviceTable parse_embedded(const EmbeddedTable& embedded) {
    DeviceTable table = parse_table(embedded.text, "tuning/devices/" + std::string(embedded.path));
    table.embedded = embedded.path;
    return table;
}

DeviceTable best_embedded(const DeviceTraits& device) {
    std::optional<DeviceTable> best;
    int best_score = -1;
    for (const EmbeddedTable& embedded : embedded_tables()) {
        DeviceTable table = parse_embedded(embedded);
        const int score = match_score(table.match, device);
        if (score > best_score) {
            best_score = score;
            best = std::move(table);
        }
    }
    if (!best) {
        throw ConfigurationError("no embedded device table fits " + device.name);
    }
    return *std::move(best);
}

const EmbeddedTable& find_embedded(const DeviceTable& asking) {
    const auto embedded = embedded_tables();
    const auto found = std::find_if(embedded.begin(), embedded.end(), [&](const EmbeddedTable& t) {
        return t.path == asking.rows_from;
    });
    if (found == embedded.end()) {
        throw ConfigurationError(asking.origin + ": rows_from = \"" + asking.rows_from +
                                 "\" names no embedded device table");
    }
    return *found;
}

/// A base may have a base of its own. A table without a machine has its base's, and then its rows
/// as they are.
void append_base_rows(DeviceTable& table, const DeviceTraits& device) {
    constexpr int most_bases = 4;
    DeviceTable asking = table;
    for (int depth = 0; depth < most_bases && !asking.rows_from.empty(); ++depth) {
        DeviceTable base = parse_embedded(find_embedded(asking));
        // Efficiencies are shares of what units and clock give; fixed times are counted in cycles.
        const auto clock = static_cast<double>(device.clock_mhz);
        const bool takes_machine = depth == 0 && !table.has_machine;
        if (takes_machine) {
            table.machine = base.machine;
        } else if (base.machine.clock_mhz > 0 && clock > 0) {
            for (TableRow& row : base.rows) {
                row.model.start_seconds *= base.machine.clock_mhz / clock;
                row.model.group_seconds *= base.machine.clock_mhz / clock;
            }
        }
        table.base_rows += base.rows.size();
        table.rows.insert(table.rows.end(), base.rows.begin(), base.rows.end());
        asking = std::move(base);
    }
}

DeviceTable load_file(const std::string& file) {
    const auto text = support::read_file(file);
    if (!text) {
        throw ConfigurationError(
            file + ": there is no such device table (SGEMM_TABLE, table_file or --table)");
    }
    return parse_table(*text, file);
}

/// Kernel, parameter names, ranges and constraints; what the device cannot run the planner rejects.
void check_row(const TableRow& row, const std::string& file,
               const catalog::KernelCatalog& catalog) {
    const auto fail = [&](const std::string& key, const std::string& what) {
        throw ConfigurationError(file + ':' + std::to_string(row.line) + ": '" + key + "' " + what);
    };
    const catalog::KernelEntry* kernel = catalog.find(row.kernel);
    if (kernel == nullptr) {
        fail("kernel.name", "names no kernel of the catalogue: \"" + row.kernel + '"');
    }
    catalog::Parameters parameters = kernel->defaults();
    for (const auto& [name, value] : row.parameters) {
        const catalog::ParameterSpec* spec = kernel->find_parameter(name);
        if (spec == nullptr) {
            fail("kernel.parameters." + name, "is no parameter of " + row.kernel);
        }
        if (value < spec->minimum || value > spec->maximum) {
            fail("kernel.parameters." + name,
                 "is " + std::to_string(value) + ", outside its range " +
                     std::to_string(spec->minimum) + " to " + std::to_string(spec->maximum));
        }
        parameters.set(name, value);
    }
    for (const catalog::Constraint& rule : kernel->constraints) {
        if (!rule.holds(parameters)) {
            fail("kernel.parameters", "break a rule of " + row.kernel + ": " +
                                          std::string(rule.reason) + " (" + parameters.to_string() +
                                          ")");
        }
    }
}

} // namespace

DeviceTable load_table(const std::string& file, const DeviceTraits& device) {
    return file.empty() ? built_in_table(device)
                        : file_table(file, device, catalog::kernel_catalog());
}

std::string set_aside_if_damaged(const std::string& file) {
    const auto text = support::read_file(file);
    try {
        if (text) {
            parse_table(*text, file);
        }
        return {};
    } catch (const ConfigurationError&) {
        return support::set_aside(file);
    }
}

std::string device_slug(const DeviceTraits& device) {
    std::string slug;
    for (const char c : support::to_lower(device.name)) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (plain) {
            slug += c;
        } else if (!slug.empty() && slug.back() != '-') {
            slug += '-';
        }
    }
    slug.erase(slug.find_last_not_of('-') + 1);
    return slug.empty() ? "device" : slug;
}

std::string beside_user_table(const DeviceTraits& device, const std::string& ending) {
    const std::string folder = support::user_folder("XDG_DATA_HOME", ".local/share");
    return folder.empty() ? "" : folder + "/sgemm/tables/" + device_slug(device) + ending;
}

std::string user_table_path(const DeviceTraits& device) {
    return beside_user_table(device, ".toml");
}

std::vector<std::string> stale_rows(const DeviceTable& table,
                                    const catalog::KernelCatalog& catalog) {
    std::vector<std::string> messages;
    for (const TableRow& row : table.rows) {
        const std::string_view hash = catalog.source_hash(row.kernel);
        if (!row.source.empty() && !hash.empty() && !hash.starts_with(row.source)) {
            messages.push_back(table.origin + ':' + std::to_string(row.line) + ": " + row.kernel +
                               " was tuned with another source (" + row.source + ")");
        }
    }
    return messages;
}

bool is_stale(const Choice& choice, const catalog::KernelCatalog& catalog) {
    return !choice.source.empty() &&
           !catalog.source_hash(choice.plan.kernel).starts_with(choice.source);
}

std::string drop_stale_choices(std::vector<Choice>& choices, const std::string& origin,
                               const std::string& remedy, const catalog::KernelCatalog& catalog) {
    std::map<std::string, int> dropped; // by kernel
    std::erase_if(choices, [&](const Choice& choice) {
        const bool stale = is_stale(choice, catalog);
        dropped[choice.plan.kernel] += stale ? 1 : 0;
        return stale;
    });
    std::string message;
    for (const auto& [kernel, count] : dropped) {
        if (count > 0) {
            message.append(message.empty() ? "" : "\n").append(origin).append(": ").append(kernel);
            message.append(" has changed since it was measured: ").append(std::to_string(count));
            message.append(count == 1 ? " choice is" : " choices are").append(" dropped; ");
            message.append(remedy).append(" measures again");
        }
    }
    return message;
}

std::optional<std::string> known_microarchitecture(const DeviceTraits& device) {
    return device.microarchitecture.empty() ? std::nullopt
                                            : std::optional(device.microarchitecture);
}

int match_score(const DeviceMatch& match, const DeviceTraits& device) {
    int score = 0;
    const bool fits =
        score_criterion(match.name, device.name, 16, score) &&
        score_criterion(match.microarchitecture, device.microarchitecture, 8, score) &&
        score_criterion(match.architecture, device.architecture, 4, score) &&
        score_criterion(match.vendor, device.vendor_key, 2, score) &&
        score_criterion(match.type, device.type, 1, score);
    return fits ? score : -1;
}

DeviceTable built_in_table(const DeviceTraits& device) {
    DeviceTable table = best_embedded(device);
    append_base_rows(table, device);
    return table;
}

DeviceTable file_table(const std::string& file, const DeviceTraits& device,
                       const catalog::KernelCatalog& catalog) {
    DeviceTable table = load_file(file);
    if (match_score(table.match, device) < 0) {
        throw ConfigurationError(file + ": 'match' is for another device than " + device.name +
                                 " (" + device.architecture + ")");
    }
    for (const TableRow& row : table.rows) {
        check_row(row, file, catalog);
    }
    append_base_rows(table, device);
    return table;
}

namespace {

/// The best that a table leaves to a device.
enum class Offer : std::uint8_t {
    naive, ///< which is always there
    step,  ///< all that some devices have yet
    production,
};

Offer offer_of(const TableRow& row, const DeviceTable& table, const DeviceTraits& device,
               const catalog::KernelCatalog& catalog) {
    const catalog::KernelEntry* kernel = catalog.find(row.kernel);
    if (kernel == nullptr || kernel == &catalog.naive() || kernel->precision != Precision::strict) {
        return Offer::naive;
    }
    const catalog::Parameters parameters = kernel->completed(row.parameters);
    if (find_disabled(table, row.kernel, parameters) != nullptr ||
        !catalog::obstacles(*kernel, parameters, device).empty()) {
        return Offer::naive;
    }
    return kernel->purpose == catalog::Purpose::teaches ? Offer::step : Offer::production;
}

Offer offer_of(const DeviceTable& table, const DeviceTraits& device,
               const catalog::KernelCatalog& catalog) {
    Offer best = Offer::naive;
    for (const TableRow& row : table.rows) {
        if (best != Offer::production) {
            best = std::max(best, offer_of(row, table, device, catalog));
        }
    }
    return best;
}

/// Throws ConfigurationError for a table with which products would be many times slower than with
/// the built-in one.
void check_offer(const DeviceTable& table, const DeviceTraits& device,
                 const catalog::KernelCatalog& catalog) {
    const Offer offer = offer_of(table, device, catalog);
    if (offer == Offer::production || offer >= offer_of(built_in_table(device), device, catalog)) {
        return;
    }
    throw ConfigurationError(
        table.origin + ": leaves " + device.name +
        (offer == Offer::naive ? " no kernel but " + std::string(catalog.naive().name)
                               : " none but steps of a ladder") +
        ", where the built-in table has kernels for production (rows_from adds those of one)");
}

/// Earlier versions kept what timing found in a table of which only the choices count: its machine
/// was measured once, beside whatever ran.
bool is_of_first_use(const DeviceTable& table) {
    return !table.rows_from.empty() && table.provenance.empty() &&
           table.description.ends_with(", this machine's own");
}

DeviceTable named_table(const std::string& file, const DeviceTraits& device,
                        const catalog::KernelCatalog& catalog) {
    DeviceTable table = file_table(file, device, catalog);
    check_offer(table, device, catalog);
    return table;
}

/// The file if one is given, else the user's own table, else the built-in one.
DeviceTable chosen_table(const std::string& file, const DeviceTraits& device,
                         const catalog::KernelCatalog& catalog, std::string& complaint) {
    if (!file.empty()) {
        return named_table(file, device, catalog);
    }
    const std::string own = user_table_path(device);
    std::vector<Choice> choices;
    try {
        if (!own.empty() && support::read_file(own)) {
            DeviceTable table = named_table(own, device, catalog);
            if (!is_of_first_use(table)) {
                return table;
            }
            choices = std::move(table.choices);
        }
    } catch (const ConfigurationError& error) {
        complaint = std::string(error.what()) + "; the built-in table is used instead";
    }
    DeviceTable built_in = built_in_table(device);
    built_in.choices.insert(built_in.choices.end(), choices.begin(), choices.end());
    return built_in;
}

} // namespace

DeviceTable usual_table(const DeviceTraits& device, std::string& complaint) {
    return load_table(support::environment("SGEMM_TABLE"), device, catalog::kernel_catalog(),
                      complaint);
}

DeviceTable load_table(const std::string& file, const DeviceTraits& device,
                       const catalog::KernelCatalog& catalog, std::string& complaint) {
    DeviceTable table = chosen_table(file, device, catalog, complaint);
    std::erase_if(table.choices, [key = device_key(device)](const Choice& choice) {
        return !choice.device.empty() && choice.device != key;
    });
    if (const std::string dropped =
            drop_stale_choices(table.choices, table.origin, "sgemm-tune --shapes", catalog);
        !dropped.empty()) {
        complaint += (complaint.empty() ? "" : "\n") + dropped;
    }
    const Offer offer = offer_of(table, device, catalog);
    try {
        for (DisabledKernel& disabled :
             read_disabled_kernels(disabled_kernels_path(device), catalog)) {
            table.disabled.push_back(std::move(disabled));
        }
    } catch (const ConfigurationError& error) {
        complaint += (complaint.empty() ? "" : "\n") + std::string(error.what()) +
                     "; the kernels that the self-test disabled are in use again";
    }
    if (offer_of(table, device, catalog) < offer) {
        complaint += (complaint.empty() ? "" : "\n") + disabled_kernels_path(device) +
                     ": disables all that " + table.origin + " has for production";
    }
    return table;
}

} // namespace libsgemm::tables
