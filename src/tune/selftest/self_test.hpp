// SPDX-License-Identifier: Apache-2.0
//
// A conformance check on a user's device: every kernel that calls may use there, with the table's
// parameters and its own, in worker processes that may hang or crash.
#pragma once

#include "tables/device_table.hpp"
#include "tune/worker/worker.hpp"

#include <functional>
#include <string>
#include <vector>

namespace libsgemm::tune {

/// What is tested, and how.
struct SelfTestSetup {
    DeviceTraits device;
    const catalog::KernelCatalog* kernels = &catalog::kernel_catalog(); ///< of the workers
    tables::DeviceTable table; ///< with the kernels that are disabled today
    WorkerCommand worker;
    TimeLimits limits;
    double seconds = 60;                                   ///< soft limit; what is begun is ended
    std::function<void(const std::string&)> progress = {}; ///< a line now and then
};

/// Something that is wrong on this device.
struct SelfTestFinding {
    std::string kernel;
    catalog::Parameters parameters; ///< complete
    Verdict verdict = Verdict::wrong;
    std::string message;
};

/// A failure that does not show anything wrong with the kernel.
struct SelfTestTrouble {
    SelfTestFinding what;
    bool went_away = false; ///< in a new process; else nothing is known of the kernel
};

/// What the self-test says of one kernel.
struct KernelReport {
    std::string kernel;
    std::vector<std::string> obstacles; ///< why it cannot run here at all
    std::size_t configurations = 0;     ///< sets of parameters that were looked at
    std::size_t problems = 0;
    bool is_left_out = false; ///< it does not compute in strict single precision
};

struct SelfTestReport {
    std::vector<KernelReport> kernels; ///< in the catalogue's order
    std::vector<SelfTestFinding> findings;
    std::vector<SelfTestTrouble> troubles;        ///< nothing is disabled for them
    std::vector<tables::DisabledKernel> disabled; ///< from now on
    std::size_t lifted = 0;                       ///< entries that have been found right again
    double seconds = 0;
    bool every_case = false; ///< each was looked at, if not at every remainder

    std::size_t problems() const;
    /// Nothing is wrong, and nothing was left undecided by a trouble.
    bool all_right() const;
};

/// Looks at a few problems of every build that the planner may ask for, kernel by kernel, then at
/// every remainder as long as there is time. A kernel that was wrong once is disabled altogether, a
/// set of parameters that does not build or run is disabled by itself, if that repeats in a new
/// process in which the plainest kernel runs. A shortage of memory, or of the device, disables
/// nothing. What was disabled before is lifted only by a complete verification. Throws Error if no
/// worker can be started.
SelfTestReport run_self_test(const SelfTestSetup& setup);

/// The report in plain words. `file`: where the disabled kernels are kept.
std::string self_test_text(const SelfTestReport& report, const std::string& file);

} // namespace libsgemm::tune
