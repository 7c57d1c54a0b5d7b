// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/kernel_catalog.hpp"
#include "compile/program_cache.hpp"
#include "device/handles.hpp"
#include "execute/workspace_pool.hpp"
#include "plan/plan_value.hpp"
#include "sgemm/device.hpp"
#include "support/log.hpp"
#include "tables/device_table.hpp"
#include "tune/worker/operands.hpp"
#include "tune/worker/trial.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace libsgemm::tune {

/// Where a trial is: whoever waits for it gives each stage its time.
enum class Stage : std::uint8_t {
    building,
    launching, ///< the first run of a new build, on platforms that compile only then
    running,
};
using StageListener = std::function<void(Stage)>;

/// How a configuration is called for a shape, beside the timing.
struct Scalars {
    float alpha = 1;
    float beta = 0;
};

/// Runs trials in this process, one at a time. A trial may end the process: see worker.hpp.
class TrialRunner {
public:
    /// `kernels` outlive it; `table`: of rows that plans are made of which consist of several.
    /// Throws OpenClError.
    explicit TrialRunner(const DeviceHandle& device,
                         const catalog::KernelCatalog& kernels = catalog::kernel_catalog(),
                         tables::DeviceTable table = {});
    ~TrialRunner();
    TrialRunner(const TrialRunner&) = delete;
    TrialRunner& operator=(const TrialRunner&) = delete;

    const DeviceTraits& traits() const { return traits_; }
    const catalog::KernelCatalog& kernels() const { return kernels_; }

    /// Builds, verifies and times. What goes wrong is in the verdict; nothing is thrown.
    TrialResult run(const TrialSpec& spec, const StageListener& listener = {});

    /// Builds and verifies only.
    TrialResult check(const Configuration& configuration, const Shape& shape, Scalars scalars,
                      const StageListener& listener = {});

private:
    struct Prepared;
    class Timer;

    Prepared prepare(const Configuration& configuration, const Shape& shape, bool is_reference,
                     TrialResult& result, const StageListener& listener);
    void enqueue(const Prepared& prepared, Scalars scalars,
                 std::vector<device::EventHandle>* events);
    void finish() const;
    void verify(const Prepared& prepared, const Shape& shape, Scalars scalars, TrialResult& result);
    void time(const Prepared& candidate, const Prepared* reference, const Effort& effort,
              TrialResult& result);
    compile::ProgramCache& cache_for(const Configuration& configuration);
    void run_first(const Prepared& prepared, bool is_new, TrialResult& result,
                   const StageListener& listener);

    DeviceTraits traits_;
    cl_device_id device_;
    const catalog::KernelCatalog& kernels_;
    tables::DeviceTable table_;
    support::Log log_;
    device::ContextHandle context_;
    device::QueueHandle queue_;
    execute::WorkspacePool pool_;
    Operands operands_;
    /// Passes and references; candidates have a cache that is dropped with them.
    compile::ProgramCache lasting_programs_;
    std::unique_ptr<compile::ProgramCache> candidate_programs_;
    std::string candidate_;
};

} // namespace libsgemm::tune
