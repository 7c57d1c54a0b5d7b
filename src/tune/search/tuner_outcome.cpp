// SPDX-License-Identifier: Apache-2.0
// What a run of the tuner came to, class by class.
#include "tune/search/tuner.hpp"
#include "tune/worker/statistics.hpp"

namespace libsgemm::tune {

/// Per class: the best verified times against those of the plans before.
void Tuner::sum_up() {
    std::set<std::string> verified;
    for (const TrialRecord& record : journal_.records()) {
        if (record.kind == RecordKind::verification && record.result.ok()) {
            verified.insert(record.spec.configuration.kernel + ' ' +
                            record.spec.configuration.parameters.to_string());
        }
    }
    struct Best {
        double ratio = 1;
        std::string winner = "as before";
        double seconds = 0;
    };
    std::map<std::string, std::map<std::string, Best>> classes;
    for (const TrialRecord& record : journal_.records()) {
        if (record.kind != RecordKind::timing || !record.result.ok() || record.result.ratio <= 0 ||
            record.origin != origin_of(record.spec.configuration.kernel)) {
            continue;
        }
        const Configuration& row = record.spec.configuration;
        Best& best = classes[record.shape_class][judge::shape_name(record.spec.shape)];
        if (best.seconds == 0) {
            best.seconds = record.result.reference_median;
        }
        if (record.result.ratio < best.ratio &&
            verified.contains(row.kernel + ' ' + row.parameters.to_string())) {
            best = {record.result.ratio, to_candidate(row, kernels_).to_string(),
                    record.result.median};
        }
    }
    for (const auto& [name, shapes] : classes) {
        std::vector<double> speedups;
        for (const auto& [shape, best] : shapes) {
            speedups.push_back(1 / best.ratio);
            outcome_.shapes.push_back(
                {shape, 1 / best.ratio,
                 1e-9 * judge::parse_shape_name(shape).flops() / best.seconds});
        }
        const auto& [shape, first] = *shapes.begin();
        outcome_.classes.push_back({name, geometric_mean(speedups), shape + ": " + first.winner,
                                    1e-9 * judge::parse_shape_name(shape).flops() / first.seconds});
    }
}

} // namespace libsgemm::tune
