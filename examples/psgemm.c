/* SPDX-License-Identifier: Apache-2.0 */
/* A distributed product by ScaLAPACK's psgemm, whose local products libsgemm_blas.so takes over
 * unasked:
 *
 *   mpicc psgemm.c -lscalapack-openmpi -o psgemm
 *   mpirun -n 4 -x LD_PRELOAD=/path/to/libsgemm_blas.so ./psgemm [SIZE [BLOCK]]
 *
 * C = A * B, each SIZE x SIZE (default 512), in blocks of BLOCK x BLOCK (default 256) over a grid
 * of processes. Every rank checks its part of C, exactly, and prints its time.
 *
 * ScaLAPACK multiplies in steps of k that its function PILAENV tells, 32 as it comes: local
 * products so skinny that the drop-in leaves them on the host. This program has a PILAENV of its
 * own, which the dynamic linker
 * finds first: steps as long as the blocks. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* BLACS and ScaLAPACK have no header. */
void Cblacs_get(int context, int what, int* value);
void Cblacs_gridinit(int* context, const char* order, int rows, int columns);
void Cblacs_gridinfo(int context, int* rows, int* columns, int* row, int* column);
void Cblacs_gridexit(int context);
int numroc_(const int* n, const int* block, const int* process, const int* source,
            const int* processes);
void descinit_(int* descriptor, const int* m, const int* n, const int* mb, const int* nb,
               const int* row_source, const int* column_source, const int* context, const int* lld,
               int* info);
void psgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k,
             const float* alpha, const float* a, const int* ia, const int* ja, const int* desca,
             const float* b, const int* ib, const int* jb, const int* descb, const float* beta,
             float* c, const int* ic, const int* jc, const int* descc);

static int step = 256;

/* Called by ScaLAPACK in place of its own. */
int pilaenv_(const int* context, const char* precision) {
    (void)context;
    (void)precision;
    return step;
}

struct grid {
    int context, rows, columns, row, column;
};

/* A square matrix's part on this process; column-major. */
struct part {
    int rows, columns, ld;
    int descriptor[9];
    float* values;
};

/* Small integers: sums are exact in float, whatever their order. */
static float element_a(long i, long j) {
    return (float)((i + 2 * j) % 7 - 3);
}
static float element_b(long i, long j) {
    return (float)((3 * i + j) % 5 - 2);
}

/* The place in the whole matrix of a local row or column. */
static long global_index(long local, int block, int process, int processes) {
    return (local / block * processes + process) * block + local % block;
}

static struct part make_part(const struct grid* grid, int size, int block) {
    const int zero = 0;
    struct part part;
    int info = 0;
    part.rows = numroc_(&size, &block, &grid->row, &zero, &grid->rows);
    part.columns = numroc_(&size, &block, &grid->column, &zero, &grid->columns);
    part.ld = part.rows > 0 ? part.rows : 1;
    part.values = calloc((size_t)part.ld * (size_t)part.columns + 1, sizeof(float));
    descinit_(part.descriptor, &size, &size, &block, &block, &zero, &zero, &grid->context, &part.ld,
              &info);
    if (part.values == NULL || info != 0) {
        fprintf(stderr, "psgemm: no matrix of that size (info %d)\n", info);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return part;
}

static void fill(struct part* part, const struct grid* grid, int block,
                 float (*element)(long, long)) {
    int i, j;
    for (j = 0; j < part->columns; ++j) {
        for (i = 0; i < part->rows; ++i) {
            part->values[i + (long)j * part->ld] =
                element(global_index(i, block, grid->row, grid->rows),
                        global_index(j, block, grid->column, grid->columns));
        }
    }
}

static long count_wrong(const struct part* c, const struct grid* grid, int size, int block) {
    long wrong = 0;
    int i, j, l;
    for (j = 0; j < c->columns; ++j) {
        for (i = 0; i < c->rows; ++i) {
            const long row = global_index(i, block, grid->row, grid->rows);
            const long column = global_index(j, block, grid->column, grid->columns);
            float sum = 0;
            for (l = 0; l < size; ++l) {
                sum += element_a(row, l) * element_b(l, column);
            }
            wrong += c->values[i + (long)j * c->ld] != sum;
        }
    }
    return wrong;
}

/* The squarest grid: of all pairs of factors the closest one. */
static struct grid make_grid(int processes) {
    struct grid grid;
    int rows = (int)sqrt((double)processes);
    while (processes % rows != 0) {
        --rows;
    }
    Cblacs_get(-1, 0, &grid.context);
    Cblacs_gridinit(&grid.context, "Row", rows, processes / rows);
    Cblacs_gridinfo(grid.context, &grid.rows, &grid.columns, &grid.row, &grid.column);
    return grid;
}

int main(int argc, char** argv) {
    const int size = argc > 1 ? atoi(argv[1]) : 512;
    const int block = argc > 2 ? atoi(argv[2]) : 256;
    const float alpha = 1, beta = 0;
    const int one = 1;
    int rank = 0, processes = 1, repetition;
    long wrong = 0, all_wrong = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    if (size < 1 || block < 1) {
        fprintf(stderr, "usage: psgemm [SIZE [BLOCK]]\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    step = block;
    const struct grid grid = make_grid(processes);
    struct part a = make_part(&grid, size, block);
    struct part b = make_part(&grid, size, block);
    struct part c = make_part(&grid, size, block);
    fill(&a, &grid, block, element_a);
    fill(&b, &grid, block, element_b);

    for (repetition = 0; repetition < 2; ++repetition) { /* the first one compiles kernels */
        MPI_Barrier(MPI_COMM_WORLD);
        const double start = MPI_Wtime();
        psgemm_("N", "N", &size, &size, &size, &alpha, a.values, &one, &one, a.descriptor, b.values,
                &one, &one, b.descriptor, &beta, c.values, &one, &one, c.descriptor);
        printf("rank %d of %d: %d x %d of C, call %d: %.1f ms\n", rank, processes, c.rows,
               c.columns, repetition + 1, 1e3 * (MPI_Wtime() - start));
    }
    wrong = count_wrong(&c, &grid, size, block);
    MPI_Reduce(&wrong, &all_wrong, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0 && all_wrong == 0) {
        printf("OK: %d x %d on %d x %d processes\n", size, size, grid.rows, grid.columns);
    } else if (rank == 0) {
        printf("%ld elements are wrong\n", all_wrong);
    }
    free(a.values);
    free(b.values);
    free(c.values);
    Cblacs_gridexit(grid.context);
    MPI_Finalize();
    return wrong == 0 ? 0 : 1;
}
