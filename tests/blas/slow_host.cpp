// SPDX-License-Identifier: Apache-2.0
// A host's BLAS under a name of the build's choice, which takes as long to load as fork_test.cpp
// likes.
#include <cstddef>
#include <cstdint>
#include <dlfcn.h>

namespace {

struct Loading {
    Loading() {
        if (void* const wait = dlsym(RTLD_DEFAULT, "wait_for_test")) {
            reinterpret_cast<void (*)()>(wait)();
        }
    }
} loading;

using Integer = SGEMM_HOST_INTEGER;

} // namespace

#define SGEMM_HOST_EXPORT __attribute__((visibility("default")))

extern "C" {
/// Products that it has computed.
SGEMM_HOST_EXPORT int host_products = 0;

/// Columns by columns, tight, alpha 1, beta 0: all that the tests ask for.
SGEMM_HOST_EXPORT void SGEMM_HOST_NAME(const char*, const char*, const Integer* m, const Integer* n,
                                       const Integer* k, const float*, const float* a,
                                       const Integer*, const float* b, const Integer*, const float*,
                                       float* c, const Integer*, std::size_t, std::size_t) {
    ++host_products;
    for (Integer j = 0; j < *n; ++j) {
        for (Integer i = 0; i < *m; ++i) {
            float sum = 0;
            for (Integer p = 0; p < *k; ++p) {
                sum += a[p * *m + i] * b[j * *k + p];
            }
            c[j * *m + i] = sum;
        }
    }
}
}
