// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "judge/operands.hpp"
#include "judge/reference.hpp"
#include "opencl_session.hpp"
#include "sgemm/context.hpp"

#include <chrono>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace libsgemm::bench {

using judge::Operands;
using judge::Shape;
using judge::UsageError;
using judge::Workload;

/// An implementation is not built in or cannot run here; what() is the reason.
class Unavailable : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// An implementation cannot compute a workload, which is no mistake of its; what() is the reason.
class Unsupported : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// One workload made ready on one implementation, with A and B where it reads them.
class Runner {
public:
    virtual ~Runner() = default;
    /// Computes C once: enqueues all there is to do, behind the calls before; a host library is
    /// done when it returns.
    virtual void enqueue() = 0;
    /// Waits until all that was enqueued is done.
    virtual void finish() {}
    void run() {
        enqueue();
        finish();
    }
    /// Sets and gets the front of C, as many elements as the vector has.
    virtual void write_c(const std::vector<float>& host) = 0;
    virtual void read_c(std::vector<float>& host) = 0;
    /// False for a yardstick that leaves C alone: then there is nothing to verify.
    virtual bool multiplies() const { return true; }
    /// How it computes, e.g. the plan; empty where there is nothing to say.
    virtual std::string label() const { return {}; }
};

/// Something that multiplies matrices: a way to call libsgemm, or a peer.
class Implementation {
public:
    explicit Implementation(std::string name) : name_(std::move(name)) {}
    virtual ~Implementation() = default;

    const std::string& name() const { return name_; }
    /// Throws Unsupported, or whatever went wrong.
    virtual std::unique_ptr<Runner> prepare(const Workload& workload) = 0;
    /// What a reader of the figures must know, for the JSON context: versions, settings.
    virtual std::map<std::string, std::string> facts() const { return {}; }
    /// How long its idle threads may keep a CPU busy after a call: others are not timed until then.
    virtual std::chrono::milliseconds settle_time() const { return {}; }

private:
    std::string name_;
};

/// What all implementations share.
struct Environment {
    Operands operands;
    std::shared_ptr<OpenClSession> opencl; ///< null where there is no OpenCL device
    std::string opencl_obstacle;           ///< why it is null
    std::shared_ptr<Context> libsgemm;     ///< of the session; made when first asked for
    std::string openblas_coretype;         ///< --openblas-coretype
    std::string clblast_tuning;            ///< --clblast-tuning

    /// The session with A and B uploaded. Throws Unavailable.
    OpenClSession& opencl_with_operands();
    /// Throws Unavailable.
    OpenClSession& opencl_session() const;
    /// Throws Unavailable.
    const Context& libsgemm_context();
};

using Implementations = std::vector<std::unique_ptr<Implementation>>;

} // namespace libsgemm::bench
