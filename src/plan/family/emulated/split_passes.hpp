// SPDX-License-Identifier: Apache-2.0
//
// The passes of FP32 emulation (kernels/emulated): scan or begin, and pack. They take both operands
// of a product, or one of them where the other is packed already.
#pragma once

#include "catalog/kernel_entry.hpp"
#include "plan/step_list.hpp"
#include "problem/canonical_problem.hpp"

#include <cstdint>

namespace libsgemm::planning {

/// Rows of a block of parts, as kernels/emulated/split.clh says.
inline constexpr std::int64_t split_block_rows = 128;
/// Control words of a matrix, as kernels/conditional.clh says.
inline constexpr std::int64_t split_control_words = 4;

/// Blocks of parts along k: whole chains of the kernel.
std::int64_t split_blocks(std::int64_t k, const catalog::KernelEntry& kernel,
                          const catalog::Parameters& parameters);

/// Sizes of a packed operand.
struct SplitExtent {
    std::int64_t rows = 0;   ///< that are packed side by side: m of A, n of B
    std::int64_t padded = 0; ///< rows up to what the main kernel reads
    std::int64_t matrices =
        1; ///< one where the batch shares the operand; none: left out of the passes
};

/// An operand on its way to the main kernel: its values, and its parts, in words of `space`.
struct SplitOperand {
    const validate::Operand* operand = nullptr;
    Argument::Kind buffer = Argument::Kind::buffer_a;
    Argument::Kind offset = Argument::Kind::offset_a;
    SplitExtent extent;
    Argument::Kind space = Argument::Kind::workspace;
    std::int64_t maxima = 0;
    std::int64_t scales = 0;
    std::int64_t control = 0;
    std::int64_t parts = 0;
    std::int64_t slots = 0; ///< of control words behind `control`, which the main kernel gathers
};

/// What the passes have to know beside the operands.
struct SplitWork {
    std::int64_t k = 0;
    std::int64_t blocks = 0;  ///< along k
    std::int64_t stretch = 1; ///< steps of k that a work-group of the scan looks at
    const catalog::KernelEntry* kernel = nullptr;
    Argument::Kind space = Argument::Kind::workspace; ///< what they write to
    bool in_one = false;                              ///< one launch does all: of one matrix each

    /// For the scales of rows, which bfloat16 does without.
    bool scans() const { return kernel->precision != Precision::bf16x3; }
    bool is_fp16() const { return kernel->precision == Precision::fp16x2; }
    /// Of a packed element: 128 bytes of a row of a block hold 32 (fp16) or 16.
    double packed_bytes() const { return is_fp16() ? 4 : 8; }
};

/// Chooses the stretch of the scan; then each operand's words are reserved by place_split().
SplitWork plan_split(std::int64_t k, std::int64_t blocks, const catalog::KernelEntry& kernel,
                     const SplitExtent& x, const SplitExtent& y, const DeviceTraits& device);

/// Whether one launch can scan and pack, and is worth it.
bool fits_one_pass(const SplitWork& work, const SplitExtent& x, const SplitExtent& y,
                   const DeviceTraits& device);

/// Reserves the words of an operand that the passes are to split.
void place_split(SplitOperand& operand, const SplitWork& work, StepList& steps);

/// The same without what passes alone need: where a main kernel splits it
/// (kernels/emulated/pack_beside.clh), by as many packers as `slots`.
void place_parts(SplitOperand& operand, const SplitWork& work, std::int64_t slots, StepList& steps);

/// Adds the passes; returns the index of the last. X is op(B) and Y op(A); one of them may have no
/// matrices.
int add_split_passes(const SplitWork& work, const SplitOperand& x, const SplitOperand& y,
                     const PassContext& context, StepList& steps);

} // namespace libsgemm::planning
