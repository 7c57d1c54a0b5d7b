// SPDX-License-Identifier: Apache-2.0
// The tuner's questions: answered by the journal, else by trials on the device.
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
    if (const TrialRecord* known = journal_.find(key)) {
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

void Tuner::note(const TrialRecord& record) {
    if (record.kind != RecordKind::timing || !record.result.ok() || record.result.ratio <= 0) {
        return;
    }
    double& best = best_ratio_.try_emplace(judge::shape_name(record.spec.shape), 1.0).first->second;
    best = std::min(best, record.result.ratio);
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
