// SPDX-License-Identifier: Apache-2.0
// A small product goes to the host's BLAS that is loaded, though nobody else sees its symbols:
//   local_host_test LIBRARY
#include "doors/blas/entry_points.hpp"

#include <array>
#include <cstdio>
#include <dlfcn.h>

int main(int argc, char** argv) {
    void* const host = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : nullptr;
    const auto* const products =
        host == nullptr ? nullptr : static_cast<const int*>(dlsym(host, "host_products"));
    if (products == nullptr) {
        std::fprintf(stderr, "usage: local_host_test LIBRARY\n");
        return 2;
    }
    const std::array<float, 4> ones{1, 1, 1, 1};
    std::array<float, 4> c{};
    scipy_cblas_sgemm64_(101, 111, 111, 2, 2, 2, 1.0F, ones.data(), 2, ones.data(), 2, 0.0F,
                         c.data(), 2);
    const bool is_right = c == std::array<float, 4>{2, 2, 2, 2};
    std::fprintf(stderr, "%s, products of the host: %d\n", is_right ? "right" : "wrong", *products);
    return is_right && *products == 1 ? 0 : 1;
}
