/* SPDX-License-Identifier: Apache-2.0 */
/* libsgemm from C: a batch of products on the default device, by a plan that is made once. */
#include <sgemm/sgemm.h>
#include <stdio.h>
#include <stdlib.h>

enum { m = 60, n = 50, k = 40, products = 3 };

/* Ends the program where something failed, and says what. */
static void check(sgemm_status status, sgemm_context context, const char* what) {
    char detail[512];
    if (status == SGEMM_SUCCESS) {
        return;
    }
    sgemm_last_error(context, detail, sizeof detail);
    fprintf(stderr, "multiply: %s: %s: %s\n", what, sgemm_status_string(status), detail);
    exit(1);
}

static void check_opencl(cl_int status, const char* what) {
    if (status != CL_SUCCESS) {
        fprintf(stderr, "multiply: %s: OpenCL status %d\n", what, (int)status);
        exit(1);
    }
}

/* A buffer with `count` floats of one value. */
static cl_mem make_matrices(cl_context opencl, cl_command_queue queue, size_t count, float value) {
    cl_int status = CL_SUCCESS;
    const size_t bytes = count * sizeof(float);
    cl_mem buffer = clCreateBuffer(opencl, CL_MEM_READ_WRITE, bytes, NULL, &status);
    check_opencl(status, "clCreateBuffer");
    check_opencl(clEnqueueFillBuffer(queue, buffer, &value, sizeof value, 0, bytes, 0, NULL, NULL),
                 "clEnqueueFillBuffer");
    return buffer;
}

int main(void) {
    static float result[products * m * n];
    cl_device_id device = NULL;
    cl_int status = CL_SUCCESS;
    cl_event done = NULL;
    sgemm_context library = NULL;
    sgemm_plan plan = NULL;
    sgemm_problem problem = SGEMM_PROBLEM_INIT; /* column-major, tight, nothing transposed */
    char summary[256];
    size_t i;

    check(sgemm_select_device(NULL, &device), NULL, "no device");
    cl_context opencl = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    check_opencl(status, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueueWithProperties(opencl, device, NULL, &status);
    check_opencl(status, "clCreateCommandQueueWithProperties");
    check(sgemm_create_context(opencl, device, NULL, &library), NULL, "no context");

    problem.m = m;
    problem.n = n;
    problem.k = k;
    problem.transpose_b = SGEMM_TRANSPOSE;
    problem.batch_count = products;
    problem.batch_stride_b = 0; /* all products share one B */
    check(sgemm_create_plan(library, &problem, NULL, &plan), library, "no plan");
    check(sgemm_plan_text(plan, SGEMM_PLAN_SUMMARY, summary, sizeof summary, NULL), library,
          "text");
    printf("plan: %s\n", summary);

    cl_mem a = make_matrices(opencl, queue, products * m * k, 2.0F);
    cl_mem b = make_matrices(opencl, queue, n * k, 0.5F);
    cl_mem c = make_matrices(opencl, queue, products * m * n, 1.0F);
    check(sgemm_enqueue_plan(plan, queue, 1.0F, a, 0, b, 0, 2.0F, c, 0, 0, NULL, &done), library,
          "multiplication");
    check_opencl(clEnqueueReadBuffer(queue, c, CL_TRUE, 0, sizeof result, result, 1, &done, NULL),
                 "clEnqueueReadBuffer");

    clReleaseEvent(done);
    clReleaseMemObject(a);
    clReleaseMemObject(b);
    clReleaseMemObject(c);
    sgemm_release_plan(plan);
    sgemm_release_context(library);
    clReleaseCommandQueue(queue);
    clReleaseContext(opencl);

    for (i = 0; i < sizeof result / sizeof result[0]; ++i) {
        if (result[i] != k + 2.0F) {
            printf("wrong at %lu: %g\n", (unsigned long)i, (double)result[i]);
            return 1;
        }
    }
    printf("OK\n");
    return 0;
}
