// SPDX-License-Identifier: Apache-2.0
#include "sgemm/error.hpp"
#include "tables/device_table.hpp"
#include "tables/embedded_tables.hpp"

#include <algorithm>
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
    return parse_table(embedded.text, "tuning/devices/" + std::string(embedded.path));
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

/// One level only: a base's own base does not count.
void append_base_rows(DeviceTable& table) {
    if (table.rows_from.empty()) {
        return;
    }
    const auto embedded = embedded_tables();
    const auto base = std::find_if(embedded.begin(), embedded.end(), [&](const EmbeddedTable& t) {
        return t.path == table.rows_from;
    });
    if (base == embedded.end()) {
        throw ConfigurationError(table.origin + ": rows_from = \"" + table.rows_from +
                                 "\" names no embedded device table");
    }
    const DeviceTable parsed = parse_embedded(*base);
    table.rows.insert(table.rows.end(), parsed.rows.begin(), parsed.rows.end());
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
    DeviceTable table = file.empty() ? best_embedded(device) : load_file(file);
    append_base_rows(table);
    return table;
}

} // namespace sgemm::tables
