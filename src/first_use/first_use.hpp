// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compile/program_cache.hpp"
#include "device/handles.hpp"
#include "execute/workspace_pool.hpp"
#include "plan/planner.hpp"
#include "support/log.hpp"
#include "tables/device_table.hpp"

#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace sgemm::first_use {

/// What timing needs; all of it outlives the object that is made from it.
struct Bench {
    const device::ContextHandle& context;
    cl_device_id device;
    const DeviceTraits& traits;
    compile::ProgramCache& programs;
    const support::Log& log;
};

/// Measures launch time and bandwidth with a pass of the library's own. Throws Error.
tables::MachineModel probe(const Bench& bench, tables::MachineModel machine);

/// Decides by timing, once for each class of problems, which of the most promising plans comes first,
/// and keeps the answer in a file. All members may be called from any thread; timing happens in one
/// at a time.
class FirstUse {
public:
    /// `table` outlives this object; `plans` > 0.
    FirstUse(const Bench& bench, const tables::DeviceTable& table, int plans, std::string file);

    /// Reorders a ranking whose options were open. What cannot be built, run or kept is a warning:
    /// then prediction decides, or the answer is only for this process.
    void settle(const validate::CanonicalProblem& problem, planning::Ranking& ranking);

private:
    std::string fastest(const validate::CanonicalProblem& problem,
                        const planning::Ranking& ranking) const;
    void keep(const tables::Choice& choice) const;

    Bench bench_;
    const tables::DeviceTable& table_;
    int plans_;
    std::string file_;
    std::mutex mutex_;
    std::map<std::string, std::string> answers_; ///< by class; "" where nothing could be timed
};

} // namespace sgemm::first_use
