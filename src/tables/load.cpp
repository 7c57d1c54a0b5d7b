// SPDX-License-Identifier: Apache-2.0
#include "sgemm/error.hpp"
#include "tables/device_table.hpp"
#include "tables/embedded_tables.hpp"
#include "tables/user_table.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace sgemm::tables {
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

/// A base may have a base of its own.
void append_base_rows(DeviceTable& table, const DeviceTraits& device) {
    constexpr int most_bases = 4;
    DeviceTable asking = table;
    for (int depth = 0; depth < most_bases && !asking.rows_from.empty(); ++depth) {
        DeviceTable base = parse_embedded(find_embedded(asking));
        // Efficiencies are shares of what units and clock give; fixed times are counted in cycles.
        const auto clock = static_cast<double>(device.clock_mhz);
        if (base.machine.clock_mhz > 0 && clock > 0) {
            for (TableRow& row : base.rows) {
                row.model.group_seconds *= base.machine.clock_mhz / clock;
            }
        }
        table.rows.insert(table.rows.end(), base.rows.begin(), base.rows.end());
        asking = std::move(base);
    }
}

DeviceTable load_file(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream text;
    if (!(stream && text << stream.rdbuf())) {
        throw ConfigurationError(file + ": the device table cannot be read");
    }
    return parse_table(text.str(), file);
}

} // namespace

int match_score(const DeviceMatch& match, const DeviceTraits& device) {
    int score = 0;
    const bool fits = score_criterion(match.name, device.name, 8, score) &&
                      score_criterion(match.architecture, device.architecture, 4, score) &&
                      score_criterion(match.vendor, device.vendor_key, 2, score) &&
                      score_criterion(match.type, device.type, 1, score);
    return fits ? score : -1;
}

DeviceTable load_table(const std::string& file, const DeviceTraits& device) {
    const std::string own = file.empty() ? user_table_file(device) : file;
    const bool given = !file.empty() || (!own.empty() && std::filesystem::exists(own));
    DeviceTable table = given ? load_file(own) : best_embedded(device);
    append_base_rows(table, device);
    return table;
}

} // namespace sgemm::tables
