// SPDX-License-Identifier: Apache-2.0
// Any line is a record of a journal, which is the same when it is written and read again, or a
// ConfigurationError; the same under any locale.
#include "fuzz/bytes.hpp"
#include "sgemm/error.hpp"
#include "tune/worker/journal.hpp"
#include "tune/worker/trial_json.hpp"

#include <string>

namespace {

/// A record as it would be written, or why the line is none.
std::string text_of(const std::string& line) {
    try {
        return libsgemm::tune::to_json(libsgemm::tune::parse_record(line, "fuzz:1"));
    } catch (const libsgemm::ConfigurationError& error) {
        return error.what();
    }
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string line(reinterpret_cast<const char*>(data), size);
    sgemm_fuzz::require_same_in_any_locale([&] { return text_of(line); });
    try {
        const auto record = libsgemm::tune::parse_record(line, "fuzz:1");
        const std::string written = libsgemm::tune::to_json(record);
        sgemm_fuzz::require(written.find('\n') == std::string::npos);
        const auto again = libsgemm::tune::parse_record(written, "fuzz:1");
        sgemm_fuzz::require(libsgemm::tune::key_of(again) == libsgemm::tune::key_of(record));
    } catch (const libsgemm::ConfigurationError& error) {
        sgemm_fuzz::require(std::string_view(error.what()).substr(0, 8) == "fuzz:1: ");
    }
    return 0;
}
