// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/device.hpp"
#include "sgemm/error.hpp"
#include "sgemm/event.hpp"
#include "sgemm/export.hpp"
#include "sgemm/opencl.hpp"
#include "sgemm/packed_matrix.hpp"
#include "sgemm/plan.hpp"
#include "sgemm/problem.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace libsgemm {

enum class LogLevel : std::uint8_t {
    warning, ///< something did not work and the library went on another way
    info,    ///< e.g. a kernel was compiled
    /// Per call its plan and where that came from; the time of each pass, in queues with
    /// CL_QUEUE_PROFILING_ENABLE, once a later call, or the Context's end, finds it completed.
    trace,
};

/// Receives the library's messages, from any thread, possibly several at once. Must not throw and
/// must not call back into the Context.
using LogCallback = std::function<void(LogLevel, const std::string& message)>;

/// Timing instead of prediction, for those who ask for it: the first call with a problem of a new
/// kind (form, sizes to about 20 %, alignment) runs the most promising plans a few times, on memory
/// of its own, and blocks meanwhile. Another plan than the predicted one comes first only if it is
/// clearly faster. It decides only what the caller left open: never a forced kernel, nor between a
/// scheme that Precision names and others. What is found counts for all later calls and is kept in
/// a file, so that later Contexts on this machine know it as long as they plan with the same table;
/// what is found with a table that the program names is not kept for others. On a device that no
/// table of its architecture is there for, making such a Context first measures launch time and
/// bandwidth (about a tenth of a second), for itself alone.
struct FirstUseTiming {
    /// Plans to time; 0: none. Less than 0: the environment variable SGEMM_FIRST_USE, or else none.
    int plans = -1;
    /// Where results are kept, and nothing else: a device table is named by
    /// ContextOptions::table_file. Empty: DEVICE.choices.toml beside the user's own table, or,
    /// where a table is named, nowhere. A file that cannot be read or written is a warning, not an
    /// error.
    std::string file;
};

/// Compiled kernels on the disk, so that another process's first call need not compile them. An
/// entry is used only for the device, driver, platform, source, options and library version that it
/// was made with; one that is damaged or cannot be read counts as absent. Any number of processes
/// may share a folder.
struct DiskCacheOptions {
    /// false: neither read nor written. Unset: as SGEMM_CACHE says, or else true.
    std::optional<bool> enabled;
    /// Absolute path. Empty: SGEMM_CACHE_DIR, or else $XDG_CACHE_HOME/sgemm, or else
    /// ~/.cache/sgemm. A folder that cannot be written is a warning, not an error.
    std::string folder;
    /// Where more is kept the least recently used entries go. 0: SGEMM_CACHE_MIB (in MiB), or else
    /// 256 MiB.
    std::uint64_t max_bytes = 0;
};

/// Settings of a Context, fixed for its life.
struct ContextOptions {
    /// Where messages go. Without one they go nowhere, or to standard error where trace messages
    /// are wanted.
    LogCallback log;
    /// Whether trace messages are wanted. Unset: as SGEMM_TRACE says, or else not.
    std::optional<bool> trace;
    /// Device table (TOML) that replaces the built-in one. Empty: the environment variable
    /// SGEMM_TABLE, or else the user's own table ($XDG_DATA_HOME/sgemm/tables/DEVICE.toml), or else
    /// the built-in table that matches the device best. One that leaves the device no kernel for
    /// production, though the built-in one would, is a ConfigurationError where it is named, else a
    /// warning.
    std::string table_file;
    FirstUseTiming first_use;
    DiskCacheOptions disk_cache;
    /// Used by gemm() and plan(problem). Where `plan.kernel` is empty the environment variable
    /// SGEMM_KERNEL counts; unlike a kernel forced here it is a preference: a problem that it
    /// cannot run falls back, with a warning, and so does one whose Precision does not allow it, as
    /// `strict` does not allow a kernel that splits operands.
    PlanOptions plan;
    /// In the place of `plan`, which then is left as it is, for those who include sgemm/expert.hpp;
    /// null: none.
    std::shared_ptr<const ExpertPlanOptions> expert;
    /// Limit for one call's workspace. A plan that needs more is not considered.
    std::size_t max_workspace_bytes = static_cast<std::size_t>(-1);
    /// Of MultiDevice: how many threads share small products on a device that computes in the
    /// calling thread, the caller included. 1: it computes there alone. 0: the environment variable
    /// SGEMM_CALLER_THREADS (1 or more), or else as many as the first device with threads has
    /// compute units, but not more than cores that the thread which makes the MultiDevice may run
    /// on. The others are the library's: they look for work for 200 us after each such call, and
    /// sleep then. Where they cannot be made the caller computes alone, with a warning.
    int caller_threads = 0;
};

/// Counts since a Context was made: what a test or a monitor may want to know.
struct ContextStatistics {
    std::uint64_t programs_built = 0;  ///< from source
    std::uint64_t programs_loaded = 0; ///< from the disk cache
    std::uint64_t plans_made = 0;
    std::uint64_t kernels_enqueued = 0;
    std::uint64_t workspace_allocations = 0;
    std::size_t workspace_bytes = 0; ///< held by the pool now
};

/// What Context::tune() found for one problem.
struct TunedProblem {
    std::size_t done = 0;      ///< problems so far, this one included, ...
    std::size_t count = 0;     ///< ... of so many
    std::string plan;          ///< that calls take now, in words
    double seconds = 0;        ///< device time of a call with it, passes included: the median
    double seconds_before = 0; ///< of the plan that calls took before, in turn with it
};

/// Called by Context::tune() after each problem, in its thread; false: it ends.
using TuneListener = std::function<bool(const TunedProblem&)>;

namespace detail {
class Core;
}

/// The library's state for one OpenCL context and device: compiled kernels, plans, workspace.
///
/// Make one and keep it: the first call of a kind plans and compiles (seconds, on some platforms),
/// later ones only enqueue. All members may be called from any number of threads at once. Copies
/// share one state. One that was moved from can be assigned to or destroyed; all else is an
/// ArgumentError.
class SGEMM_API Context {
public:
    /// Retains `context`. Throws ArgumentError (null handle, device not in context, options and
    /// environment variables that are wrong whatever is multiplied), ConfigurationError (unreadable
    /// table), OpenClError.
    Context(cl_context context, cl_device_id device, ContextOptions options = {});
    Context(const Context&) noexcept;
    Context(Context&&) noexcept;
    Context& operator=(const Context&) noexcept;
    Context& operator=(Context&&) noexcept;
    ~Context();

    /// Enqueues C = alpha * op(A) * op(B) + beta * C and returns at once.
    ///
    /// queue      in-order or out-of-order, of this Context's cl_context and device
    /// a, b, c    buffers of this cl_context; C may lie in the same buffer as A or B but must not
    ///            share an element with them. With alpha or k zero A and B are not read and may be
    ///            null. Kernels must be allowed to read A and B, to write C, and to read C unless
    ///            beta is zero; a CL_MEM_WRITE_ONLY C keeps plans from adding ranges of k up in it,
    ///            which may be slower (a warning says so).
    /// wait_list  events that must complete before any of this call's kernels starts
    /// completion whether an event is made
    /// returns    an event that completes with the call's last kernel; an empty Event with
    ///            Completion::in_queue
    ///
    /// BLAS semantics: beta == 0 does not read C, so NaN there does not survive; alpha == 0 does
    /// not read A or B; NaN and Inf in A and B propagate as in a dot product. Equal calls with
    /// equal plans give bit-identical results. Rounding: |C - exact| <= (k + 4) * 2^-24 * (|alpha|
    /// |op(A)| |op(B)| + |beta| |C|), element by element. A plan that adds up ranges of k in C
    /// applies alpha to each: a non-finite alpha may then give NaN instead of Inf.
    ///
    /// Where C is empty (m, n or batch_count zero) nothing is touched, and A and B may be of any
    /// size; leading dimensions keep their rules.
    ///
    /// Throws ArgumentError before anything is enqueued; UnsupportedError or BuildError for forced
    /// choices that cannot be had; OpenClError.
    Event gemm(cl_command_queue queue, const Problem& problem, float alpha, const Matrix& a,
               const Matrix& b, float beta, const Matrix& c,
               const std::vector<cl_event>& wait_list = {},
               Completion completion = Completion::event) const;

    /// The same for a batch whose matrices lie anywhere: product i is that of the matrices at
    /// a.offsets[i], b.offsets[i] and c.offsets[i], which have `problem`'s sizes and leading
    /// dimensions; its batch_count is 1. A and B may occur more than once; matrices of C must not
    /// share an element with each other, nor with any A or B. Products at equal distances, four or
    /// more one after the other, take one launch as a strided batch does; the others one each.
    ///
    /// That none of C shares an element with another matrix is decided exactly; but where matrices
    /// of C reach into those of A or B that have another leading dimension, and there are more than
    /// 2^20 such pairs and more than 2^23 lines of one, it is an ArgumentError: give such a batch
    /// in parts.
    ///
    /// Returns an event that completes with the last of them, or none, as above. Throws as above,
    /// before anything is enqueued where an argument is wrong or a kernel cannot be had: all is
    /// planned and compiled first. An OpenClError may come later; C's contents are undefined then.
    Event gemm_batch(cl_command_queue queue, const Problem& problem, float alpha,
                     const MatrixBatch& a, const MatrixBatch& b, float beta, const MatrixBatch& c,
                     const std::vector<cl_event>& wait_list = {},
                     Completion completion = Completion::event) const;

    /// The same with an alpha and a beta for each product, as many as C has offsets: equal ones
    /// share launches, in whatever order they come. Where an alpha is zero that product's A and B
    /// are not looked at.
    Event gemm_batch(cl_command_queue queue, const Problem& problem,
                     const std::vector<float>& alphas, const MatrixBatch& a, const MatrixBatch& b,
                     const std::vector<float>& betas, const MatrixBatch& c,
                     const std::vector<cl_event>& wait_list = {},
                     Completion completion = Completion::event) const;

    /// Packs an operand once for many products: enqueues that and returns at once (the first time
    /// of a kind it plans and compiles, for the products as well).
    ///
    /// problem    as of the products; its leading dimension and batch stride of `operand` say how
    ///            `matrix` is stored. Those of the others are not looked at. The other operand's
    ///            extent (n of A, m of B) is what products will typically have, or 0 where that is
    ///            unknown: `precision` being emulated, it decides whether the operand is split, and
    ///            how. A batch of matrices is packed as one object; with batch_count 1, or a batch
    ///            stride of 0, all products of a batch share what is packed.
    /// matrix     is read until the event is complete, and not needed afterwards
    ///
    /// Throws as gemm(), by the operand alone; UnsupportedError where the device has no buffer that
    /// large.
    PackedMatrix pack(cl_command_queue queue, const Problem& problem, Operand operand,
                      const Matrix& matrix, const std::vector<cl_event>& wait_list = {}) const;

    /// gemm() with packed operands. The problem has the layout, op, extents, batch and precision
    /// that they were packed with; the extent that is not theirs may be any, and so may be the
    /// leading dimension and batch stride in the problem, which say nothing of a packed operand.
    /// The same bound, NaN and Inf as ever, and values that FP32 emulation cannot take are
    /// left to a strict kernel, as ever.
    ///
    /// Of operands that are packed with different splits (`emulated` chooses for each by itself)
    /// only the values are read, as by `strict`: name the splits in Problem::precision where both
    /// are packed.
    ///
    /// ArgumentError: packed by another Context, as the other operand, for another problem or
    /// precision; moved from.
    Event gemm(cl_command_queue queue, const Problem& problem, float alpha, const PackedMatrix& a,
               const Matrix& b, float beta, const Matrix& c,
               const std::vector<cl_event>& wait_list = {},
               Completion completion = Completion::event) const;
    Event gemm(cl_command_queue queue, const Problem& problem, float alpha, const Matrix& a,
               const PackedMatrix& b, float beta, const Matrix& c,
               const std::vector<cl_event>& wait_list = {},
               Completion completion = Completion::event) const;
    Event gemm(cl_command_queue queue, const Problem& problem, float alpha, const PackedMatrix& a,
               const PackedMatrix& b, float beta, const Matrix& c,
               const std::vector<cl_event>& wait_list = {},
               Completion completion = Completion::event) const;

    /// Plans and compiles a problem without running it. The first form does what the Context's own
    /// options (and SGEMM_KERNEL) say, the second what `options` say in their place.
    ///
    /// The plan is the one that gemm() would use for matrices whose offsets have the alignment of
    /// the options and no more: PlanOptions::offset_alignment, 1 unless it is set. gemm() itself
    /// takes each call's offsets as they are, and so may choose otherwise for aligned matrices. To
    /// see what it does with those, ask with options.offset_alignment = 16.
    /// Throws as gemm().
    Plan plan(const Problem& problem) const;
    Plan plan(const Problem& problem, const PlanOptions& options) const;
    /// The same with ExpertPlanOptions; a template so that braces are PlanOptions.
    template <class Options, std::enable_if_t<std::is_same_v<Options, ExpertPlanOptions>, int> = 0>
    Plan plan(const Problem& problem, const Options& options) const {
        return expert_plan(problem, options);
    }

    /// Times the table's plans for each of the problems, and has calls with exactly that problem
    /// take the fastest from now on: ops, extents and leading dimensions, matrices aligned to 16
    /// elements. One plan of each family of kernels is tried at least, then as many as there is
    /// time for; another plan than the one before comes first only if it is clearly faster. What
    /// `sgemm-tune --shapes` does besides is to search for new parameters, in other processes: a
    /// kernel that hangs the device would hang this one.
    ///
    /// problems  in Precision::strict, batch_count 1, not empty
    /// seconds   above zero, for all of them; what is tried at least may take longer, as may a plan
    ///           that is being built or run when it is over
    /// listener  may be empty
    /// returns   how many of the problems were tuned, from the first on
    ///
    /// Blocks; works on memory of its own. Other threads may multiply meanwhile, and disturb the
    /// times. Results are kept as FirstUseTiming says, whether or not plans are timed at first use.
    /// Throws ArgumentError (also where the options name a plan), OpenClError.
    std::size_t tune(const std::vector<Problem>& problems, double seconds,
                     const TuneListener& listener = {}) const;

    const DeviceTraits& traits() const;
    cl_context opencl_context() const;
    cl_device_id opencl_device() const;
    ContextStatistics statistics() const;
    /// Returns pooled workspace to the device. What enqueued work still uses OpenCL frees when that
    /// is done.
    void release_workspace() const;

private:
    Plan expert_plan(const Problem& problem, const ExpertPlanOptions& options) const;
    const std::shared_ptr<detail::Core>& core() const;

    std::shared_ptr<detail::Core> core_;
};

} // namespace libsgemm
