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
        words[CONTROL_LARGE] = SCHEME == 0 ? PIECE : 0;
        words[CONTROL_SMALL] = 0;
        words[CONTROL_UNFIT] = 0;
        words[CONTROL_TAIL] = 0;
    }
}

kernel void sgemm_emulated_begin(global int* space, long control_x, long matrices_x, long control_y,
                                 long matrices_y) {
    const long matrix = (long)get_global_id(0);
    sgemm_reset(space + control_x, matrix, matrices_x);
    sgemm_reset(space + control_y, matrix, matrices_y);
}
