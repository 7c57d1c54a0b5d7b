// SPDX-License-Identifier: Apache-2.0
//
// Begin: sets the control words of both operands where no scan does (emulated/scan.cl).
//
// Index map     one work-item per matrix of the batch
// Defines       SCHEME
// Launch        one work-group, as many as matrices of the larger batch
// Local memory  none
#include "emulated/split.clh"
#include "emulated/verdict.clh"

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
