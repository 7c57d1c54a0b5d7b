// SPDX-License-Identifier: Apache-2.0
#include "tune/worker/trial_json.hpp"

#include "sgemm/error.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace libsgemm::tune {
namespace {

/// Keys and values of earlier versions, which are read, too.
struct Renamed {
    std::string_view now;
    const char* before;
};
constexpr std::array earlier_edges{Renamed{"padding", "padded"},
                                   Renamed{"pointer_shift", "shifted"},
                                   Renamed{"extension", "extended"}};
constexpr std::array earlier_flags{Renamed{"fused_reduction", "sum_in_launch"},
                                   Renamed{"narrow_a", "narrow"},
                                   Renamed{"narrow_b", "narrow"},
                                   Renamed{"repack_a", "relay_a"},
                                   Renamed{"repack_b", "relay_b"},
                                   Renamed{"transpose_b", "turn_b"}};

/// Seconds as microseconds with 7 digits: short lines, and nothing that a clock knows is lost.
double microseconds(double seconds) {
    const double value = 1e6 * seconds;
    if (value == 0 || !std::isfinite(value)) {
        return 0;
    }
    const double digits = std::pow(10.0, 6 - std::floor(std::log10(std::abs(value))));
    return std::round(value * digits) / digits;
}

double rounded(double value) {
    return std::round(value * 1e6) / 1e6;
}

} // namespace

// --- reading -------------------------------------------------------------------------------------

Json JsonReader::parse(const std::string& text, const std::string& origin) {
    try {
        return Json::parse(text);
    } catch (const Json::parse_error& error) {
        throw ConfigurationError(origin + ": not JSON: " + error.what());
    }
}

JsonReader::JsonReader(const Json& object, std::string path, std::string origin)
    : object_(&object), path_(std::move(path)), origin_(std::move(origin)) {
    if (!object.is_object()) {
        throw ConfigurationError(origin_ + ": '" + path_ + "' must be a JSON object");
    }
}

void JsonReader::fail(const char* key, const std::string& rule) const {
    const std::string name = path_.empty() ? std::string(key) : path_ + '.' + key;
    throw ConfigurationError(origin_ + ": '" + name + "' " + rule);
}

const Json& JsonReader::at(const char* key) const {
    const auto found = object_->find(key);
    if (found == object_->end()) {
        fail(key, "is missing");
    }
    return *found;
}

std::string JsonReader::text(const char* key) const {
    const Json& value = at(key);
    if (!value.is_string()) {
        fail(key, "must be a string");
    }
    return value.get<std::string>();
}

double JsonReader::number(const char* key) const {
    const Json& value = at(key);
    if (!value.is_number()) {
        fail(key, "must be a number");
    }
    return value.get<double>();
}

std::int64_t JsonReader::integer(const char* key) const {
    const Json& value = at(key);
    if (!value.is_number_integer()) {
        fail(key, "must be a whole number");
    }
    return value.get<std::int64_t>();
}

std::string JsonReader::text_or(const char* key, const std::string& fallback) const {
    return has(key) ? text(key) : fallback;
}

double JsonReader::number_or(const char* key, double fallback) const {
    return has(key) ? number(key) : fallback;
}

std::int64_t JsonReader::integer_or(const char* key, std::int64_t fallback) const {
    return has(key) ? integer(key) : fallback;
}

bool JsonReader::flag_or(const char* key, bool fallback) const {
    if (!has(key)) {
        return fallback;
    }
    if (!at(key).is_boolean()) {
        fail(key, "must be true or false");
    }
    return at(key).get<bool>();
}

JsonReader JsonReader::sub(const char* key) const {
    return {at(key), path_.empty() ? key : path_ + '.' + key, origin_};
}

// --- shapes and configurations -------------------------------------------------------------------

Json json_of(const Shape& shape) {
    Json json{{"op", judge::op_name(shape)}, {"m", shape.m}, {"n", shape.n}, {"k", shape.k}};
    if (shape.has_gaps()) {
        json["lda"] = shape.lda;
        json["ldb"] = shape.ldb;
        json["ldc"] = shape.ldc;
    }
    return json;
}

Shape read_shape(const JsonReader& reader) {
    try {
        const Shape shape = judge::make_shape(reader.text("op"), reader.integer("m"),
                                              reader.integer("n"), reader.integer("k"));
        return reader.has("lda")
                   ? judge::with_leading_dimensions(shape, reader.integer("lda"),
                                                    reader.integer("ldb"), reader.integer("ldc"))
                   : shape;
    } catch (const judge::UsageError& error) {
        reader.fail("m", std::string("makes no shape: ") + error.what());
    }
}

Json json_of(const Variant& variant) {
    Json json{{"edges", catalog::name_of(variant.edges)}, {"split_k", variant.split_k}};
    for (const catalog::VariantFlag& flag : catalog::variant_flags) {
        if (variant.*flag.value) {
            json[std::string(flag.key)] = true;
        }
    }
    if (variant.parts != catalog::Parts()) {
        json["parts"] = {variant.parts.m, variant.parts.n, variant.parts.k};
    }
    if (variant.pre_passes == PrePassStyle::separate) {
        json["separate_passes"] = true;
    }
    return json;
}

Json json_of(const Configuration& configuration) {
    Json parameters = Json::object();
    for (const auto& [name, value] : configuration.parameters) {
        parameters[name] = value;
    }
    return {{"kernel", configuration.kernel},
            {"parameters", std::move(parameters)},
            {"variant", json_of(configuration.variant)}};
}

namespace {

Variant read_variant(const JsonReader& reader) {
    Variant variant;
    const std::string edges = reader.text("edges");
    const auto* earlier = std::ranges::find(earlier_edges, edges, &Renamed::before);
    const auto found =
        catalog::find_edge_strategy(earlier == earlier_edges.end() ? edges : earlier->now);
    if (!found) {
        reader.fail("edges", "must be padding, guarded, pointer_shift or extension");
    }
    variant.edges = *found;
    variant.split_k = static_cast<int>(reader.integer("split_k"));
    for (const catalog::VariantFlag& flag : catalog::variant_flags) {
        const auto* before = std::ranges::find(earlier_flags, flag.key, &Renamed::now);
        variant.*flag.value =
            reader.flag_or(std::string(flag.key).c_str(), false) ||
            (before != earlier_flags.end() && reader.flag_or(before->before, false));
    }
    if (reader.flag_or("separate_passes", false)) {
        variant.pre_passes = PrePassStyle::separate;
    }
    if (reader.has("parts")) {
        const Json& parts = reader.at("parts");
        if (!parts.is_array() || parts.size() != 3 || !parts[0].is_number_integer() ||
            !parts[1].is_number_integer() || !parts[2].is_number_integer()) {
            reader.fail("parts", "must be three whole numbers");
        }
        variant.parts = {parts[0].get<int>(), parts[1].get<int>(), parts[2].get<int>()};
    }
    return variant;
}

} // namespace

Configuration read_configuration(const JsonReader& reader) {
    Configuration configuration;
    configuration.kernel = reader.text("kernel");
    const JsonReader parameters = reader.sub("parameters");
    for (const auto& [name, value] : parameters.object().items()) {
        configuration.parameters.set(name, static_cast<int>(parameters.integer(name.c_str())));
    }
    configuration.variant = read_variant(reader.sub(reader.has("variant") ? "variant" : "choice"));
    return configuration;
}

// --- trials --------------------------------------------------------------------------------------

Json json_of(const TrialSpec& spec) {
    Json json = json_of(spec.configuration);
    json["problem"] = json_of(spec.shape);
    if (spec.reference) {
        json["reference"] = json_of(*spec.reference);
    }
    const Effort& effort = spec.effort;
    if (effort != Effort()) {
        json["effort"] = {{"seconds", effort.seconds},
                          {"least_samples", effort.least_samples},
                          {"most_samples", effort.most_samples},
                          {"precision", effort.precision},
                          {"give_up_ratio", effort.give_up_ratio}};
    }
    if (spec.with_beta) {
        json["with_beta"] = true;
    }
    return json;
}

TrialSpec read_spec(const JsonReader& reader) {
    TrialSpec spec;
    spec.configuration = read_configuration(reader);
    spec.shape = read_shape(reader.sub("problem"));
    if (reader.has("reference")) {
        spec.reference = read_configuration(reader.sub("reference"));
    }
    if (reader.has("effort")) {
        const JsonReader effort = reader.sub("effort");
        spec.effort = {effort.number("seconds"), static_cast<int>(effort.integer("least_samples")),
                       static_cast<int>(effort.integer("most_samples")), effort.number("precision"),
                       effort.number("give_up_ratio")};
    }
    spec.with_beta = reader.flag_or("with_beta", false);
    return spec;
}

Json json_of(const TrialResult& result) {
    Json json{{"verdict", to_string(result.verdict)},
              {"compile_ms", microseconds(result.compile_seconds) / 1000}};
    if (!result.message.empty()) {
        json["message"] = result.message;
    }
    if (!result.samples.empty()) {
        Json samples = Json::array();
        for (const double sample : result.samples) {
            samples.push_back(microseconds(sample));
        }
        Json steps = Json::array();
        for (const StepTime& step : result.steps) {
            steps.push_back({{"kernel", step.kernel},
                             {"purpose", step.purpose},
                             {"main", step.is_main},
                             {"median_us", microseconds(step.median)},
                             {"spread", rounded(step.spread)}});
        }
        json["a_k_major"] = result.a_k_major;
        json["b_k_major"] = result.b_k_major;
        json["clock"] = result.by_events ? "events" : "wall";
        json["samples_us"] = std::move(samples);
        json["median_us"] = microseconds(result.median);
        json["spread"] = rounded(result.spread);
        json["wall_us"] = microseconds(result.wall_median);
        json["steps"] = std::move(steps);
    }
    if (result.reference_median > 0) {
        json["reference_us"] = microseconds(result.reference_median);
        json["ratio"] = rounded(result.ratio);
    }
    if (result.max_error > 0) {
        json["max_error"] = rounded(result.max_error);
    }
    return json;
}

namespace {

std::vector<double> read_samples(const JsonReader& reader) {
    std::vector<double> samples;
    for (const Json& value : reader.at("samples_us")) {
        if (!value.is_number()) {
            reader.fail("samples_us", "must be numbers");
        }
        samples.push_back(1e-6 * value.get<double>());
    }
    return samples;
}

std::vector<StepTime> read_steps(const JsonReader& reader) {
    std::vector<StepTime> steps;
    const Json& array = reader.at("steps");
    if (!array.is_array()) {
        reader.fail("steps", "must be an array");
    }
    for (const Json& element : array) {
        const JsonReader step(element, "steps", reader.origin());
        steps.push_back({step.text("kernel"), step.text("purpose"), step.flag_or("main", false),
                         1e-6 * step.number("median_us"), step.number("spread")});
    }
    return steps;
}

} // namespace

TrialResult read_result(const JsonReader& reader) {
    TrialResult result;
    const auto verdict = parse_verdict(reader.text("verdict"));
    if (!verdict) {
        reader.fail("verdict",
                    "must be ok, wrong, build failed, launch failed, timeout or constraint");
    }
    result.verdict = *verdict;
    result.message = reader.text_or("message", "");
    result.compile_seconds = 1e-3 * reader.number_or("compile_ms", 0);
    if (reader.has("samples_us")) {
        result.a_k_major = reader.flag_or("a_k_major", false);
        result.b_k_major = reader.flag_or("b_k_major", false);
        result.by_events = reader.text_or("clock", "events") == "events";
        result.samples = read_samples(reader);
        result.median = 1e-6 * reader.number("median_us");
        result.spread = reader.number("spread");
        result.wall_median = 1e-6 * reader.number("wall_us");
        result.steps = read_steps(reader);
    }
    result.reference_median = 1e-6 * reader.number_or("reference_us", 0);
    result.ratio = reader.number_or("ratio", 0);
    result.max_error = reader.number_or("max_error", 0);
    return result;
}

// --- lines ---------------------------------------------------------------------------------------

std::string to_json(const TrialRecord& record) {
    Json json = json_of(record.spec);
    json.update(json_of(record.result));
    json["kind"] = record.kind == RecordKind::timing ? "timing" : "verification";
    json["time"] = record.time;
    json["device"] = record.origin.device;
    json["driver"] = record.origin.driver;
    json["source"] = record.origin.source;
    if (!record.shape_class.empty()) {
        json["class"] = record.shape_class;
    }
    if (record.round != 0) {
        json["round"] = record.round;
    }
    if (!record.checked.empty()) {
        json["checked"] = record.checked;
    }
    // Compilers may say anything: what is no UTF-8 is replaced.
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

TrialRecord parse_record(const std::string& line, const std::string& origin) {
    const Json json = JsonReader::parse(line, origin);
    const JsonReader reader(json, "", origin);
    TrialRecord record;
    const std::string kind = reader.text("kind");
    if (kind != "timing" && kind != "verification") {
        reader.fail("kind", "must be timing or verification");
    }
    record.kind = kind == "timing" ? RecordKind::timing : RecordKind::verification;
    record.time = reader.text("time");
    record.origin = {reader.text("device"), reader.text("driver"), reader.text("source")};
    record.shape_class = reader.text_or("class", "");
    record.round = static_cast<int>(reader.integer_or("round", 0));
    record.checked = reader.text_or("checked", "");
    record.spec = read_spec(reader);
    record.result = read_result(reader);
    return record;
}

} // namespace libsgemm::tune
