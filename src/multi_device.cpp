// SPDX-License-Identifier: Apache-2.0
#include "sgemm/multi_device.hpp"

#include "core/core.hpp"
#include "device/buffer_place.hpp"
#include "device/query.hpp"
#include "execute/executor.hpp"
#include "plan/device_split.hpp"
#include "sgemm/error.hpp"
#include "validate/problem.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>

namespace sgemm::detail {
namespace {

constexpr auto element = static_cast<std::int64_t>(sizeof(float));

/// The buffer that sub-buffers can be made of, and where in it another one starts.
struct Root {
    cl_mem buffer = nullptr;
    std::int64_t offset = 0; ///< elements
};

Root root_of(cl_mem buffer) {
    const device::BufferPlace place = device::place_of(buffer);
    return {place.root, static_cast<std::int64_t>(place.origin) / element};
}

/// The caller's sub-buffer must not stand between the devices' own: those are made of its parent.
device::BufferHandle part_of(cl_mem root, std::int64_t offset, std::int64_t elements) {
    const cl_buffer_region region{static_cast<std::size_t>(offset * element),
                                  static_cast<std::size_t>(elements * element)};
    cl_int status = CL_SUCCESS;
    device::BufferHandle part(
        clCreateSubBuffer(root, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status));
    device::check(status, "clCreateSubBuffer");
    return part;
}

/// How a problem is cut: its products, or columns of C as memory has them.
bool cuts_batch(const Problem& problem) {
    return problem.batch_count > 1;
}

std::int64_t units_of(const Problem& problem) {
    if (cuts_batch(problem)) {
        return problem.batch_count;
    }
    return problem.layout == Layout::row_major ? problem.m : problem.n;
}

Problem part_problem(Problem problem, std::int64_t units) {
    if (cuts_batch(problem)) {
        problem.batch_count = units;
    } else if (problem.layout == Layout::row_major) {
        problem.m = units;
    } else {
        problem.n = units;
    }
    return problem;
}

/// `problem` with nothing left to be resolved: parts of tight matrices are not tight.
Problem resolved(Problem problem, const validate::CheckedProblem& checked) {
    problem.lda = checked.a.ld;
    problem.ldb = checked.b.ld;
    problem.ldc = checked.c.ld;
    problem.batch_stride_a = checked.a.batch_stride;
    problem.batch_stride_b = checked.b.batch_stride;
    problem.batch_stride_c = checked.c.batch_stride;
    return problem;
}

struct Steps {
    std::int64_t a = 0;
    std::int64_t b = 0;
    std::int64_t c = 0;
};

/// Elements from one unit of each operand to the next.
Steps steps_of(const Problem& p) {
    if (cuts_batch(p)) {
        return {p.batch_stride_a, p.batch_stride_b, p.batch_stride_c};
    }
    if (p.layout == Layout::row_major) { // rows of op(A)
        return {p.transpose_a == Transpose::no ? p.lda : 1, 0, p.ldc};
    }
    return {0, p.transpose_b == Transpose::no ? p.ldb : 1, p.ldc};
}

bool is_complete(cl_event event) {
    return device::get<cl_int>(clGetEventInfo, event, CL_EVENT_COMMAND_EXECUTION_STATUS,
                               "clGetEventInfo") == CL_COMPLETE;
}

/// Whether a call with this wait list may begin at once.
bool nothing_to_wait_for(const std::vector<cl_event>& wait_list) {
    return std::all_of(wait_list.begin(), wait_list.end(), is_complete);
}

bool has_svm(const validate::Matrices& matrices) {
    return matrices.a.svm != nullptr || matrices.b.svm != nullptr || matrices.c.svm != nullptr;
}

Matrix moved(Matrix matrix, std::int64_t elements) {
    matrix.offset += elements;
    return matrix;
}

} // namespace

/// What a call allows, beside the problem.
struct Dealing {
    bool in_parts = true;
    /// By a device that computes in the calling thread: not where the caller would have to wait for other calls first.
    bool in_calling_thread = true;
};

/// The arguments of a call, beside the problem.
struct GroupCall {
    const std::vector<cl_command_queue>& queues;
    float alpha = 1;
    float beta = 0;
    const validate::Matrices& matrices;
    const std::vector<cl_event>& wait_list;
    Completion completion = Completion::event;

    Invocation on(std::size_t device, const validate::Matrices& part, Completion how) const {
        return {queues[device], alpha, beta, part, wait_list, how};
    }
};

/// A problem and who computes it.
struct Dealt {
    validate::CheckedProblem checked;
    Problem problem; ///< resolved
    std::vector<DeviceShare> shares;
};
using DealtPointer = std::shared_ptr<const Dealt>;

/// The state behind MultiDevice.
class DeviceGroup {
public:
    DeviceGroup(cl_context context, const std::vector<cl_device_id>& devices,
                const ContextOptions& options) {
        if (devices.empty()) {
            throw ArgumentError("devices", "none", "there must be at least one");
        }
        for (cl_device_id device : devices) {
            cores_.push_back(std::make_shared<Core>(context, device, options));
            alignment_ =
                std::max(alignment_, cores_.back()->traits().base_alignment_bytes / element);
        }
        while (leader_ + 1 < cores_.size() &&
               cores_[leader_]->traits().computes_in_calling_thread) {
            ++leader_;
        }
        const auto in_calling_thread =
            std::count_if(cores_.begin(), cores_.end(), [](const auto& core) {
                return core->traits().computes_in_calling_thread;
            });
        has_calling_thread_ = in_calling_thread > 0;
        has_several_for_parts_ = static_cast<std::ptrdiff_t>(cores_.size()) - in_calling_thread > 1;
    }

    const Core& core(std::size_t device) const { return *cores_.at(device); }

    /// `offset_c` counts from the start of the buffer that sub-buffers are made of. A problem that has been dealt before has been
    /// checked, too (where it may be cut, may_be_cut() has done so). Throws ArgumentError.
    DealtPointer deal(const Problem& given, std::int64_t offset_c, Dealing dealing) const {
        const Key key{given.layout,
                      given.transpose_a,
                      given.transpose_b,
                      given.m,
                      given.n,
                      given.k,
                      given.batch_count,
                      given.lda,
                      given.ldb,
                      given.ldc,
                      given.batch_stride_a,
                      given.batch_stride_b,
                      given.batch_stride_c,
                      given.precision,
                      offset_c % alignment_,
                      dealing.in_parts,
                      dealing.in_calling_thread};
        {
            const std::lock_guard lock(mutex_);
            if (const auto known = known_.find(key); known != known_.end()) {
                return known->second;
            }
        }
        auto dealt = std::make_shared<Dealt>();
        dealt->checked = validate::check_problem(given);
        dealt->problem = resolved(given, dealt->checked);
        dealt->shares = share_out(dealt->problem, offset_c, dealing);
        constexpr std::size_t most = 4096;
        const std::lock_guard lock(mutex_);
        if (known_.size() >= most) {
            known_.clear();
        }
        known_[key] = dealt;
        return dealt;
    }

    /// Of a call that has nothing to wait for.
    std::vector<DeviceShare> shares(const Problem& problem, std::int64_t offset_c) const {
        return deal(problem, offset_c, {true, has_calling_thread_})->shares;
    }

    Event gemm(const Problem& given, const GroupCall& call) const {
        check_queues(call.queues);
        validate::check_wait_list(call.wait_list, cores_[0]->context());
        if (cores_.size() == 1) {
            return cores_[leader_]->gemm(given, call.on(leader_, call.matrices, call.completion));
        }
        if (has_svm(call.matrices) && !validate::check_problem(given).c.empty()) {
            for (const auto& core : cores_) { // whichever of them will compute
                validate::check_svm(call.matrices, core->device());
            }
        }
        const Dealing dealing{may_be_cut(given, call),
                              has_calling_thread_ && nothing_to_wait_for(call.wait_list)};
        const Matrix& c = call.matrices.c;
        const Root root = dealing.in_parts ? root_of(c.buffer) : Root();
        const std::int64_t offset_c = dealing.in_parts ? root.offset + c.offset : 0;
        const DealtPointer dealt = deal(given, offset_c, dealing);
        if (dealt->checked.c.empty()) {
            return cores_[leader_]->gemm(given, call.on(leader_, call.matrices, call.completion));
        }
        return dealing.in_parts ? run_all(prepare_all(*dealt, root.buffer, offset_c, call), call)
                                : run_alone(choose_one(*dealt, call), call);
    }

private:
    /// How many units each device computes; `problem` is resolved.
    std::vector<DeviceShare> share_out(const Problem& problem, std::int64_t offset_c,
                                       Dealing dealing) const {
        const std::int64_t units = units_of(problem);
        auto cuts = planning::aligned_cuts(units, steps_of(problem).c, offset_c, alignment_);
        if (!dealing.in_parts) {
            cuts.first = std::numeric_limits<std::int64_t>::max();
        }
        const auto counts = planning::split_among(
            cores_.size(), cuts,
            [&](std::size_t device, std::int64_t count) {
                return may_have(device, count == units, dealing)
                           ? cores_[device]->predicted_seconds(part_problem(problem, count))
                           : std::numeric_limits<double>::infinity();
            },
            sharing_seconds(problem));
        std::vector<DeviceShare> result;
        std::int64_t first = 0;
        for (const std::int64_t count : counts) {
            result.push_back({first, count});
            first += count;
        }
        return result;
    }

    /// Devices that compute in the calling thread share its cores with the others: they get all of a problem or nothing.
    bool may_have(std::size_t device, bool whole, Dealing dealing) const {
        return !cores_[device]->traits().computes_in_calling_thread ||
               (whole && dealing.in_calling_thread);
    }

    /// What it takes, on the slowest way, to move the matrices between the devices.
    double sharing_seconds(const Problem& problem) const {
        const auto checked = validate::check_problem(problem);
        const double bytes =
            static_cast<double>(element) *
            static_cast<double>(checked.a.extent() + checked.b.extent() + checked.c.extent());
        double seconds = 0;
        for (const auto& core : cores_) {
            if (core->sharing_bandwidth() > 0) {
                seconds = std::max(seconds, bytes / core->sharing_bandwidth());
            }
        }
        return seconds;
    }

    /// Whether sub-buffers of C would overlap each other, or memory that kernels read beside them: OpenCL leaves
    /// undefined what is read then.
    static bool parts_would_overlap(const validate::CheckedProblem& checked,
                                    const validate::Matrices& matrices, float alpha) {
        const validate::Stored& stored = checked.c;
        const bool interleaved = stored.batch > 1 && stored.batch_stride < stored.matrix_extent();
        cl_mem c = root_of(matrices.c.buffer).buffer;
        return interleaved ||
               (validate::multiplies(checked, alpha) &&
                (root_of(matrices.a.buffer).buffer == c || root_of(matrices.b.buffer).buffer == c));
    }

    void check_queues(const std::vector<cl_command_queue>& queues) const {
        if (queues.size() != cores_.size()) {
            throw ArgumentError("queues", std::to_string(queues.size()),
                                "there must be one for each of the " +
                                    std::to_string(cores_.size()) + " devices");
        }
        for (std::size_t i = 0; i < cores_.size(); ++i) {
            validate::check_queue(queues[i], cores_[i]->context(), cores_[i]->device());
        }
    }

    /// Checks problem and matrices first where that is to be asked of them.
    bool may_be_cut(const Problem& given, const GroupCall& call) const {
        const validate::Matrices& matrices = call.matrices;
        if (!has_several_for_parts_ || has_svm(matrices)) {
            return false;
        }
        const auto checked = validate::check_problem(given);
        validate::check_matrices(checked, matrices, validate::multiplies(checked, call.alpha),
                                 cores_[0]->context());
        return !checked.c.empty() && !parts_would_overlap(checked, matrices, call.alpha);
    }

    /// What one device computes, planned and compiled.
    struct Part {
        std::size_t index = 0;  ///< of the device
        device::BufferHandle c; ///< the sub-buffer; null where the part is all of it
        validate::Matrices matrices;
        PlanMaker::Found prepared;
    };

    /// All parts before the first is enqueued, so that an error leaves C as it was.
    std::vector<Part> prepare_all(const Dealt& dealt, cl_mem root, std::int64_t offset_c,
                                  const GroupCall& call) const {
        std::vector<Part> parts;
        for (std::size_t i = 0; i < dealt.shares.size(); ++i) {
            const DeviceShare& share = dealt.shares[i];
            if (share.count == 0) {
                continue;
            }
            parts.push_back(share.count == units_of(dealt.problem)
                                ? whole_part(i, dealt.checked, call)
                                : cut_part(i, share, dealt.problem, call, root, offset_c));
        }
        return parts;
    }

    Part whole_part(std::size_t index, const validate::CheckedProblem& checked,
                    const GroupCall& call) const {
        return {index,
                {},
                call.matrices,
                cores_[index]->prepare_checked(checked,
                                               call.on(index, call.matrices, Completion::event))};
    }

    Part cut_part(std::size_t index, const DeviceShare& share, const Problem& problem,
                  const GroupCall& call, cl_mem root, std::int64_t offset_c) const {
        const Steps steps = steps_of(problem);
        const std::int64_t begin = offset_c + share.first * steps.c;
        // The first part may start anywhere: its sub-buffer starts where it is allowed to.
        const std::int64_t before = begin % alignment_;
        const validate::CheckedProblem cut =
            validate::check_problem(part_problem(problem, share.count));
        device::BufferHandle c = part_of(root, begin - before, before + cut.c.extent());
        const validate::Matrices matrices{moved(call.matrices.a, share.first * steps.a),
                                          moved(call.matrices.b, share.first * steps.b),
                                          {c.get(), before}};
        return {index, std::move(c), matrices,
                cores_[index]->prepare_checked(cut, call.on(index, matrices, Completion::event))};
    }

    /// The device of a problem that is not to be cut.
    Part choose_one(const Dealt& dealt, const GroupCall& call) const {
        const auto chosen = std::find_if(dealt.shares.begin(), dealt.shares.end(),
                                         [](const DeviceShare& share) { return share.count > 0; });
        return whole_part(static_cast<std::size_t>(chosen - dealt.shares.begin()), dealt.checked,
                          call);
    }

    Event run(const Part& part, const GroupCall& call, Completion how) const {
        return cores_[part.index]->run(part.prepared, call.on(part.index, part.matrices, how));
    }

    Event run_all(const std::vector<Part>& parts, const GroupCall& call) const {
        if (parts.size() == 1) {
            return run_alone(parts.front(), call);
        }
        std::vector<Event> events;
        std::vector<cl_event> ends;
        for (const Part& part : parts) {
            events.push_back(run(part, call, Completion::event));
            ends.push_back(events.back().get());
            // Another device's queue waits for it.
            device::check(clFlush(call.queues[part.index]), "clFlush");
        }
        return execute::enqueue_nothing(call.queues[leader_], ends, call.completion);
    }

    /// What follows in the leader's queue is to be behind a command of another's. It is, if that one is complete: as it is where the
    /// calling thread computed it.
    Event run_alone(const Part& part, const GroupCall& call) const {
        if (part.index == leader_) {
            return run(part, call, call.completion);
        }
        Event done = run(part, call, Completion::event);
        if (!is_complete(done.get())) {
            device::check(clFlush(call.queues[part.index]), "clFlush");
        }
        if (is_complete(done.get())) {
            return call.completion == Completion::event ? std::move(done) : Event();
        }
        return execute::enqueue_nothing(call.queues[leader_], {done.get()}, call.completion);
    }

    using Key = std::tuple<Layout, Transpose, Transpose, std::int64_t, std::int64_t, std::int64_t,
                           std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                           std::int64_t, std::int64_t, Precision, std::int64_t, bool, bool>;

    std::vector<std::shared_ptr<Core>> cores_;
    /// In whose queue calls end: the first device that has threads, since waiting in the queue of another one's does not wait for
    /// commands of other devices (PoCL 3.1).
    std::size_t leader_ = 0;
    std::int64_t alignment_ = 1;         ///< of sub-buffers, in elements
    bool has_several_for_parts_ = false; ///< devices that may have less than all of a problem
    bool has_calling_thread_ = false;    ///< devices that compute in it
    mutable std::mutex mutex_;
    mutable std::map<Key, DealtPointer> known_;
};

} // namespace sgemm::detail

namespace sgemm {

MultiDevice::MultiDevice(cl_context context, const std::vector<cl_device_id>& devices,
                         const ContextOptions& options)
    : group_(std::make_shared<const detail::DeviceGroup>(context, devices, options)) {}
MultiDevice::MultiDevice(const MultiDevice&) noexcept = default;
MultiDevice::MultiDevice(MultiDevice&&) noexcept = default;
MultiDevice& MultiDevice::operator=(const MultiDevice&) noexcept = default;
MultiDevice& MultiDevice::operator=(MultiDevice&&) noexcept = default;
MultiDevice::~MultiDevice() = default;

Event MultiDevice::gemm(const std::vector<cl_command_queue>& queues, const Problem& problem,
                        float alpha, const Matrix& a, const Matrix& b, float beta, const Matrix& c,
                        const std::vector<cl_event>& wait_list, Completion completion) const {
    return group_->gemm(problem, {queues, alpha, beta, {a, b, c}, wait_list, completion});
}

std::vector<DeviceShare> MultiDevice::shares(const Problem& problem, std::int64_t offset_c) const {
    return group_->shares(problem, offset_c);
}

ContextStatistics MultiDevice::statistics(std::size_t device) const {
    return group_->core(device).statistics();
}

} // namespace sgemm
