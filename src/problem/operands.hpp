// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "problem/problem.hpp"
#include "sgemm/event.hpp"
#include "sgemm/opencl.hpp"
#include "sgemm/problem.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace libsgemm::validate {

/// The three matrices of a call.
struct Matrices {
    Matrix a;
    Matrix b;
    Matrix c;
};

/// What a call says beside its problem.
struct CallArguments {
    cl_command_queue queue = nullptr;
    float alpha = 1;
    float beta = 0;
    Matrices matrices; ///< the caller's, or those of the canonical problem
    const std::vector<cl_event>& wait_list;
    Completion completion = Completion::event;
    bool has_queue_lock = false; ///< no other thread enqueues into its queue now
};

/// Largest power of two, at most 64, that divides each matrix's first element's address, in
/// elements. OpenCL aligns the buffers that it allocates; one that lies in the caller's memory
/// (CL_MEM_USE_HOST_PTR) is where the caller put it.
struct Alignments {
    std::int64_t a = 64;
    std::int64_t b = 64;
    std::int64_t c = 64;
    bool c_is_write_only = false; ///< kernels may not read C's buffer
};

/// Of matrices that begin so many elements further on; at least that.
Alignments alignments_behind(const Alignments& alignments, std::int64_t a, std::int64_t b,
                             std::int64_t c);

/// Checks a call's buffers against its problem: handles, context, access flags, extents, overlap.
/// Where nothing is multiplied A and B are not looked at; an empty C is not looked at either.
/// Throws ArgumentError or OpenClError.
Alignments check_matrices(const CheckedProblem& problem, const Matrices& matrices, Reads reads,
                          cl_context context);

/// Checks one operand's buffer by itself, which is only read. Throws ArgumentError or OpenClError.
void check_operand(const char* name, const Matrix& matrix, const Stored& stored,
                   cl_context context);

/// The matrices of a batch of offsets.
struct MatrixBatches {
    const MatrixBatch& a;
    const MatrixBatch& b;
    const MatrixBatch& c;

    /// Those of product number i.
    Matrices at(std::size_t i) const;
};

/// alpha and beta of a batch's products: one for all, or one for each.
struct Factors {
    std::span<const float> alphas;
    std::span<const float> betas;

    float alpha(std::size_t i) const { return alphas[alphas.size() == 1 ? 0 : i]; }
    float beta(std::size_t i) const { return betas[betas.size() == 1 ? 0 : i]; }
};

/// Checks all matrices of a batch of offsets, as check_matrices() does those of one call: the same
/// number of each; none of C shares an element with another, or with one of A or B that is read.
/// `problem` is that of one product. Throws ArgumentError or OpenClError.
void check_batches(const CheckedProblem& problem, const MatrixBatches& batches,
                   const Factors& factors, cl_context context);

/// Checks that the device has shared virtual memory where a matrix lies in it. Throws
/// ArgumentError.
void check_svm(const Matrices& matrices, cl_device_id device);

/// Checks all that can be wrong with a call whatever its problem is: queue, wait list, SVM and
/// completion. Throws ArgumentError or OpenClError.
void check_call(const CallArguments& call, cl_context context, cl_device_id device);

/// Of a queue; throws ArgumentError for what is none, or OpenClError.
cl_context context_of_queue(cl_command_queue queue);

/// Checks that a queue belongs to the context and device. Throws ArgumentError or OpenClError.
void check_queue(cl_command_queue queue, cl_context context, cl_device_id device);

/// Throws ArgumentError for what is no value of Completion.
void check_completion(Completion completion);

/// Checks that a wait list's events exist and belong to the context. Throws ArgumentError.
void check_wait_list(const std::vector<cl_event>& wait_list, cl_context context);

} // namespace libsgemm::validate
