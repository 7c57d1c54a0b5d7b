// SPDX-License-Identifier: Apache-2.0
// A wrong argument, named on the command line, where nobody has an error handler: a line on
// standard error; through CBLAS, as in the reference, the end of the process.
#include "doors/blas/entry_points.hpp"

#include <array>
#include <cstdio>
#include <string_view>

int main(int argc, char** argv) {
    const std::string_view wrong = argc == 2 ? argv[1] : "";
    const auto value = [&](std::string_view name, int right) { return wrong == name ? -1 : right; };
    const std::array<float, 6> ones{1, 1, 1, 1, 1, 1};
    std::array<float, 6> c{7, 7, 7, 7, 7, 7};
    if (wrong == "fortran") {
        const int m = -1;
        const int n = 2;
        const float one = 1;
        sgemm_("N", "N", &m, &n, &n, &one, ones.data(), &n, ones.data(), &n, &one, c.data(), &n);
    } else {
        cblas_sgemm(101, value("transa", 111), 111, value("m", 2), value("n", 3), value("k", 2), 1,
                    ones.data(), value("lda", 2), ones.data(), value("ldb", 3), 0, c.data(),
                    value("ldc", 3));
    }
    std::fprintf(stderr, "returned, C %s\n",
                 c == std::array<float, 6>{7, 7, 7, 7, 7, 7} ? "untouched" : "changed");
    return 0;
}
