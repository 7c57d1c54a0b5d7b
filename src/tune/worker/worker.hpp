// SPDX-License-Identifier: Apache-2.0
//
// Trials in a process of their own. A compiler that crashes, a kernel that never ends, memory that
// runs out: the worker is killed and started anew, and the trial has its verdict.
//
// Both sides speak JSON, one object a line. The tuner asks {"run": SPEC} or {"verify":
// CONFIGURATION}; the worker says {"ready": true} once, {"stage": "building"}, "launching" or
// "running" as it goes along, and {"result": ...} at the end.
#pragma once

#include "sgemm/error.hpp"
#include "tune/worker/trial_runner.hpp"
#include "tune/worker/verification.hpp"

#include <atomic>
#include <optional>
#include <string>
#include <vector>

namespace libsgemm::tune {

/// The worker's side: serves requests from standard input until it ends. Replies go to standard
/// output, which drivers and compilers can no longer reach. Returns the exit status.
int serve(const DeviceHandle& device,
          const catalog::KernelCatalog& kernels = catalog::kernel_catalog(),
          tables::DeviceTable table = {});

/// How a worker is started: program and arguments.
struct WorkerCommand {
    std::vector<std::string> words;
};

/// Seconds that a stage may take.
struct TimeLimits {
    double start = 120; ///< until the worker has its device
    double build = 60;  ///< one build, and the first launch where that is part of it
    double run = 10;    ///< between two signs of life while running
};

/// No worker process can be had any more.
class WorkerError : public Error {
    using Error::Error;
};

/// Somebody pressed Ctrl-C: the trial is abandoned and has no verdict.
class Interrupted : public std::exception {
public:
    const char* what() const noexcept override { return "interrupted"; }
};

/// The tuner's side: one worker process, started when first needed and again after it was lost.
/// One thread at a time.
class Worker {
public:
    /// `interrupted` may be set at any time, from a signal handler.
    Worker(WorkerCommand command, TimeLimits limits,
           const std::atomic<bool>* interrupted = nullptr);
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    /// A trial. Whatever happens to the process is in the verdict. Throws Interrupted, and
    /// WorkerError if no worker can be started.
    TrialResult run(const TrialSpec& spec);
    /// verify_row() over there.
    TrialResult verify(const Configuration& row, Part part, std::size_t& shapes);
    /// Starts the process if there is none. A process ends with the thread that started it: call
    /// this before handing the worker to a thread of short life.
    void ensure_started();
    /// Ends the process, if there is one: the next trial gets a new one.
    void restart() { stop(); }

    /// Worker processes that were started so far.
    int starts() const { return starts_; }

private:
    enum class Phase : std::uint8_t { starting, building, launching, running };
    struct Reply {
        bool lost = false; ///< the process ended or was killed
        Verdict verdict = Verdict::ok;
        std::string text; ///< the result's JSON, or what happened
    };

    void start();
    void stop();
    std::optional<int> reap();
    Reply ask(const std::string& request);
    Reply wait_for(const char* key);
    Reply lose(Phase phase, bool timed_out);
    bool read_some(double seconds, bool& ended);
    double limit_of(Phase phase) const;
    void check_interrupt();

    WorkerCommand command_;
    TimeLimits limits_;
    const std::atomic<bool>* interrupted_;
    int pid_ = -1;
    int to_worker_ = -1;
    int from_worker_ = -1;
    int errors_ = -1;
    std::string input_;      ///< read and not yet taken apart
    std::string error_text_; ///< the last the worker said on standard error
    int starts_ = 0;
};

} // namespace libsgemm::tune
