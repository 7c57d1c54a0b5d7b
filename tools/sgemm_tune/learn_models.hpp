// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/device.hpp"
#include "tables/device_table.hpp"
#include "tune/fit/choose_models.hpp"

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace libsgemm::tune {

/// What `sgemm-tune` does at the end: it times the plans that its table offers for many shapes, and
/// chooses models for them (`choose_models`), so that the planner takes for each shape what the
/// search has found for shapes like it.
struct ModelLearning {
    double seconds = 0;             ///< for all of it
    std::filesystem::path run_file; ///< of what was measured; appended to
    std::vector<std::string>
        shapes; ///< to measure first, in the words of --also; then others, drawn at random
    std::vector<std::string> relatives; ///< of them; measured once models are fitted
    const std::atomic<bool>* interrupted = nullptr;
    std::function<void(double seconds)> on_progress; ///< now and then: since the beginning
};

struct LearntModels {
    tables::DeviceTable table;
    ModelSource source = ModelSource::given;
    std::size_t shapes = 0; ///< measured
    /// Geometric mean over them, of the time of the first plan in the planner's order that was
    /// measured to that of the best one: by the tuned table alone, and with all rows and the models
    /// chosen, by cross-validation.
    double regret_before = 1;
    double regret_after = 1;
};

/// Rows of the table before are measured beside the tuned ones, and stay where the planner takes
/// them for one of those shapes or of 400 others: a search for a few says nothing of the rest.
/// Measures in processes of their own, which may hang or die without harm; an interruption ends
/// that, and what was measured counts. Throws std::runtime_error that says why the models stay as
/// they are: too little was measured, or what was learnt would surely choose worse there.
LearntModels learn_models(const ModelLearning& learning, const tables::DeviceTable& tuned,
                          const tables::DeviceTable& before, const DeviceHandle& device);

} // namespace libsgemm::tune
