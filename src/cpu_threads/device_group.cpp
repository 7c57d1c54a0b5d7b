// SPDX-License-Identifier: Apache-2.0
#include "cpu_threads/device_group.hpp"

#include "context/settings.hpp"
#include "cpu_threads/blocks.hpp"
#include "cpu_threads/cores.hpp"
#include "cpu_threads/device_split.hpp"
#include "device/buffer_place.hpp"
#include "device/query.hpp"
#include "sgemm/error.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <thread>
#include <utility>

namespace libsgemm::detail {
namespace {

constexpr auto element = static_cast<std::int64_t>(sizeof(float));

/// The caller is kept no longer than this: calls of other devices return at once, and their threads
/// take work as they get to it.
constexpr double longest_in_calling_thread_seconds = 1e-3;
/// To keep several of its threads must save a twentieth of another device's time.
constexpr double least_speedup_by_threads = 1.05;
/// Problems that are remembered; a program that has more of them begins anew.
constexpr std::size_t most_dealt = 4096;

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

/// Whether a call with this wait list may begin at once.
bool nothing_to_wait_for(const std::vector<cl_event>& wait_list) {
    return std::all_of(wait_list.begin(), wait_list.end(), device::is_complete);
}

/// An earlier call's event may be of one of these queues: which one its caller does not know, so
/// that he cannot have flushed it before another of them waits.
void flush(const std::vector<cl_command_queue>& queues) {
    for (cl_command_queue queue : queues) {
        device::check(clFlush(queue), "clFlush");
    }
}

bool has_svm(const validate::Matrices& matrices) {
    return matrices.a.svm != nullptr || matrices.b.svm != nullptr || matrices.c.svm != nullptr;
}

/// Whether sub-buffers of C would overlap each other, or memory that kernels read beside them:
/// OpenCL leaves undefined what is read then.
bool parts_would_overlap(const validate::CheckedProblem& checked,
                         const validate::Matrices& matrices, float alpha) {
    const validate::Stored& stored = checked.c;
    const bool interleaved = stored.batch > 1 && stored.batch_stride < stored.matrix_extent();
    cl_mem c = root_of(matrices.c.buffer).buffer;
    return interleaved ||
           (validate::multiplies(checked, alpha) &&
            (root_of(matrices.a.buffer).buffer == c || root_of(matrices.b.buffer).buffer == c));
}

} // namespace

DeviceGroup::DeviceGroup(cl_context context, const std::vector<cl_device_id>& devices,
                         const ContextOptions& options) {
    if (devices.empty()) {
        throw ArgumentError("devices", "none", "there must be at least one");
    }
    for (cl_device_id device : devices) {
        cores_.push_back(std::make_shared<Core>(context, device, options));
        alignment_ = std::max(alignment_, cores_.back()->traits().base_alignment_bytes / element);
    }
    while (leader_ + 1 < cores_.size() && cores_[leader_]->traits().computes_in_calling_thread) {
        ++leader_;
    }
    const auto in_calling_thread =
        std::count_if(cores_.begin(), cores_.end(),
                      [](const auto& core) { return core->traits().computes_in_calling_thread; });
    has_calling_thread_ = in_calling_thread > 0;
    make_threads(options);
    has_several_for_parts_ = static_cast<std::ptrdiff_t>(cores_.size()) - in_calling_thread > 1;
}

/// With as many threads as the first device with threads has compute units, but not more than there
/// are cores for this thread, unless the options say otherwise.
void DeviceGroup::make_threads(const ContextOptions& options) {
    const auto own = std::find_if(cores_.begin(), cores_.end(), [](const auto& core) {
        return core->traits().computes_in_calling_thread;
    });
    const std::size_t known = Cores::of_this_thread().count();
    const std::size_t cores = known > 0 ? known : std::thread::hardware_concurrency();
    const std::size_t threads =
        caller_threads(options, std::min<std::int64_t>(cores_[leader_]->traits().compute_units,
                                                       static_cast<std::int64_t>(cores)));
    if (own != cores_.end() && cores_.size() > 1 && threads > 1) {
        caller_device_ = static_cast<std::size_t>(own - cores_.begin());
        threads_ = std::make_unique<CallerThreads>(*own, threads);
    }
}

ContextStatistics DeviceGroup::statistics(std::size_t device) const {
    if (device >= cores_.size()) {
        throw ArgumentError("device", std::to_string(device),
                            "must be the number of one of the " + std::to_string(cores_.size()) +
                                " devices");
    }
    return cores_[device]->statistics();
}

std::vector<DeviceShare> DeviceGroup::shares(const Problem& problem, std::int64_t offset_c) const {
    if (offset_c < 0) {
        throw ArgumentError("offset_c", std::to_string(offset_c), "must not be negative");
    }
    return deal(cores_[0]->resolved(problem), offset_c,
                {has_several_for_parts_, has_calling_thread_})
        ->shares;
}

/// `offset_c` counts from the start of the buffer that sub-buffers are made of. A problem that has
/// been divided before has been checked, too (where it may be cut, may_be_cut() has done so).
/// Throws ArgumentError.
DeviceGroup::DealtPointer DeviceGroup::deal(const Problem& given, std::int64_t offset_c,
                                            Dealing dealing) const {
    const Key key{given, offset_c % alignment_, dealing};
    {
        const std::lock_guard lock(mutex_);
        if (const auto known = known_.find(key); known != known_.end()) {
            return known->second;
        }
    }
    auto dealt = std::make_shared<Dealt>();
    dealt->checked = validate::check_problem(given);
    dealt->problem = resolved(given, dealt->checked);
    if (threads_ != nullptr && dealing.in_calling_thread && !dealt->checked.c.empty()) {
        dealt->threads = threads_->share(dealt->problem);
    }
    dealt->shares = share_out(*dealt, offset_c, dealing);
    const std::lock_guard lock(mutex_);
    if (known_.size() >= most_dealt) {
        known_.clear();
    }
    known_[key] = dealt;
    return dealt;
}

Event DeviceGroup::gemm(const Problem& problem, const GroupCall& call) const {
    const Problem given = cores_[0]->resolved(problem);
    check_queues(call.queues);
    validate::check_wait_list(call.arguments.wait_list, cores_[0]->context());
    validate::check_completion(call.arguments.completion);
    if (cores_.size() == 1) {
        return cores_[leader_]->gemm(given,
                                     call.on(leader_, call.matrices(), call.arguments.completion));
    }
    if (has_svm(call.matrices()) && !validate::check_problem(given).c.empty()) {
        for (const auto& core : cores_) { // whichever of them will compute
            validate::check_svm(call.matrices(), core->device());
        }
    }
    const bool can_begin = nothing_to_wait_for(call.arguments.wait_list);
    if (!can_begin) {
        flush(call.queues);
    }
    const Dealing dealing{may_be_cut(given, call), has_calling_thread_ && can_begin};
    const Matrix& c = call.matrices().c;
    const Root root = dealing.in_parts ? root_of(c.buffer) : Root();
    const std::int64_t offset_c = dealing.in_parts ? root.offset + c.offset : 0;
    const DealtPointer dealt = deal(given, offset_c, dealing);
    if (dealt->checked.c.empty()) {
        return cores_[leader_]->gemm(given,
                                     call.on(leader_, call.matrices(), call.arguments.completion));
    }
    if (auto done = run_by_threads(*dealt, call)) {
        return std::move(*done);
    }
    return dealing.in_parts ? run_all(prepare_all(*dealt, root.buffer, offset_c, call), call)
                            : run_alone(choose_one(*dealt, call), call);
}

/// How many units each device computes; `problem` is resolved.
std::vector<DeviceShare> DeviceGroup::share_out(const Dealt& dealt, std::int64_t offset_c,
                                                Dealing dealing) const {
    const Problem& problem = dealt.problem;
    const std::int64_t units = units_of(problem);
    auto cuts = aligned_cuts(units, begin_of(problem, block_of_units(problem, {1, 1})).c, offset_c,
                             alignment_);
    if (!dealing.in_parts) {
        cuts.first = std::numeric_limits<std::int64_t>::max();
    }
    const auto counts = split_among(
        cores_.size(), cuts,
        [&](std::size_t device, std::int64_t count) {
            return may_have(device, count == units, dealing)
                       ? predicted_seconds(device, dealt, count)
                       : std::numeric_limits<double>::infinity();
        },
        sharing_seconds(problem));
    std::vector<DeviceShare> result;
    std::int64_t first = 0;
    for (const std::int64_t count : counts) {
        result.push_back({first, count, 1});
        first += count;
    }
    if (const std::size_t blocks = dealt.threads.blocks.size();
        blocks > 0 && result[caller_device_].count > 0) {
        result[caller_device_].threads = static_cast<int>(blocks);
    }
    return result;
}

double DeviceGroup::predicted_seconds(std::size_t device, const Dealt& dealt,
                                      std::int64_t units) const {
    if (threads_ != nullptr && device == caller_device_) {
        const double seconds = dealt.threads.seconds;
        if (seconds > longest_in_calling_thread_seconds) {
            return std::numeric_limits<double>::infinity();
        }
        return dealt.threads.blocks.empty() ? seconds : seconds * least_speedup_by_threads;
    }
    const Problem part = problem_of(dealt.problem, block_of_units(dealt.problem, {0, units}));
    return units == units_of(dealt.problem) ? cores_[device]->predicted_seconds(part)
                                            : part_seconds(*cores_[device], part);
}

/// Devices that compute in the calling thread share its cores with the others: they get all of a
/// problem or nothing.
bool DeviceGroup::may_have(std::size_t device, bool whole, Dealing dealing) const {
    return !cores_[device]->traits().computes_in_calling_thread ||
           (whole && dealing.in_calling_thread);
}

/// What it takes, on the slowest way, to move the matrices between the devices.
double DeviceGroup::sharing_seconds(const Problem& problem) const {
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

void DeviceGroup::check_queues(const std::vector<cl_command_queue>& queues) const {
    if (queues.size() != cores_.size()) {
        throw ArgumentError("queues", std::to_string(queues.size()),
                            "there must be one for each of the " + std::to_string(cores_.size()) +
                                " devices");
    }
    for (std::size_t i = 0; i < cores_.size(); ++i) {
        validate::check_queue(queues[i], cores_[i]->context(), cores_[i]->device());
    }
}

/// Checks problem and matrices first where that is to be asked of them.
bool DeviceGroup::may_be_cut(const Problem& given, const GroupCall& call) const {
    const validate::Matrices& matrices = call.matrices();
    if (!has_several_for_parts_ || has_svm(matrices)) {
        return false;
    }
    const auto checked = validate::check_problem(given);
    validate::check_matrices(checked, matrices,
                             validate::reads_of(checked, call.arguments.alpha, call.arguments.beta),
                             cores_[0]->context());
    return !checked.c.empty() && !parts_would_overlap(checked, matrices, call.arguments.alpha);
}

/// All parts before the first is enqueued, so that an error leaves C as it was.
std::vector<DeviceGroup::Part> DeviceGroup::prepare_all(const Dealt& dealt, cl_mem root,
                                                        std::int64_t offset_c,
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

DeviceGroup::Part DeviceGroup::whole_part(std::size_t index,
                                          const validate::CheckedProblem& checked,
                                          const GroupCall& call) const {
    return {index,
            {},
            call.matrices(),
            cores_[index]->prepare_checked(checked,
                                           call.on(index, call.matrices(), Completion::event))};
}

DeviceGroup::Part DeviceGroup::cut_part(std::size_t index, const DeviceShare& share,
                                        const Problem& problem, const GroupCall& call, cl_mem root,
                                        std::int64_t offset_c) const {
    const Block block = block_of_units(problem, {share.first, share.count});
    const OperandOffsets offsets = begin_of(problem, block);
    const std::int64_t begin = offset_c + offsets.c;
    // The first part may start anywhere: its sub-buffer starts where it is allowed to.
    const std::int64_t before = begin % alignment_;
    const validate::CheckedProblem cut = validate::check_problem(problem_of(problem, block));
    device::BufferHandle c = part_of(root, begin - before, before + cut.c.extent());
    validate::Matrices matrices = moved(call.matrices(), offsets);
    matrices.c = {c.get(), before};
    return {index, std::move(c), matrices,
            cores_[index]->prepare_checked(cut, call.on(index, matrices, Completion::event))};
}

/// The device of a problem that is not to be cut.
DeviceGroup::Part DeviceGroup::choose_one(const Dealt& dealt, const GroupCall& call) const {
    const auto chosen = std::find_if(dealt.shares.begin(), dealt.shares.end(),
                                     [](const DeviceShare& share) { return share.count > 0; });
    return whole_part(static_cast<std::size_t>(chosen - dealt.shares.begin()), dealt.checked, call);
}

Event DeviceGroup::run(const Part& part, const GroupCall& call, Completion how) const {
    return cores_[part.index]->run(part.prepared, call.on(part.index, part.matrices, how));
}

Event DeviceGroup::run_all(const std::vector<Part>& parts, const GroupCall& call) const {
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
    return cores_[leader_]->enqueue_nothing(call.queues[leader_], ends, call.arguments.completion);
}

/// What follows in the leader's queue is to be behind a command of another's. It is, if that one is
/// complete: as it is where the calling thread computed it.
Event DeviceGroup::run_alone(const Part& part, const GroupCall& call) const {
    if (part.index == leader_) {
        return run(part, call, call.arguments.completion);
    }
    Event done = run(part, call, Completion::event);
    if (!device::is_complete(done.get())) {
        device::check(clFlush(call.queues[part.index]), "clFlush");
    }
    if (device::is_complete(done.get())) {
        return call.arguments.completion == Completion::event ? std::move(done) : Event();
    }
    return cores_[leader_]->enqueue_nothing(call.queues[leader_], {done.get()},
                                            call.arguments.completion);
}

/// Nothing where the pool has nothing to do with it, or cannot do it now.
std::optional<Event> DeviceGroup::run_by_threads(const Dealt& dealt, const GroupCall& call) const {
    if (threads_ == nullptr) {
        return std::nullopt;
    }
    if (dealt.shares[caller_device_].count == 0) {
        threads_->rest();
        return std::nullopt;
    }
    if (dealt.threads.blocks.empty()) {
        return std::nullopt;
    }
    auto done = threads_->try_run(dealt.checked, dealt.threads,
                                  call.on(caller_device_, call.matrices(), Completion::event));
    return done && call.arguments.completion == Completion::in_queue ? Event() : std::move(done);
}

} // namespace libsgemm::detail
