// SPDX-License-Identifier: Apache-2.0
#include "new_kernel.hpp"

#include "catalog/rules.hpp"
#include "problem/canonical_problem.hpp"

#include <string>

namespace sgemm_test {
namespace {

using namespace libsgemm::catalog;

// The file.
constexpr std::string_view columns_path = "new/columns.cl";
constexpr std::string_view columns_text = R"(
// Several rows of C per work-item, for few columns.
#if !defined(ROWS) || !defined(A_K_MAJOR) || !defined(B_K_MAJOR)
#error "ROWS, A_K_MAJOR and B_K_MAJOR must be defined: rows per work-item, storage"
#endif
#if A_K_MAJOR
#error "A must be m-major"
#endif

#define NUMBERS(N) GEMM_NUMBERS(N)
NUMBERS_STRUCT(NUMBERS);

kernel __attribute__((reqd_work_group_size(16, 4, 1))) void
sgemm_columns(Numbers numbers, global const float* restrict a, global const float* restrict b, global float* c) {
    READ_NUMBERS(NUMBERS);
    const long i0 = (long)get_group_id(0) * (16 * ROWS) + (long)get_local_id(0);
    const long j = (long)get_group_id(1) * 4 + (long)get_local_id(1);
    const long batch = (long)get_group_id(2);
    if (j >= n)
        return;
    a += offset_a + batch * stride_a;
    b += offset_b + batch * stride_b + j * (B_K_MAJOR ? ldb : 1);
    c += offset_c + batch * stride_c + j * ldc;
    for (long i = i0; i < min(m, i0 + 16 * ROWS); i += 16) {
        float sum = 0.0f;
        for (long p = 0; p < k; ++p)
            sum = FMA(a[p * lda + i], b[p * (B_K_MAJOR ? 1 : ldb)], sum);
        STORE_C(c + i, sum, alpha, beta);
    }
}
)";

// The entry.
constexpr int row_counts[] = {1, 2, 4};

KernelEntry columns() {
    KernelEntry entry;
    entry.name = "columns";
    entry.source = columns_path;
    entry.function = "sgemm_columns";
    entry.summary = "a few rows of C per work-item, for few columns";
    entry.suits = [](Product product, const libsgemm::DeviceTraits&) { return product.n <= 48; };
    entry.parameters = {{"rows", "ROWS", 1, row_counts, "rows of C per work-item", 1, 64}};
    entry.a = Accepts::mn_major;
    entry.b = Accepts::either;
    entry.edges = Edges::any_size;
    entry.tile = [](Values p) {
        TileShape shape;
        shape.m = 16 * p["rows"];
        shape.n = 4;
        shape.local = {16, 4};
        return shape;
    };
    return entry;
}

/// What cmake/embed_kernels.cmake does: what stands in front of every file, and the file.
const EmbeddedSource* find_with_new(std::string_view wanted) {
    if (wanted != columns_path) {
        return find_source(wanted);
    }
    static const std::string embedded = [] {
        const KernelEntry& naive = kernel_catalog().naive();
        const std::string_view other = find_source(naive.source)->text;
        const auto end = other.find("#line 1 \"" + std::string(naive.source));
        return std::string(other.substr(0, end)) + "#line 1 \"" + std::string(columns_path) + '"' +
               std::string(columns_text);
    }();
    static const EmbeddedSource source{columns_path, embedded, "0123456789abcdef0123456789abcdef"};
    return &source;
}

} // namespace

const KernelCatalog& catalog_with_new_kernel() {
    static const KernelCatalog catalog({kernel_catalog().naive(), columns()}, {}, find_with_new);
    return catalog;
}

} // namespace sgemm_test
