// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/event.hpp"
#include "sgemm/export.hpp"
#include "sgemm/opencl.hpp"
#include "sgemm/problem.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace libsgemm {

struct ExpertPlanOptions; // sgemm/expert.hpp

/// Narrows the planner's choice. The default leaves it free. (What else can be narrowed, without a
/// promise of stability, is in sgemm/expert.hpp.)
struct PlanOptions {
    /// Name of a catalogue kernel (see kernels()); empty: the planner chooses. A forced kernel that
    /// cannot run the problem is an UnsupportedError, one that does not build a BuildError.
    std::string kernel;
    /// Kernel parameters by name, e.g. {{"tile_m", 64}}; the rest keep the table's values.
    /// Requires `kernel`.
    std::map<std::string, int> parameters;
    /// Ranges of k that are computed side by side and added up (split-K); 0: by prediction, 1:
    /// none. Ignored by kernels that cannot; with persistent ones more than one means stream-K,
    /// where tiles are left over.
    int split_k = 0;
    /// Elements that the offsets of A, B and C are known to be multiples of (a power of two). Only
    /// used by Context::plan(): a plan is enqueued with any offsets that keep it, so that 1, the
    /// default, allows all. gemm() looks at the offsets of each call instead, matrix by matrix; 16
    /// (more makes no difference) gives the plan that it uses for matrices at the start of their
    /// buffers, which may be a faster one: wide loads, fewer copies.
    std::int64_t offset_alignment = 1;

    /// What only ExpertPlanOptions have would be lost.
    template <class Expert, std::enable_if_t<std::is_same_v<Expert, ExpertPlanOptions>, int> = 0>
    PlanOptions& operator=(const Expert&) = delete;
};

namespace detail {
struct PlanState;
}

/// How one problem is computed: kernel, parameters, passes, workspace; compiled and ready to
/// enqueue.
///
/// A cheap, immutable handle: copy it, share it between threads, enqueue it from several threads at
/// once. It keeps what it needs of its Context alive. One that was moved from can be assigned to or
/// destroyed; all else is an ArgumentError.
class SGEMM_API Plan {
public:
    explicit Plan(std::shared_ptr<const detail::PlanState> state) noexcept;
    Plan(const Plan&) noexcept;
    Plan(Plan&&) noexcept;
    Plan& operator=(const Plan&) noexcept;
    Plan& operator=(Plan&&) noexcept;
    ~Plan();

    /// Text for people: the choice, its passes with NDRanges, the ranking with predicted times and
    /// the rejected candidates with reasons.
    std::string describe() const;
    /// One line: kernel, parameters, passes, predicted time.
    std::string summary() const;
    /// Name of the main kernel that runs, e.g. "06_register_tiles_2d"; empty when nothing is
    /// multiplied.
    std::string kernel() const;
    /// Parameters of the main kernel by name.
    std::map<std::string, int> parameters() const;
    /// Kernels of all launches in order, pre-passes, main kernel and post-pass.
    std::vector<std::string> passes() const;
    /// Device memory that one execution takes from the Context's pool.
    std::size_t workspace_bytes() const;
    /// Predicted time of one execution, passes included; seconds. Device time, on a CPU the
    /// caller's.
    double predicted_seconds() const;
    /// How it multiplies: `strict`, or one way to split operands; never `emulated`. Of the latter a
    /// call whose values do not suit it is computed as by `strict`.
    Precision precision() const;
    /// t in |C - exact| <= t * 2^-24 * (|alpha| |op(A)| |op(B)| + |beta| |C|), which holds for each
    /// element of C, whatever the values, as long as nothing overflows or underflows.
    double bound_terms() const;

    /// Enqueues C = alpha*op(A)*op(B) + beta*C and returns at once; the event (none with
    /// Completion::in_queue) completes with the last kernel. Arguments, errors and threading as in
    /// Context::gemm(); offsets must keep the alignment that the plan was made for.
    Event enqueue(cl_command_queue queue, float alpha, const Matrix& a, const Matrix& b, float beta,
                  const Matrix& c, const std::vector<cl_event>& wait_list = {},
                  Completion completion = Completion::event) const;

private:
    const detail::PlanState& state() const;

    std::shared_ptr<const detail::PlanState> state_;
};

} // namespace libsgemm
