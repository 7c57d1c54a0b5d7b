// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "context/core.hpp"
#include "cpu_threads/caller_threads.hpp"
#include "device/handles.hpp"
#include "problem/operands.hpp"
#include "problem/problem.hpp"
#include "sgemm/multi_device.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace libsgemm::detail {

/// The arguments of a call, but with a queue for each device.
struct GroupCall {
    const std::vector<cl_command_queue>& queues;
    CallArguments arguments;

    const validate::Matrices& matrices() const { return arguments.matrices; }
    /// The part of a device.
    CallArguments on(std::size_t device, const validate::Matrices& part, Completion how) const {
        CallArguments result = arguments;
        result.queue = queues[device];
        result.matrices = part;
        result.completion = how;
        return result;
    }
};

/// The state behind MultiDevice.
class DeviceGroup {
public:
    DeviceGroup(cl_context context, const std::vector<cl_device_id>& devices,
                const ContextOptions& options);

    /// Of that device. Throws ArgumentError.
    ContextStatistics statistics(std::size_t device) const;
    Event gemm(const Problem& problem, const GroupCall& call) const;
    /// Of a call that has nothing to wait for. Throws ArgumentError.
    std::vector<DeviceShare> shares(const Problem& problem, std::int64_t offset_c) const;

private:
    /// What a call allows, beside the problem.
    struct Dealing {
        bool in_parts = true;
        /// By a device that computes in the calling thread: not where the caller would have to wait
        /// for other calls first.
        bool in_calling_thread = true;

        auto operator<=>(const Dealing&) const = default; // NOLINT(modernize-use-nullptr)
    };

    /// A problem and who computes it.
    struct Dealt {
        validate::CheckedProblem checked;
        Problem problem; ///< resolved
        std::vector<DeviceShare> shares;
        ThreadShares threads; ///< of it, where the calling thread computes and has others beside it
    };
    using DealtPointer = std::shared_ptr<const Dealt>;

    /// What one device computes, planned and compiled.
    struct Part {
        std::size_t index = 0;  ///< of the device
        device::BufferHandle c; ///< the sub-buffer; null where the part is all of it
        validate::Matrices matrices;
        PlanMaker::Found prepared;
    };

    /// What a division depends on.
    struct Key {
        Problem problem;
        std::int64_t offset_c = 0; ///< modulo the alignment of sub-buffers
        Dealing dealing;

        auto operator<=>(const Key&) const = default; // NOLINT(modernize-use-nullptr)
    };

    void make_threads(const ContextOptions& options);
    DealtPointer deal(const Problem& given, std::int64_t offset_c, Dealing dealing) const;
    std::vector<DeviceShare> share_out(const Dealt& dealt, std::int64_t offset_c,
                                       Dealing dealing) const;
    double predicted_seconds(std::size_t device, const Dealt& dealt, std::int64_t units) const;
    bool may_have(std::size_t device, bool whole, Dealing dealing) const;
    double sharing_seconds(const Problem& problem) const;
    void check_queues(const std::vector<cl_command_queue>& queues) const;
    bool may_be_cut(const Problem& given, const GroupCall& call) const;

    std::vector<Part> prepare_all(const Dealt& dealt, cl_mem root, std::int64_t offset_c,
                                  const GroupCall& call) const;
    Part whole_part(std::size_t index, const validate::CheckedProblem& checked,
                    const GroupCall& call) const;
    Part cut_part(std::size_t index, const DeviceShare& share, const Problem& problem,
                  const GroupCall& call, cl_mem root, std::int64_t offset_c) const;
    Part choose_one(const Dealt& dealt, const GroupCall& call) const;
    Event run(const Part& part, const GroupCall& call, Completion how) const;
    Event run_all(const std::vector<Part>& parts, const GroupCall& call) const;
    Event run_alone(const Part& part, const GroupCall& call) const;
    std::optional<Event> run_by_threads(const Dealt& dealt, const GroupCall& call) const;

    std::vector<std::shared_ptr<Core>> cores_;
    /// In whose queue calls end: the first device that has threads, since waiting in the queue of
    /// another one's does not wait for commands of other devices (PoCL 3.1).
    std::size_t leader_ = 0;
    std::int64_t alignment_ = 1;             ///< of sub-buffers, in elements
    bool has_several_for_parts_ = false;     ///< devices that may have less than all of a problem
    bool has_calling_thread_ = false;        ///< devices that compute in it
    std::size_t caller_device_ = 0;          ///< the first of those
    std::unique_ptr<CallerThreads> threads_; ///< null: the caller computes there alone
    mutable std::mutex mutex_;
    mutable std::map<Key, DealtPointer> known_;
};

} // namespace libsgemm::detail
