// SPDX-License-Identifier: Apache-2.0
// A host's BLAS that takes as long to load as fork_test.cpp likes.
#include <cstddef>
#include <dlfcn.h>

namespace {

struct Loading {
    Loading() {
        if (void* const wait = dlsym(RTLD_DEFAULT, "wait_for_test")) {
            reinterpret_cast<void (*)()>(wait)();
        }
    }
} loading;

} // namespace

/// Columns by columns, tight, alpha 1, beta 0: all that the test asks for.
extern "C" __attribute__((visibility("default"))) void
sgemm_(const char*, const char*, const int* m, const int* n, const int* k, const float*,
       const float* a, const int*, const float* b, const int*, const float*, float* c, const int*,
       std::size_t, std::size_t) {
    for (int j = 0; j < *n; ++j) {
        for (int i = 0; i < *m; ++i) {
            float sum = 0;
            for (int p = 0; p < *k; ++p) {
                sum += a[p * *m + i] * b[j * *k + p];
            }
            c[j * *m + i] = sum;
        }
    }
}
