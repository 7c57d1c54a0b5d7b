/* SPDX-License-Identifier: Apache-2.0 */
/* The C interface, from C99: results, statuses, details, lifetimes. Exit status 0 if all holds. */
#include <sgemm/sgemm.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* No structure ends in padding, which a member to come would read; sizes and places are those of
 * releases. */
#define ENDS_WITH(type, member)                                                                    \
    (offsetof(type, member) + sizeof(((type*)0)->member) == sizeof(type))
#define ASSERT(name, holds) typedef char name[(holds) ? 1 : -1]
ASSERT(context_options_end, ENDS_WITH(sgemm_context_options, cache_max_bytes));
ASSERT(statistics_end, ENDS_WITH(sgemm_statistics, workspace_bytes));
ASSERT(problem_end, ENDS_WITH(sgemm_problem, reserved));
ASSERT(packed_figures_end, ENDS_WITH(sgemm_packed_figures, reserved));
ASSERT(plan_options_end, ENDS_WITH(sgemm_plan_options, reserved));
ASSERT(plan_figures_end, ENDS_WITH(sgemm_plan_figures, reserved));
#if defined(__LP64__)
ASSERT(context_options_0_1, sizeof(sgemm_context_options) == 72);
ASSERT(statistics_0_1, sizeof(sgemm_statistics) == 56);
ASSERT(problem_0_1, sizeof(sgemm_problem) == 112 && offsetof(sgemm_problem, precision) == 104);
ASSERT(packed_figures_0_1, sizeof(sgemm_packed_figures) == 24);
ASSERT(plan_options_0_1, sizeof(sgemm_plan_options) == 48);
ASSERT(plan_figures_0_1, sizeof(sgemm_plan_figures) == 48);
#endif

static int failures = 0;
static int checks = 0;

static void check(int holds, const char* what, int line) {
    ++checks;
    if (!holds) {
        ++failures;
        printf("c_api_test.c:%d: %s\n", line, what);
    }
}
#define CHECK(condition) check((condition) != 0, #condition, __LINE__)
/* The status of a call, and its detail: part of it, or NULL for none asked. */
#define CHECK_FAILS(call, expected, context, part)                                                 \
    check((call) == (expected) && has_detail(context, part), #call " is " #expected ": " part,     \
          __LINE__)

static int has_detail(sgemm_context context, const char* part) {
    char text[4096];
    const size_t length = sgemm_last_error(context, text, sizeof text);
    const int found = length > 0 && strstr(text, part) != NULL;
    if (!found) {
        printf("the detail is: %s\n", text);
    }
    return found;
}

struct fixture {
    cl_device_id device;
    cl_context opencl;
    cl_command_queue queue;
    sgemm_context library;
    cl_mem a, b, c;
};

enum { m = 7, n = 5, k = 3, products = 2, a_size = m * k, b_size = k * n, c_size = m * n };

static cl_mem make_buffer(const struct fixture* f, size_t count, const float* values) {
    cl_mem buffer = clCreateBuffer(f->opencl, CL_MEM_READ_WRITE, count * sizeof(float), NULL, NULL);
    clEnqueueWriteBuffer(f->queue, buffer, CL_TRUE, 0, count * sizeof(float), values, 0, NULL,
                         NULL);
    return buffer;
}

/* Small integers: exact whatever the order of sums. */
static float value_of_a(int i) {
    return (float)(i % 7 - 3);
}
static float value_of_b(int i) {
    return (float)(i % 5 - 2);
}
static float value_of_c(int i) {
    return (float)(i % 11 - 5);
}

static void fill(float* to, int count, float (*value)(int)) {
    int i;
    for (i = 0; i < count; ++i) {
        to[i] = value(i);
    }
}

static void make_matrices(struct fixture* f) {
    float a[products * a_size], b[products * b_size], c[products * c_size];
    fill(a, products * a_size, value_of_a);
    fill(b, products * b_size, value_of_b);
    fill(c, products * c_size, value_of_c);
    f->a = make_buffer(f, products * a_size, a);
    f->b = make_buffer(f, products * b_size, b);
    f->c = make_buffer(f, products * c_size, c);
}

static void release_matrices(struct fixture* f) {
    clReleaseMemObject(f->a);
    clReleaseMemObject(f->b);
    clReleaseMemObject(f->c);
}

static int set_up(struct fixture* f) {
    memset(f, 0, sizeof *f);
    if (sgemm_select_device(NULL, &f->device) != SGEMM_SUCCESS) {
        return 0;
    }
    f->opencl = clCreateContext(NULL, 1, &f->device, NULL, NULL, NULL);
    f->queue = clCreateCommandQueueWithProperties(f->opencl, f->device, NULL, NULL);
    CHECK(sgemm_create_context(f->opencl, f->device, NULL, &f->library) == SGEMM_SUCCESS);
    return 1;
}

static void tear_down(struct fixture* f) {
    sgemm_release_context(f->library);
    clReleaseCommandQueue(f->queue);
    clReleaseContext(f->opencl);
}

static sgemm_problem small_problem(void) {
    sgemm_problem problem = SGEMM_PROBLEM_INIT;
    problem.m = m;
    problem.n = n;
    problem.k = k;
    return problem;
}

/* C(i, j) of one product, as stored tightly. */
static float expected(const sgemm_problem* p, int product, int i, int j, float alpha, float beta) {
    const int rows = p->layout == SGEMM_ROW_MAJOR;
    const int a0 = p->batch_stride_a == 0 ? 0 : product * a_size;
    float sum = 0;
    int l;
    for (l = 0; l < k; ++l) {
        const int a_by_rows = rows == (p->transpose_a == SGEMM_NO_TRANSPOSE);
        const int b_by_rows = rows == (p->transpose_b == SGEMM_NO_TRANSPOSE);
        sum += value_of_a(a0 + (a_by_rows ? i * k + l : l * m + i)) *
               value_of_b(product * b_size + (b_by_rows ? l * n + j : j * k + l));
    }
    return alpha * sum + beta * value_of_c(product * c_size + (rows ? i * n + j : j * m + i));
}

static void check_result(struct fixture* f, const sgemm_problem* p, float alpha, float beta) {
    float c[products * c_size];
    int product, i, j, wrong = 0;
    clEnqueueReadBuffer(f->queue, f->c, CL_TRUE, 0, sizeof c, c, 0, NULL, NULL);
    for (product = 0; product < p->batch_count; ++product) {
        for (i = 0; i < m; ++i) {
            for (j = 0; j < n; ++j) {
                const int at = p->layout == SGEMM_ROW_MAJOR ? i * n + j : j * m + i;
                wrong += c[product * c_size + at] != expected(p, product, i, j, alpha, beta);
            }
        }
    }
    CHECK(wrong == 0);
    for (i = (int)p->batch_count * c_size; i < products * c_size; ++i) {
        wrong += c[i] != value_of_c(i);
    }
    CHECK(wrong == 0);
}

static void test_all_forms(struct fixture* f) {
    int form;
    for (form = 0; form < 32; ++form) {
        sgemm_problem p = small_problem();
        p.layout = form & 1 ? SGEMM_ROW_MAJOR : SGEMM_COLUMN_MAJOR;
        p.transpose_a = form & 2 ? SGEMM_TRANSPOSE : SGEMM_NO_TRANSPOSE;
        p.transpose_b = form & 4 ? SGEMM_CONJUGATE_TRANSPOSE : SGEMM_NO_TRANSPOSE;
        p.batch_count = form & 8 ? products : 1;
        p.batch_stride_a = form & 16 ? 0 : SGEMM_TIGHT;
        make_matrices(f);
        CHECK(sgemm_gemm(f->library, f->queue, &p, 2.0F, f->a, 0, f->b, 0, -1.0F, f->c, 0, 0, NULL,
                         NULL) == SGEMM_SUCCESS);
        check_result(f, &p, 2.0F, -1.0F);
        release_matrices(f);
    }
}

static void test_plan_and_events(struct fixture* f) {
    const sgemm_problem p = small_problem();
    sgemm_plan_options options = SGEMM_PLAN_OPTIONS_INIT;
    sgemm_plan_figures figures = SGEMM_PLAN_FIGURES_INIT;
    sgemm_plan plan = NULL;
    cl_event gate, done = NULL;
    char text[64], one[1];
    size_t length = 0;

    options.kernel = "01_naive";
    CHECK(sgemm_create_plan(f->library, &p, &options, &plan) == SGEMM_SUCCESS);
    CHECK(sgemm_plan_text(plan, SGEMM_PLAN_KERNEL, text, sizeof text, &length) == SGEMM_SUCCESS);
    CHECK(strcmp(text, "01_naive") == 0 && length == 8);
    CHECK(sgemm_plan_text(plan, SGEMM_PLAN_KERNEL, text, 4, NULL) == SGEMM_SUCCESS);
    CHECK(strcmp(text, "01_") == 0);
    CHECK(sgemm_plan_text(plan, SGEMM_PLAN_KERNEL, one, 1, NULL) == SGEMM_SUCCESS && !one[0]);
    CHECK(sgemm_plan_text(plan, SGEMM_PLAN_DESCRIPTION, NULL, 0, &length) == SGEMM_SUCCESS);
    CHECK(length > 20);
    CHECK(sgemm_get_plan_figures(plan, &figures) == SGEMM_SUCCESS);
    CHECK(figures.launches == 1 && figures.predicted_seconds > 0);
    CHECK(figures.bound_terms == k + 4 && figures.precision == SGEMM_STRICT);

    make_matrices(f);
    gate = clCreateUserEvent(f->opencl, NULL);
    CHECK(sgemm_enqueue_plan(plan, f->queue, 1.0F, f->a, 0, f->b, 0, 0.0F, f->c, 0, 1, &gate,
                             &done) == SGEMM_SUCCESS);
    clSetUserEventStatus(gate, CL_COMPLETE);
    CHECK(clWaitForEvents(1, &done) == CL_SUCCESS);
    check_result(f, &p, 1.0F, 0.0F);
    clReleaseEvent(gate);
    clReleaseEvent(done);
    release_matrices(f);
    sgemm_release_plan(plan);
}

struct tuning {
    size_t calls;
    size_t done, count;
    int goes_on;
};

static int on_tuned(const sgemm_tuned_problem* tuned, void* user_data) {
    struct tuning* t = user_data;
    t->calls++;
    t->done = tuned->done;
    t->count = tuned->count;
    CHECK(tuned->plan != NULL && tuned->plan[0]);
    CHECK(tuned->seconds > 0 && tuned->seconds_before > 0);
    return t->goes_on;
}

static void test_tuning(struct fixture* f) {
    struct tuning t = {0, 0, 0, 1};
    sgemm_context_options options = SGEMM_CONTEXT_OPTIONS_INIT;
    sgemm_context library = NULL;
    sgemm_problem problems[2];
    size_t tuned = 0;
    problems[0] = problems[1] = small_problem();
    problems[1].k = k + 1;
    CHECK(sgemm_create_context(f->opencl, f->device, &options, &library) == SGEMM_SUCCESS);
    CHECK(sgemm_tune(library, problems, 2, 0.5, on_tuned, &t, &tuned) == SGEMM_SUCCESS);
    CHECK(tuned >= 1 && t.calls == tuned && t.done == tuned && t.count == 2);
    t.goes_on = 0;
    CHECK(sgemm_tune(library, problems, 2, 600.0, on_tuned, &t, NULL) == SGEMM_SUCCESS);
    CHECK(t.done == 1);
    CHECK(sgemm_tune(library, NULL, 0, 1.0, NULL, NULL, &tuned) == SGEMM_SUCCESS && tuned == 0);
    CHECK_FAILS(sgemm_tune(library, NULL, 1, 1.0, NULL, NULL, NULL), SGEMM_INVALID_ARGUMENT,
                library, "problems");
    CHECK_FAILS(sgemm_tune(library, problems, 2, 0.0, NULL, NULL, NULL), SGEMM_INVALID_ARGUMENT,
                library, "seconds");
    CHECK(sgemm_tune(NULL, problems, 2, 1.0, NULL, NULL, NULL) == SGEMM_INVALID_ARGUMENT);
    sgemm_release_context(library);
}

static void test_plan_outlives_its_context(struct fixture* f) {
    const sgemm_problem p = small_problem();
    sgemm_context library = NULL;
    sgemm_plan plan = NULL;
    CHECK(sgemm_create_context(f->opencl, f->device, NULL, &library) == SGEMM_SUCCESS);
    CHECK(sgemm_create_plan(library, &p, NULL, &plan) == SGEMM_SUCCESS);
    sgemm_release_context(library);
    make_matrices(f);
    CHECK(sgemm_enqueue_plan(plan, f->queue, 1.0F, f->a, 0, f->b, 0, 1.0F, f->c, 0, 0, NULL,
                             NULL) == SGEMM_SUCCESS);
    check_result(f, &p, 1.0F, 1.0F);
    CHECK(sgemm_enqueue_plan(plan, NULL, 1.0F, f->a, 0, f->b, 0, 1.0F, f->c, 0, 0, NULL, NULL) ==
          SGEMM_INVALID_ARGUMENT);
    CHECK(has_detail(NULL, "queue"));
    release_matrices(f);
    sgemm_release_plan(plan);
}

static sgemm_status multiply(struct fixture* f, const sgemm_problem* p) {
    return sgemm_gemm(f->library, f->queue, p, 1.0F, f->a, 0, f->b, 0, 1.0F, f->c, 0, 0, NULL,
                      NULL);
}

static void test_bad_problems(struct fixture* f) {
    sgemm_problem p = small_problem();
    make_matrices(f);
    p.lda = 2;
    CHECK_FAILS(multiply(f, &p), SGEMM_INVALID_ARGUMENT, f->library, "lda");
    p = small_problem();
    p.m = -1;
    CHECK_FAILS(multiply(f, &p), SGEMM_INVALID_ARGUMENT, f->library, "m");
    p = small_problem();
    const int no_precisions[] = {-1, 6, 1000};
    for (int i = 0; i < 3; ++i) {
        p.precision = (sgemm_precision)no_precisions[i];
        CHECK_FAILS(multiply(f, &p), SGEMM_INVALID_ARGUMENT, f->library, "precision");
    }
    p.precision = SGEMM_EMULATED;
    CHECK(multiply(f, &p) == SGEMM_SUCCESS);
    check_result(f, &p, 1.0F, 1.0F);
    release_matrices(f);
    make_matrices(f);
    memset(&p, 0, sizeof p);
    CHECK_FAILS(multiply(f, &p), SGEMM_INVALID_ARGUMENT, f->library, "problem.struct_bytes");
    p.struct_bytes = sizeof p;
    CHECK_FAILS(multiply(f, &p), SGEMM_INVALID_ARGUMENT, f->library, "layout");
    p.layout = SGEMM_ROW_MAJOR;
    CHECK_FAILS(multiply(f, &p), SGEMM_INVALID_ARGUMENT, f->library, "transpose_a");
    CHECK_FAILS(multiply(f, NULL), SGEMM_INVALID_ARGUMENT, f->library, "problem");
    p = small_problem();
    p.m = 1000;
    CHECK_FAILS(multiply(f, &p), SGEMM_INVALID_ARGUMENT, f->library, "C.buffer");
    p = small_problem();
    p.reserved = 1; /* a later version's */
    CHECK_FAILS(multiply(f, &p), SGEMM_INVALID_ARGUMENT, f->library, "problem.reserved");
    p = small_problem();
    CHECK(multiply(f, &p) == SGEMM_SUCCESS);
    check_result(f, &p, 1.0F, 1.0F); /* the failed calls have changed nothing */
    CHECK_FAILS(
        sgemm_gemm(f->library, f->queue, &p, 1.0F, f->a, 0, f->b, 0, 1.0F, f->c, 0, 1, NULL, NULL),
        SGEMM_INVALID_ARGUMENT, f->library, "wait_list");
    CHECK_FAILS(
        sgemm_gemm(NULL, f->queue, &p, 1.0F, f->a, 0, f->b, 0, 1.0F, f->c, 0, 0, NULL, NULL),
        SGEMM_INVALID_ARGUMENT, NULL, "context");
    release_matrices(f);
}

static void test_bad_plans(struct fixture* f) {
    const sgemm_problem p = small_problem();
    sgemm_plan_options options = SGEMM_PLAN_OPTIONS_INIT;
    sgemm_plan plan = NULL;
    options.kernel = "no_such_kernel";
    CHECK_FAILS(sgemm_create_plan(f->library, &p, &options, &plan), SGEMM_INVALID_ARGUMENT,
                f->library, "no_such_kernel");
    options.kernel = "tiled";
    options.parameters = "tile_m";
    CHECK_FAILS(sgemm_create_plan(f->library, &p, &options, &plan), SGEMM_INVALID_ARGUMENT,
                f->library, "NAME=NUMBER");
    options.parameters = "tile_m=8x";
    CHECK_FAILS(sgemm_create_plan(f->library, &p, &options, &plan), SGEMM_INVALID_ARGUMENT,
                f->library, "tile_m=8x");
    options.parameters = "tile_m=99999999999"; /* more than an int */
    CHECK_FAILS(sgemm_create_plan(f->library, &p, &options, &plan), SGEMM_INVALID_ARGUMENT,
                f->library, "NAME=NUMBER");
    options.parameters = NULL;
    options.edges = SGEMM_EDGES_NONE; /* 7 x 5 is no multiple of its tiles */
    CHECK_FAILS(sgemm_create_plan(f->library, &p, &options, &plan), SGEMM_UNSUPPORTED, f->library,
                "tiled");
    options.edges = (sgemm_edges)1000;
    CHECK_FAILS(sgemm_create_plan(f->library, &p, &options, &plan), SGEMM_INVALID_ARGUMENT,
                f->library, "edges");
    options.edges = SGEMM_EDGES_AUTOMATIC;
    options.peel = (sgemm_peel)1000;
    CHECK_FAILS(sgemm_create_plan(f->library, &p, &options, &plan), SGEMM_INVALID_ARGUMENT,
                f->library, "peel");
    options.peel = SGEMM_PEEL_AUTOMATIC;
    options.reserved = -1;
    CHECK_FAILS(sgemm_create_plan(f->library, &p, &options, &plan), SGEMM_INVALID_ARGUMENT,
                f->library, "options.reserved");
    options.struct_bytes = 0;
    CHECK_FAILS(sgemm_create_plan(f->library, &p, &options, &plan), SGEMM_INVALID_ARGUMENT,
                f->library, "struct_bytes");
    CHECK(plan == NULL);
    CHECK_FAILS(sgemm_plan_text(NULL, SGEMM_PLAN_SUMMARY, NULL, 0, NULL), SGEMM_INVALID_ARGUMENT,
                NULL, "plan");
}

static void test_bad_contexts(struct fixture* f) {
    sgemm_context_options options = SGEMM_CONTEXT_OPTIONS_INIT;
    sgemm_context library = NULL;
    cl_device_id device = NULL;
    CHECK_FAILS(sgemm_create_context(NULL, f->device, NULL, &library), SGEMM_INVALID_ARGUMENT, NULL,
                "context");
    CHECK_FAILS(sgemm_create_context(f->opencl, f->device, NULL, NULL), SGEMM_INVALID_ARGUMENT,
                NULL, "context");
    options.table_file = "/no/such/table.toml";
    CHECK_FAILS(sgemm_create_context(f->opencl, f->device, &options, &library),
                SGEMM_CONFIGURATION_ERROR, NULL, "/no/such/table.toml");
    CHECK_FAILS(sgemm_select_device("no such device", &device), SGEMM_INVALID_ARGUMENT, NULL,
                "no such device");
    CHECK_FAILS(sgemm_select_device(NULL, NULL), SGEMM_INVALID_ARGUMENT, NULL, "device");
    CHECK(library == NULL && device == NULL);
    CHECK(sgemm_release_workspace(NULL) == SGEMM_INVALID_ARGUMENT);
    sgemm_release_context(NULL);
    sgemm_release_plan(NULL);
}

/* Failures of one context are not another's. */
static void test_details_are_kept_apart(struct fixture* f) {
    sgemm_context other = NULL;
    char text[8] = "xxxxxxx";
    CHECK(sgemm_create_context(f->opencl, f->device, NULL, &other) == SGEMM_SUCCESS);
    CHECK(sgemm_last_error(other, text, sizeof text) == 0 && text[0] == '\0');
    CHECK(multiply(f, NULL) == SGEMM_INVALID_ARGUMENT);
    CHECK(sgemm_last_error(other, NULL, 0) == 0);
    CHECK(sgemm_create_plan(other, NULL, NULL, NULL) == SGEMM_INVALID_ARGUMENT);
    CHECK(has_detail(f->library, "problem"));
    CHECK(has_detail(other, "plan"));
    CHECK(sgemm_last_error(other, text, sizeof text) > 7 && text[7] == '\0');
    CHECK(sgemm_last_opencl_status(other) == CL_SUCCESS);
    sgemm_release_context(other);
}

struct messages {
    int count;
    char last[200];
};

static void collect(sgemm_log_level level, const char* message, void* data) {
    struct messages* messages = (struct messages*)data;
    ++messages->count;
    strncpy(messages->last, message, sizeof messages->last - 1);
    CHECK(level >= SGEMM_LOG_WARNING && level <= SGEMM_LOG_TRACE);
}

/* A, B or both packed, of two calls each; wrong use. */
static void test_packed_operands(struct fixture* f) {
    const sgemm_problem p = small_problem();
    sgemm_packed_figures figures = SGEMM_PACKED_FIGURES_INIT;
    sgemm_problem other = p;
    sgemm_packed_matrix a = NULL;
    sgemm_packed_matrix b = NULL;
    cl_event done = NULL;
    int way;
    make_matrices(f);
    CHECK(sgemm_pack(f->library, f->queue, &p, SGEMM_OPERAND_A, f->a, 0, 0, NULL, &done, &a) ==
          SGEMM_SUCCESS);
    CHECK(sgemm_pack(f->library, f->queue, &p, SGEMM_OPERAND_B, f->b, 0, 1, &done, NULL, &b) ==
          SGEMM_SUCCESS);
    CHECK(clWaitForEvents(1, &done) == CL_SUCCESS);
    clReleaseEvent(done);
    CHECK(sgemm_get_packed_figures(a, &figures) == SGEMM_SUCCESS);
    CHECK(figures.bytes >= a_size * sizeof(float) && figures.precision == SGEMM_STRICT);
    release_matrices(f);
    for (way = 0; way < 4; ++way) {
        sgemm_packed_matrix packed_a = way % 2 == 1 ? a : NULL;
        sgemm_packed_matrix packed_b = way / 2 == 1 ? b : NULL;
        make_matrices(f);
        CHECK(sgemm_gemm_packed(f->library, f->queue, &p, 2.0F, packed_a,
                                packed_a == NULL ? f->a : NULL, 0, packed_b,
                                packed_b == NULL ? f->b : NULL, 0, -1.0F, f->c, 0, 0, NULL,
                                &done) == SGEMM_SUCCESS);
        CHECK(clWaitForEvents(1, &done) == CL_SUCCESS);
        clReleaseEvent(done);
        check_result(f, &p, 2.0F, -1.0F);
        release_matrices(f);
    }
    make_matrices(f);
    other.k = k - 1;
    CHECK_FAILS(sgemm_gemm_packed(f->library, f->queue, &other, 1.0F, a, NULL, 0, NULL, f->b, 0,
                                  0.0F, f->c, 0, 0, NULL, NULL),
                SGEMM_INVALID_ARGUMENT, f->library, "extents");
    CHECK_FAILS(sgemm_gemm_packed(f->library, f->queue, &p, 1.0F, b, NULL, 0, NULL, f->b, 0, 0.0F,
                                  f->c, 0, 0, NULL, NULL),
                SGEMM_INVALID_ARGUMENT, f->library, "packed as B");
    CHECK_FAILS(
        sgemm_pack(f->library, f->queue, &p, (sgemm_operand)1000, f->a, 0, 0, NULL, NULL, &a),
        SGEMM_INVALID_ARGUMENT, f->library, "operand");
    CHECK_FAILS(sgemm_pack(f->library, f->queue, &p, SGEMM_OPERAND_A, f->a, 0, 0, NULL, NULL, NULL),
                SGEMM_INVALID_ARGUMENT, f->library, "packed");
    CHECK_FAILS(sgemm_get_packed_figures(NULL, &figures), SGEMM_INVALID_ARGUMENT, NULL, "packed");
    release_matrices(f);
    sgemm_release_packed_matrix(a);
    sgemm_release_packed_matrix(b);
    sgemm_release_packed_matrix(NULL);
}

static void test_options_and_statistics(struct fixture* f) {
    const sgemm_problem p = small_problem();
    struct messages messages = {0, ""};
    sgemm_context_options options = SGEMM_CONTEXT_OPTIONS_INIT;
    sgemm_statistics statistics = SGEMM_STATISTICS_INIT;
    sgemm_context own = NULL;
    options.log = collect;
    options.log_data = &messages;
    options.kernel = "01_naive";
    options.disk_cache = 0;
    CHECK(sgemm_create_context(f->opencl, f->device, &options, &own) == SGEMM_SUCCESS);
    make_matrices(f);
    CHECK(sgemm_gemm(own, f->queue, &p, 1.0F, f->a, 0, f->b, 0, 0.0F, f->c, 0, 0, NULL, NULL) ==
          SGEMM_SUCCESS);
    check_result(f, &p, 1.0F, 0.0F);
    CHECK(sgemm_get_statistics(own, &statistics) == SGEMM_SUCCESS);
    CHECK(statistics.programs_built == 1 && statistics.programs_loaded == 0);
    CHECK(statistics.kernels_enqueued == 1 && statistics.plans_made == 1);
    CHECK(messages.count == 1 && strstr(messages.last, "01_naive") != NULL);
    CHECK(sgemm_release_workspace(own) == SGEMM_SUCCESS);
    release_matrices(f);
    sgemm_release_context(own);
}

/* Everything but the size that a release had. */
#define CHECK_SIZES(type, argument, context, call)                                                 \
    do {                                                                                           \
        size_t bytes;                                                                              \
        for (bytes = 0; bytes <= 2 * sizeof(type); ++bytes) {                                      \
            object.struct_bytes = bytes;                                                           \
            if (bytes != sizeof(type)) {                                                           \
                CHECK_FAILS(call, SGEMM_INVALID_ARGUMENT, context, argument ".struct_bytes");      \
            }                                                                                      \
        }                                                                                          \
        CHECK(has_detail(context, "compiled for a later one"));                                    \
        object.struct_bytes = sizeof(type);                                                        \
        CHECK((call) == SGEMM_SUCCESS);                                                            \
    } while (0)

static void test_sizes_of_structures(struct fixture* f) {
    const sgemm_problem p = small_problem();
    sgemm_context own = NULL;
    sgemm_plan plan = NULL;
    sgemm_packed_matrix packed = NULL;
    make_matrices(f);
    {
        sgemm_context_options object = SGEMM_CONTEXT_OPTIONS_INIT;
        CHECK_SIZES(sgemm_context_options, "options", NULL,
                    sgemm_create_context(f->opencl, f->device, &object, &own));
    }
    {
        sgemm_plan_options object = SGEMM_PLAN_OPTIONS_INIT;
        CHECK_SIZES(sgemm_plan_options, "options", own, sgemm_create_plan(own, &p, &object, &plan));
    }
    {
        sgemm_problem object = p;
        CHECK_SIZES(
            sgemm_problem, "problem", own,
            sgemm_pack(own, f->queue, &object, SGEMM_OPERAND_A, f->a, 0, 0, NULL, NULL, &packed));
    }
    {
        sgemm_statistics object = SGEMM_STATISTICS_INIT;
        CHECK_SIZES(sgemm_statistics, "statistics", own, sgemm_get_statistics(own, &object));
    }
    {
        sgemm_plan_figures object = SGEMM_PLAN_FIGURES_INIT;
        object.reserved = 77;
        CHECK_SIZES(sgemm_plan_figures, "figures", own, sgemm_get_plan_figures(plan, &object));
        CHECK(object.reserved == 0);
    }
    {
        sgemm_packed_figures object = SGEMM_PACKED_FIGURES_INIT;
        object.reserved = 77;
        CHECK_SIZES(sgemm_packed_figures, "figures", own,
                    sgemm_get_packed_figures(packed, &object));
        CHECK(object.reserved == 0);
    }
    clFinish(f->queue);
    release_matrices(f);
    sgemm_release_packed_matrix(packed);
    sgemm_release_plan(plan);
    sgemm_release_context(own);
}

/* `offsets + count` wraps around to `offsets`, or is no number of bytes at all. */
static void test_counts_that_no_memory_holds(struct fixture* f) {
    const sgemm_problem p = small_problem();
    const int64_t offsets[] = {0};
    int shift;
    make_matrices(f);
    for (shift = 60; shift < 64; ++shift) {
        CHECK_FAILS(sgemm_gemm_batch(f->library, f->queue, &p, (size_t)1 << shift, 1.0F, f->a,
                                     offsets, f->b, offsets, 0.0F, f->c, offsets, 0, NULL, NULL),
                    SGEMM_INVALID_ARGUMENT, f->library, "count");
    }
    CHECK(sgemm_gemm_batch(f->library, f->queue, &p, 1, 1.0F, f->a, offsets, f->b, offsets, 0.0F,
                           f->c, offsets, 0, NULL, NULL) == SGEMM_SUCCESS);
    check_result(f, &p, 1.0F, 0.0F);
    release_matrices(f);
}

static void test_contexts_by_queue(struct fixture* f) {
    const sgemm_problem p = small_problem();
    make_matrices(f);
    CHECK(sgemm_gemm_by_queue(f->queue, p.layout, p.transpose_a, p.transpose_b, p.m, p.n, p.k, 2.0F,
                              f->a, 0, SGEMM_TIGHT, f->b, 0, SGEMM_TIGHT, 0.5F, f->c, 0,
                              SGEMM_TIGHT, 0, NULL, NULL) == SGEMM_SUCCESS);
    check_result(f, &p, 2.0F, 0.5F);
    CHECK_FAILS(sgemm_gemm_by_queue(f->queue, p.layout, p.transpose_a, p.transpose_b, p.m, p.n, p.k,
                                    2.0F, f->a, 0, 1, f->b, 0, SGEMM_TIGHT, 0.5F, f->c, 0,
                                    SGEMM_TIGHT, 0, NULL, NULL),
                SGEMM_INVALID_ARGUMENT, NULL, "lda");
    CHECK_FAILS(sgemm_gemm_by_queue(NULL, p.layout, p.transpose_a, p.transpose_b, p.m, p.n, p.k,
                                    2.0F, f->a, 0, SGEMM_TIGHT, f->b, 0, SGEMM_TIGHT, 0.5F, f->c, 0,
                                    SGEMM_TIGHT, 0, NULL, NULL),
                SGEMM_INVALID_ARGUMENT, NULL, "queue");
    sgemm_release_kept_contexts();
    release_matrices(f);
}

static void test_texts(void) {
    int i;
    for (i = SGEMM_SUCCESS; i <= SGEMM_INTERNAL_ERROR; ++i) {
        CHECK(strcmp(sgemm_status_string((sgemm_status)i), "unknown status") != 0);
    }
    CHECK(strcmp(sgemm_status_string((sgemm_status)(SGEMM_INTERNAL_ERROR + 1)), "unknown status") ==
          0);
    CHECK(sgemm_version()[0] == '0' + SGEMM_VERSION_MAJOR);
}

int main(void) {
    struct fixture fixture;
    test_texts();
    if (!set_up(&fixture)) {
        const char* required = getenv("SGEMM_REQUIRE_DEVICE");
        printf("no OpenCL device\n");
        return required != NULL && strcmp(required, "1") == 0 ? 1 : 77;
    }
    test_details_are_kept_apart(&fixture);
    test_all_forms(&fixture);
    test_plan_and_events(&fixture);
    test_tuning(&fixture);
    test_plan_outlives_its_context(&fixture);
    test_bad_problems(&fixture);
    test_bad_plans(&fixture);
    test_bad_contexts(&fixture);
    test_packed_operands(&fixture);
    test_options_and_statistics(&fixture);
    test_sizes_of_structures(&fixture);
    test_counts_that_no_memory_holds(&fixture);
    test_contexts_by_queue(&fixture);
    tear_down(&fixture);
    printf("%d checks, %d failures\n", checks, failures);
    return failures == 0 ? 0 : 1;
}
