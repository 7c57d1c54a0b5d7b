// SPDX-License-Identifier: Apache-2.0
//
// Trials as JSON: the lines of journals and the messages between tuner and worker.
#pragma once

#include "tune/worker/trial.hpp"

#include <nlohmann/json.hpp>
#include <string>

namespace libsgemm::tune {

using Json = nlohmann::json;

/// Reads keys of one JSON object and names file, line and key of what is wrong.
class JsonReader {
public:
    /// Parses; `origin` starts every message. Throws ConfigurationError.
    static Json parse(const std::string& text, const std::string& origin);

    JsonReader(const Json& object, std::string path, std::string origin);

    std::string text(const char* key) const;
    std::string text_or(const char* key, const std::string& fallback) const;
    double number(const char* key) const;
    double number_or(const char* key, double fallback) const;
    std::int64_t integer(const char* key) const;
    std::int64_t integer_or(const char* key, std::int64_t fallback) const;
    bool flag_or(const char* key, bool fallback) const;
    bool has(const char* key) const { return object_->contains(key); }
    /// The value of a key that must be there.
    const Json& at(const char* key) const;
    JsonReader sub(const char* key) const;
    const std::string& origin() const { return origin_; }

    [[noreturn]] void fail(const char* key, const std::string& rule) const;
    const Json& object() const { return *object_; }

private:
    const Json* object_;
    std::string path_, origin_;
};

Json json_of(const TrialSpec& spec);
TrialSpec read_spec(const JsonReader& reader);
Json json_of(const TrialResult& result);
TrialResult read_result(const JsonReader& reader);
Json json_of(const Variant& variant);
Json json_of(const Configuration& configuration);
Configuration read_configuration(const JsonReader& reader);
Json json_of(const Shape& shape);
Shape read_shape(const JsonReader& reader);

/// One line without its end; times in microseconds. Numbers survive to 7 digits.
std::string to_json(const TrialRecord& record);
/// Throws ConfigurationError "ORIGIN: what is wrong", where `origin` is "FILE:LINE".
TrialRecord parse_record(const std::string& line, const std::string& origin);

} // namespace libsgemm::tune
