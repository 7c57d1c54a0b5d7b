// SPDX-License-Identifier: Apache-2.0
#include "problem/operands.hpp"

#include "device/buffer_place.hpp"
#include "device/query.hpp"
#include "problem/batch_overlap.hpp"
#include "problem/overlap.hpp"
#include "sgemm/error.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

namespace libsgemm::validate {
namespace {

/// What OpenCL says of a buffer.
struct Buffer {
    const void* root = nullptr;   ///< the parent of a sub-buffer, else the buffer itself
    std::int64_t root_offset = 0; ///< of this buffer in `root`, in elements
    std::uint64_t bytes = 0;
    cl_mem_flags flags = 0;
    std::int64_t base_alignment = 64; ///< of its first element's address
};

std::string text_of(const void* handle) {
    return handle == nullptr ? "null" : "a handle";
}

/// Names are put together here: every call is checked, and text takes longer than what is asked of
/// a platform.
[[noreturn]] void fail(const char* name, const char* member, const std::string& value,
                       const std::string& rule) {
    throw ArgumentError(std::string(name) + member, value, rule);
}

template <class Value>
Value property(cl_mem buffer, cl_mem_info which, const char* name) {
    Value value{};
    const cl_int status = clGetMemObjectInfo(buffer, which, sizeof value, &value, nullptr);
    if (status == CL_INVALID_MEM_OBJECT) {
        fail(name, ".buffer", text_of(buffer), "must be a valid memory object");
    }
    device::check(status, "clGetMemObjectInfo");
    return value;
}

Buffer query_buffer(const char* name, cl_mem buffer, cl_context context) {
    if (buffer == nullptr) {
        fail(name, ".buffer", "null", "must not be null");
    }
    if (property<cl_mem_object_type>(buffer, CL_MEM_TYPE, name) != CL_MEM_OBJECT_BUFFER) {
        fail(name, ".buffer", "an image or pipe", "must be a buffer");
    }
    if (property<cl_context>(buffer, CL_MEM_CONTEXT, name) != context) {
        fail(name, ".buffer", "a buffer of another context",
             "must belong to the cl_context of the libsgemm::Context");
    }
    constexpr auto element = static_cast<std::int64_t>(sizeof(float));
    Buffer info;
    info.flags = property<cl_mem_flags>(buffer, CL_MEM_FLAGS, name);
    info.bytes = property<std::size_t>(buffer, CL_MEM_SIZE, name);
    const device::BufferPlace place = device::place_of(buffer);
    // What a sub-buffer was not given of its own is its parent's, whether or not the platform says
    // so.
    constexpr cl_mem_flags access = CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY;
    if (place.root != buffer) {
        const auto inherited = property<cl_mem_flags>(place.root, CL_MEM_FLAGS, name);
        info.flags |= (info.flags & access) != 0 ? inherited & ~access : inherited;
    }
    info.root = place.root;
    info.root_offset = static_cast<std::int64_t>(place.origin) / element;
    if ((info.flags & CL_MEM_USE_HOST_PTR) != 0) {
        const auto address =
            reinterpret_cast<std::uintptr_t>(property<void*>(place.root, CL_MEM_HOST_PTR, name)) +
            place.origin;
        info.base_alignment = alignment_of(static_cast<std::int64_t>(address / sizeof(float)));
    }
    return info;
}

/// Shared virtual memory: one space of addresses, of which OpenCL does not say what is allocated.
Buffer svm_buffer(const char* name, const Matrix& matrix) {
    static constexpr char space = 0;
    if (matrix.buffer != nullptr) {
        fail(name, ".svm", "a pointer", "must be null beside a buffer");
    }
    const auto address = reinterpret_cast<std::uintptr_t>(matrix.svm);
    if (address % sizeof(float) != 0) {
        fail(name, ".svm", std::to_string(address), "must be aligned as a float is");
    }
    Buffer info;
    info.root = &space;
    info.root_offset = static_cast<std::int64_t>(address / sizeof(float));
    info.bytes = std::numeric_limits<std::uint64_t>::max();
    info.base_alignment = alignment_of(info.root_offset);
    return info;
}

std::int64_t first_element_alignment(const Buffer& buffer, const Matrix& matrix) {
    return std::min(buffer.base_alignment, alignment_of(matrix.offset));
}

/// What a call does with a matrix.
struct Access {
    bool reads = true;
    bool writes = false;
};

void check_access(const char* name, const Buffer& buffer, Access access) {
    if (access.reads && (buffer.flags & CL_MEM_WRITE_ONLY) != 0) {
        fail(name, ".buffer", "CL_MEM_WRITE_ONLY",
             access.writes ? "kernels must be allowed to read it, as beta is not zero"
                           : "kernels must be allowed to read it");
    }
    if (access.writes && (buffer.flags & CL_MEM_READ_ONLY) != 0) {
        fail(name, ".buffer", "CL_MEM_READ_ONLY", "kernels must be allowed to write it");
    }
}

/// "1500 bytes, for 18 lines of 20 elements, 21 apart"
std::string size_text(const Stored& stored) {
    std::string text = std::to_string(stored.extent() * static_cast<std::int64_t>(sizeof(float))) +
                       " bytes, for " + std::to_string(stored.lines) + " lines of " +
                       std::to_string(stored.line) + " elements, " + std::to_string(stored.ld) +
                       " apart";
    if (stored.batch > 1) {
        text += ", in each of " + std::to_string(stored.batch) + " matrices, " +
                std::to_string(stored.batch_stride) + " apart";
    }
    return text;
}

/// Compared so that nothing overflows: extent() fits, the offset may be anything.
void check_size(const char* name, const Matrix& matrix, const Stored& stored,
                const Buffer& buffer) {
    if (matrix.offset < 0) {
        fail(name, ".offset", std::to_string(matrix.offset), "must not be negative");
    }
    const std::uint64_t elements = buffer.bytes / sizeof(float);
    const auto extent = static_cast<std::uint64_t>(stored.extent());
    if (extent > elements) {
        fail(name, ".buffer", std::to_string(buffer.bytes) + " bytes",
             "must have at least " + size_text(stored));
    }
    if (static_cast<std::uint64_t>(matrix.offset) > elements - extent) {
        fail(name, ".offset", std::to_string(matrix.offset),
             "must be at most " + std::to_string(elements - extent) +
                 ": behind it the buffer, of " + std::to_string(buffer.bytes) +
                 " bytes, must have " + size_text(stored));
    }
}

Buffer check_matrix(const char* name, const Matrix& matrix, const Stored& stored, Access access,
                    cl_context context) {
    const Buffer buffer = matrix.svm != nullptr ? svm_buffer(name, matrix)
                                                : query_buffer(name, matrix.buffer, context);
    check_access(name, buffer, access);
    check_size(name, matrix, stored, buffer);
    return buffer;
}

void check_disjoint(const char* name, const Buffer& x, const Matrix& x_matrix,
                    const Stored& x_stored, const Buffer& c, const Matrix& c_matrix,
                    const Stored& c_stored) {
    if (x.root == c.root && overlaps(x_stored, x.root_offset + x_matrix.offset, c_stored,
                                     c.root_offset + c_matrix.offset)) {
        throw ArgumentError("C", "overlapping " + std::string(name),
                            "must not share elements with " + std::string(name));
    }
}

} // namespace

Alignments check_matrices(const CheckedProblem& problem, const Matrices& matrices, Reads reads,
                          cl_context context) {
    Alignments alignments;
    if (problem.c.empty()) {
        return alignments;
    }
    const Buffer c = check_matrix("C", matrices.c, problem.c, {reads.c, true}, context);
    alignments.c = first_element_alignment(c, matrices.c);
    alignments.c_is_write_only = (c.flags & CL_MEM_WRITE_ONLY) != 0;
    if (!reads.operands) {
        return alignments;
    }
    const Buffer a = check_matrix("A", matrices.a, problem.a, {}, context);
    const Buffer b = check_matrix("B", matrices.b, problem.b, {}, context);
    check_disjoint("A", a, matrices.a, problem.a, c, matrices.c, problem.c);
    check_disjoint("B", b, matrices.b, problem.b, c, matrices.c, problem.c);
    alignments.a = first_element_alignment(a, matrices.a);
    alignments.b = first_element_alignment(b, matrices.b);
    return alignments;
}

Alignments alignments_behind(const Alignments& alignments, std::int64_t a, std::int64_t b,
                             std::int64_t c) {
    return {std::min(alignments.a, alignment_of(a)), std::min(alignments.b, alignment_of(b)),
            std::min(alignments.c, alignment_of(c)), alignments.c_is_write_only};
}

void check_operand(const char* name, const Matrix& matrix, const Stored& stored,
                   cl_context context) {
    check_matrix(name, matrix, stored, {}, context);
}

// --- batches of offsets -------------------------------------------------------------------------

namespace {

[[noreturn]] void fail_overlap(const char* other, std::int64_t offset) {
    throw ArgumentError("C.offsets", std::to_string(offset),
                        std::string("the matrix there must not share elements with ") + other);
}

/// `c` and `others` relative to one root, C's buffer at `root_offset` of it.
void check_apart(const Scattered& c, const Scattered& others, const char* name,
                 std::int64_t root_offset) {
    const Encounter encounter = find_encounter(c, others);
    if (encounter.offset) {
        fail_overlap(name, *encounter.offset - root_offset);
    }
    if (!encounter.is_decided) {
        throw ArgumentError(
            "C.offsets", std::to_string(c.offsets.size()) + " of them",
            std::string("matrices of C and of ") + name +
                " that reach into each other must have the same leading dimension, or be at most " +
                std::to_string(most_pairs_compared) + " pairs, or have at most " +
                std::to_string(most_lines_compared) +
                " lines: whether they share elements is not looked at beyond");
    }
}

std::vector<std::int64_t> ascending(const std::vector<std::int64_t>& offsets,
                                    std::int64_t root_offset) {
    std::vector<std::int64_t> sorted(offsets.size());
    std::transform(offsets.begin(), offsets.end(), sorted.begin(),
                   [&](std::int64_t offset) { return offset + root_offset; });
    std::sort(sorted.begin(), sorted.end());
    return sorted;
}

/// The first and the last of a batch's matrices; between them lie the others.
Buffer check_ends(const char* name, const MatrixBatch& batch, const Stored& stored, Access access,
                  cl_context context) {
    const auto [least, most] = std::minmax_element(batch.offsets.begin(), batch.offsets.end());
    check_matrix(name, {batch.buffer, *least, batch.svm}, stored, access, context);
    return check_matrix(name, {batch.buffer, *most, batch.svm}, stored, access, context);
}

} // namespace

Matrices MatrixBatches::at(std::size_t i) const {
    const auto of = [i](const MatrixBatch& batch) {
        const bool is_given =
            i < batch.offsets.size(); // A and B need not be where they are not read
        return Matrix{batch.buffer, is_given ? batch.offsets[i] : 0, batch.svm};
    };
    return {of(a), of(b), of(c)};
}

void check_batches(const CheckedProblem& problem, const MatrixBatches& batches,
                   const Factors& factors, cl_context context) {
    const auto is_read = [&](float alpha) { return multiplies(problem, alpha); };
    const bool reads_operands = std::any_of(factors.alphas.begin(), factors.alphas.end(), is_read);
    const bool reads_c = std::any_of(factors.betas.begin(), factors.betas.end(),
                                     [](float beta) { return beta != 0; });
    const std::size_t count = batches.c.offsets.size();
    if (reads_operands &&
        (batches.a.offsets.size() != count || batches.b.offsets.size() != count)) {
        throw ArgumentError("offsets",
                            std::to_string(batches.a.offsets.size()) + ", " +
                                std::to_string(batches.b.offsets.size()) + " and " +
                                std::to_string(count),
                            "there must be as many of A and B as of C");
    }
    if (count == 0 || problem.c.empty()) {
        return;
    }
    const Buffer c = check_ends("C", batches.c, problem.c, {reads_c, true}, context);
    const Scattered all_c{problem.c, ascending(batches.c.offsets, c.root_offset)};
    if (const auto overlap = find_overlap(all_c)) {
        fail_overlap("another one of C", *overlap - c.root_offset);
    }
    if (!reads_operands) {
        return;
    }
    const auto check_operand = [&](const char* name, const MatrixBatch& batch,
                                   const Stored& stored) {
        MatrixBatch read{batch.buffer, {}, batch.svm};
        for (std::size_t i = 0; i < count; ++i) {
            if (is_read(factors.alpha(i))) {
                read.offsets.push_back(batch.offsets[i]);
            }
        }
        const Buffer x = check_ends(name, read, stored, {}, context);
        if (x.root == c.root) {
            check_apart(all_c, {stored, ascending(read.offsets, x.root_offset)}, name,
                        c.root_offset);
        }
    };
    check_operand("A", batches.a, problem.a);
    check_operand("B", batches.b, problem.b);
}

void check_svm(const Matrices& matrices, cl_device_id device) {
    for (const auto& [name, matrix] :
         {std::pair{"A", &matrices.a}, std::pair{"B", &matrices.b}, std::pair{"C", &matrices.c}}) {
        if (matrix->svm == nullptr) {
            continue;
        }
#ifdef CL_VERSION_2_0
        if (device::get_or<cl_device_svm_capabilities>(clGetDeviceInfo, device,
                                                       CL_DEVICE_SVM_CAPABILITIES, 0) != 0) {
            return;
        }
#endif
        throw ArgumentError(std::string(name) + ".svm", "a pointer",
                            "the device has no shared virtual memory: pass a buffer");
    }
}

cl_context context_of_queue(cl_command_queue queue) {
    if (queue == nullptr) {
        throw ArgumentError("queue", "null", "must not be null");
    }
    cl_context queue_context = nullptr;
    const cl_int status = clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof queue_context,
                                                &queue_context, nullptr);
    if (status == CL_INVALID_COMMAND_QUEUE) {
        throw ArgumentError("queue", "a handle", "must be a valid command queue");
    }
    device::check(status, "clGetCommandQueueInfo");
    return queue_context;
}

void check_queue(cl_command_queue queue, cl_context context, cl_device_id device) {
    if (context_of_queue(queue) != context) {
        throw ArgumentError("queue", "a queue of another context",
                            "must belong to the cl_context of the libsgemm::Context");
    }
    if (device::get<cl_device_id>(clGetCommandQueueInfo, queue, CL_QUEUE_DEVICE,
                                  "clGetCommandQueueInfo") != device) {
        throw ArgumentError("queue", "a queue of another device",
                            "must belong to the device of the libsgemm::Context");
    }
}

void check_completion(Completion completion) {
    if (completion > Completion::in_queue) {
        throw ArgumentError("completion", std::to_string(static_cast<int>(completion)),
                            "must be a value of Completion");
    }
}

void check_wait_list(const std::vector<cl_event>& wait_list, cl_context context) {
    for (cl_event event : wait_list) {
        if (event == nullptr) {
            throw ArgumentError("wait_list", "a null event", "must hold no null event");
        }
        cl_context event_context = nullptr;
        const cl_int status =
            clGetEventInfo(event, CL_EVENT_CONTEXT, sizeof event_context, &event_context, nullptr);
        if (status == CL_INVALID_EVENT) {
            throw ArgumentError("wait_list", "a handle", "must hold valid events");
        }
        device::check(status, "clGetEventInfo");
        if (event_context != context) {
            throw ArgumentError("wait_list", "an event of another context",
                                "must hold events of the libsgemm::Context's cl_context");
        }
    }
}

void check_call(const CallArguments& call, cl_context context, cl_device_id device) {
    check_queue(call.queue, context, device);
    check_wait_list(call.wait_list, context);
    check_svm(call.matrices, device);
    check_completion(call.completion);
}

} // namespace libsgemm::validate
