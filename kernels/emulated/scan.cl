// SPDX-License-Identifier: Apache-2.0
//
// FP32 emulation, scan: the largest magnitude of each row of both operands, per stretch of k.
// Resets the range-check words, which pack.cl then changes.
//
//   maxima(stretch, row) = max over p of the stretch of |X(row, p)|, as bits (NaN above infinity)
//
// Index map     a work-group has 64 rows and one stretch of `stretch` steps along k of one operand:
//               first the work-groups of X, then those of Y. 64 work-items side by side in memory
//               make a line, 4 lines work at a time.
// Defines       SCHEME    0 fp16, 1 tf32, 2 bf16 (split.clh)
// Constraints   stretch > 0
// Launch        dimension 0: (ceil(rows_x / 64) + ceil(rows_y / 64)) * ceil(k / stretch)
//               work-groups of 256 items; dimension 2: the matrices of the larger batch
// Local memory  64 * 65 * 4 + 64 * 4 * 4 bytes

#include "emulated/split.clh"
#include "emulated/operand.clh"

#define ROWS 64
#define LANES 64
#define LINES 4
#define ITEMS (LANES * LINES)
#define BATCH 8

#define NUMBERS(N) N(long, k) N(long, stretch) OPERAND_NUMBERS(N, x) OPERAND_NUMBERS(N, y)
NUMBERS_STRUCT(NUMBERS);

kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
sgemm_emulated_scan(Numbers numbers, global const float* restrict x, global const float* restrict y, global uint* space) {
    READ_NUMBERS(NUMBERS);
    local uint lanes[ROWS * (LANES + 1)];
    local uint quarters[ROWS * LINES];
    const int stretches = (int)((k + stretch - 1) / stretch);
    const int groups_x = (int)((rows_x + ROWS - 1) / ROWS) * stretches;
    const int group = (int)get_group_id(0);
    const int second = group >= groups_x;
    CHOOSE_OPERAND(second);
    const int own = second ? group - groups_x : group;
    const long row0 = (long)(own / stretches) * ROWS;
    const long k0 = (long)(own % stretches) * stretch;
    const long k1 = rows > 0 ? min(k, k0 + stretch) : k0; // of no rows nothing is read
    const int item = (int)get_local_id(0);
    const int lane = item % LANES, line = item / LANES;

    // In batches of unconditional loads, so that many are in flight. Past the ends the last row and
    // step are read again, which changes no maximum.
    float batch[BATCH];
    if (!k_major) { // a lane has a row, a line has every fourth step
        global const float* from = elements + min(row0 + lane, rows - 1);
        uint largest = 0;
#pragma unroll 1 // registers are better spent on more work-groups
        for (long p = k0 + line; p < k1; p += LINES * BATCH) {
#pragma unroll
            for (int i = 0; i < BATCH; ++i)
                batch[i] = from[min(p + i * LINES, k1 - 1) * ld];
#pragma unroll
            for (int i = 0; i < BATCH; ++i)
                largest = max(largest, sgemm_magnitude(batch[i]));
        }
        quarters[lane * LINES + line] = largest;
    } else { // a line has every fourth row, a lane has every 64th step
#pragma unroll 1
        for (int first = line; first < ROWS; first += LINES * BATCH) {
            uint largest[BATCH];
#pragma unroll
            for (int i = 0; i < BATCH; ++i)
                largest[i] = 0;
#pragma unroll 1
            for (long p = k0 + lane; p < k1; p += LANES) {
#pragma unroll
                for (int i = 0; i < BATCH; ++i)
                    batch[i] = elements[min(row0 + first + i * LINES, rows - 1) * ld + p];
#pragma unroll
                for (int i = 0; i < BATCH; ++i)
                    largest[i] = max(largest[i], sgemm_magnitude(batch[i]));
            }
#pragma unroll
            for (int i = 0; i < BATCH; ++i)
                lanes[(first + i * LINES) * (LANES + 1) + lane] = largest[i];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (k_major) {
        const int row = item / LINES, quarter = item % LINES;
        uint largest = 0;
        for (int i = 0; i < LANES / LINES; ++i)
            largest = max(largest, lanes[row * (LANES + 1) + quarter * (LANES / LINES) + i]);
        quarters[row * LINES + quarter] = largest;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < ROWS && row0 + item < rows) {
        uint largest = 0;
        for (int i = 0; i < LINES; ++i)
            largest = max(largest, quarters[item * LINES + i]);
        space[maxima_at + (matrix * stretches + own % stretches) * padded + row0 + item] = largest;
    }
    if (own == 0 && item == 0 && !idle) {
        global uint* words = space + control_at + matrix * CONTROL_WORDS;
        words[CONTROL_LARGE] = SCALED ? PIECE : 0;
        words[CONTROL_SMALL] = 0;
        words[CONTROL_UNFIT] = 0;
        words[CONTROL_TAIL] = 0;
    }
}
