// SPDX-License-Identifier: Apache-2.0
#include "tune/fit/measurement_run.hpp"

#include "catalog/kernel_catalog.hpp"
#include "tune/fit/earlier_plans.hpp"
#include "tune/worker/statistics.hpp"
#include "tune/worker/trial_json.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

namespace libsgemm::tune {
namespace {

using OrderedJson = nlohmann::ordered_json;

/// Four significant digits: what a timing is worth.
double shortened(double value) {
    if (value == 0 || !std::isfinite(value)) {
        return 0;
    }
    const double scale = std::pow(10, 3 - std::floor(std::log10(std::abs(value))));
    return std::round(value * scale) / scale;
}

OrderedJson to_json(const PlanTime& plan) {
    OrderedJson json = json_of(plan.plan);
    json.update({{"strategy", plan.strategy},
                 {"predicted_us", shortened(plan.predicted_us)},
                 {"us", shortened(plan.us)},
                 {"wall_us", shortened(plan.wall_us)},
                 {"spread", shortened(plan.spread)},
                 {"runs", plan.runs}});
    return json;
}

/// With the defaults of parameters that the kernel got since: the kernel of then is that one.
catalog::PlanKey key_from(const Json& json) {
    catalog::PlanKey key = json.contains("plan") ? plan_of_earlier_text(json.at("plan"))
                                                 : read_configuration({json, "", "plan"});
    if (const auto* kernel = catalog::kernel_catalog().find(key.kernel)) {
        key.parameters = kernel->completed(key.parameters);
    }
    return key;
}

PlanTime plan_from(const Json& json) {
    PlanTime plan;
    plan.plan = key_from(json);
    plan.strategy = json.at("strategy");
    plan.plan.variant.peeled = plan.strategy == "peeled"; // earlier versions said it there alone
    plan.predicted_us = json.at("predicted_us");
    plan.us = json.at("us");
    plan.wall_us = json.at("wall_us");
    plan.spread = json.at("spread");
    plan.runs = json.at("runs");
    return plan;
}

ShapeTimes shape_from(const Json& json) {
    ShapeTimes shape;
    shape.shape = json.at("shape");
    shape.suite = json.at("suite");
    shape.held_out = json.at("held_out");
    shape.candidates = json.at("candidates");
    for (const Json& plan : json.at("plans")) {
        shape.plans.push_back(plan_from(plan));
    }
    shape.failed = json.at("failed").get<std::vector<std::string>>();
    return shape;
}

void read_line(const std::string& line, MeasurementRun& run) {
    const Json json = Json::parse(line);
    const std::string type = json.at("type");
    if (type == "run" || // as earlier versions called it:
        type == "campaign") {
        if (run.facts.empty()) {
            run.facts = json.at("facts").get<Facts>();
        }
    } else if (type == "shape") {
        run.shapes.push_back(shape_from(json));
    } else {
        throw std::runtime_error("unknown type '" + type + "'");
    }
}

/// A line that a kill cut short must not run into the next one.
void drop_unfinished_line(const std::string& file) {
    std::error_code missing;
    const auto size = std::filesystem::file_size(file, missing);
    if (missing || size == 0) {
        return;
    }
    std::ifstream stream(file, std::ios::binary);
    std::uintmax_t whole = 0;
    std::uintmax_t position = 0;
    for (std::string line; std::getline(stream, line);) {
        position += line.size() + 1;
        if (position <= size) {
            whole = position;
        }
    }
    if (whole != size) {
        std::filesystem::resize_file(file, whole);
    }
}

/// Points into `plans`, const or not; null: it is not among them.
template <typename Plans>
auto find_plan(Plans& plans, const PlanTime& wanted) {
    const auto same = std::ranges::find_if(
        plans, [&](const PlanTime& known) { return known.identity() == wanted.identity(); });
    return same == plans.end() ? nullptr : &*same;
}

/// How much faster the device was when `other` was measured, by the plans of both; 1 if there are
/// none.
double speed_of(const ShapeTimes& other, const ShapeTimes& shape) {
    std::vector<double> ratios;
    for (const PlanTime& time : other.plans) {
        if (const PlanTime* known = find_plan(shape.plans, time)) {
            ratios.push_back(known->us / time.us);
        }
    }
    return ratios.empty() ? 1 : median(ratios);
}

/// Plans of both count with their least time. What only the slower of the two has is taken to be as
/// much faster as those were: plans of a shape are compared with each other.
void merge_plans(ShapeTimes& shape, const ShapeTimes& other) {
    const double speed = speed_of(other, shape);
    for (PlanTime& time : shape.plans) {
        if (speed > 1 && find_plan(other.plans, time) == nullptr) {
            time.us /= speed;
        }
    }
    for (PlanTime time : other.plans) {
        PlanTime* known = find_plan(shape.plans, time);
        if (known == nullptr) {
            time.us *= std::min(1.0, speed);
            shape.plans.push_back(std::move(time));
        } else if (time.us < known->us) {
            *known = std::move(time);
        }
    }
}

} // namespace

PlanIdentity identity_of(const planning::PlanValue& plan) {
    return {plan.key(), plan.strategy};
}

std::string PlanTime::to_string() const {
    const auto* kernel = catalog::kernel_catalog().find(plan.kernel);
    return kernel == nullptr ? plan.kernel
                             : catalog::to_string(*kernel, plan.parameters, plan.variant);
}

MeasurementRun read_measurement_run(const std::string& file) {
    MeasurementRun lines;
    std::ifstream stream(file);
    int number = 0;
    for (std::string line; std::getline(stream, line);) {
        ++number;
        const bool unfinished = stream.eof();
        if (line.empty()) {
            continue;
        }
        try {
            read_line(line, lines);
        } catch (const std::exception& error) {
            if (!unfinished) {
                throw std::runtime_error(file + ":" + std::to_string(number) + ": " + error.what());
            }
        }
    }
    MeasurementRun run{lines.facts, {}};
    merge(run, lines); // what was measured again
    return run;
}

void merge(MeasurementRun& run, const MeasurementRun& other) {
    std::map<std::string, ShapeTimes*> known;
    run.shapes.reserve(run.shapes.size() + other.shapes.size()); // pointers stay good
    for (ShapeTimes& shape : run.shapes) {
        known[shape.shape] = &shape;
    }
    for (const ShapeTimes& shape : other.shapes) {
        const auto found = known.find(shape.shape);
        if (found == known.end()) {
            run.shapes.push_back(shape);
            known[shape.shape] = &run.shapes.back();
        } else {
            merge_plans(*found->second, shape);
        }
    }
}

MeasurementRunWriter::MeasurementRunWriter(const std::string& file) : file_(file) {
    drop_unfinished_line(file);
    stream_.open(file, std::ios::app);
    if (!stream_) {
        throw std::runtime_error(file + ": cannot be written");
    }
}

void MeasurementRunWriter::write(const Facts& facts) {
    write_line(OrderedJson{{"type", "run"}, {"facts", facts}}.dump());
}

void MeasurementRunWriter::write(const ShapeTimes& shape) {
    OrderedJson plans = OrderedJson::array();
    for (const PlanTime& plan : shape.plans) {
        plans.push_back(to_json(plan));
    }
    write_line(OrderedJson{{"type", "shape"},
                           {"shape", shape.shape},
                           {"suite", shape.suite},
                           {"held_out", shape.held_out},
                           {"candidates", shape.candidates},
                           {"plans", std::move(plans)},
                           {"failed", shape.failed}}
                   .dump());
}

void MeasurementRunWriter::write_line(const std::string& line) {
    stream_ << line << '\n' << std::flush;
    if (!stream_) {
        throw std::runtime_error(file_ + ": cannot be written (is the disk full?)");
    }
}

} // namespace libsgemm::tune
