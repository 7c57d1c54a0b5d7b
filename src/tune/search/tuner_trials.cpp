// SPDX-License-Identifier: Apache-2.0
// The tuner's questions: answered by the journal, else by trials on the device.
#include "tune/search/roofline.hpp"
#include "tune/search/tuner.hpp"
#include "tune/worker/statistics.hpp"

#include <algorithm>
#include <future>
#include <numeric>

namespace libsgemm::tune {

/// Asks the journal, else the device.
const TrialRecord& Tuner::ask(RecordKind kind, const std::string& shape_class,
                              const TrialSpec& spec, int round) {
    TrialRecord record;
    record.kind = kind;
    record.origin = origin_of(spec.configuration.kernel);
    record.shape_class = shape_class;
    record.spec = spec;
    record.round = round;
    const std::string key = key_of(record);
    const TrialRecord* known = journal_.find(key);
    if (known != nullptr && (known->spec.with_beta || !spec.with_beta)) {
        ++outcome_.remembered;
        note(*known);
        return *known;
    }
    if (kind == RecordKind::timing) {
        record.spec.reference = reference_for(spec.shape);
        record.result = worker_.run(record.spec);
    } else {
        record.result = verify_with_all(spec.configuration, record.checked);
    }
    ++outcome_.verdicts[record.result.verdict];
    ++state_.trials;
    if (!record.result.ok()) {
        ++state_.failures;
    }
    journal_.append(std::move(record));
    note(journal_.records().back());
    return journal_.records().back();
}

/// What became of a kernel's trials, the least ratio of each shape, and how good the best plan of
/// the one in hand is.
void Tuner::note(const TrialRecord& record) {
    const TrialResult& result = record.result;
    if (record.kind != RecordKind::timing) {
        return;
    }
    if (!result.ok()) {
        Failures& failures = outcome_.failures[record.spec.configuration.kernel];
        ++failures.count;
        failures.last = std::string(to_string(result.verdict)) + ": " + result.message;
        return;
    }
    ++outcome_.runs[record.spec.configuration.kernel];
    const std::string shape = judge::shape_name(record.spec.shape);
    double& least = best_ratio_.try_emplace(shape, 1.0).first->second;
    if (result.ratio > 0) {
        least = std::min(least, result.ratio);
    }
    const double seconds = result.ratio > 0 ? least * result.reference_median : result.median;
    if (!options_.shapes.empty()) {
        state_.gflops = 1e-9 * record.spec.shape.flops() / seconds;
        state_.share = least_seconds(record.spec.shape, base_, device_.traits) / seconds;
    }
}

/// Nothing is timed meanwhile: several processes may build.
TrialResult Tuner::verify_with_all(const Configuration& row, std::string& checked) {
    const int parts = 1 + static_cast<int>(verifiers_.size());
    std::vector<std::size_t> shapes(static_cast<std::size_t>(parts));
    std::vector<std::future<TrialResult>> others;
    for (int i = 1; i < parts; ++i) {
        Worker& worker = *verifiers_[static_cast<std::size_t>(i - 1)];
        worker.ensure_started();
        others.push_back(std::async(std::launch::async, [&worker, &row, &shapes, i, parts] {
            return worker.verify(row, {i, parts}, shapes[static_cast<std::size_t>(i)]);
        }));
    }
    TrialResult total = worker_.verify(row, {0, parts}, shapes[0]);
    for (auto& other : others) {
        const TrialResult result = other.get();
        total.compile_seconds += result.compile_seconds;
        total.max_error = std::max(total.max_error, result.max_error);
        if (total.ok() && !result.ok()) {
            total.verdict = result.verdict;
            total.message = result.message;
        }
    }
    checked = std::to_string(std::accumulate(shapes.begin(), shapes.end(), std::size_t{0})) +
              " shapes: storage forms, edges, all remainders, split-K, narrow loads, beta";
    return total;
}

bool Tuner::verify(const Configuration& row, const std::string& shape_class) {
    TrialSpec spec;
    spec.configuration = row;
    spec.configuration.variant = {};
    return ask(RecordKind::verification, shape_class, spec, 0).result.ok();
}

} // namespace libsgemm::tune
