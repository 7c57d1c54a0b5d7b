// SPDX-License-Identifier: Apache-2.0
//
// FP32 emulation, begin: resets the range-check words of both operands where no scan does
// (scan.cl).
//
// Index map     one work-item per matrix of the batch
// Defines       SCHEME    0 fp16, 1 tf32, 2 bf16 (split.clh)
// Launch        one work-group of as many items as the larger batch has matrices
// Local memory  none

#include "emulated/split.clh"

static void sgemm_reset(global int* control, long matrix, long matrices) {
    if (matrix < matrices) {
        global int* words = control + matrix * CONTROL_WORDS;
        words[CONTROL_LARGE] = SCALED ? PIECE : 0;
        words[CONTROL_SMALL] = 0;
        words[CONTROL_UNFIT] = 0;
        words[CONTROL_TAIL] = 0;
    }
}

#define NUMBERS(N) N(long, control_x) N(long, matrices_x) N(long, control_y) N(long, matrices_y)
NUMBERS_STRUCT(NUMBERS);

kernel void sgemm_emulated_begin(Numbers numbers, global int* space) {
    READ_NUMBERS(NUMBERS);
    const long matrix = (long)get_global_id(0);
    sgemm_reset(space + control_x, matrix, matrices_x);
    sgemm_reset(space + control_y, matrix, matrices_y);
}
