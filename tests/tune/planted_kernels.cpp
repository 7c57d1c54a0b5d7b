// SPDX-License-Identifier: Apache-2.0
#include "planted_kernels.hpp"

#include "catalog/kernel_catalog.hpp"
#include "sgemm/error.hpp"
#include "support/text.hpp"

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>

namespace sgemm_test {
namespace {

using libsgemm::catalog::EmbeddedSource;
using libsgemm::catalog::KernelCatalog;
using libsgemm::catalog::KernelEntry;

bool unleashed = false;

constexpr std::string_view planted_folder = "planted/";
constexpr std::array names{"right",
                           "slow",
                           "wrong_at_one_remainder",
                           "hangs",
                           "hangs_at_one_size",
                           "ends_the_compiler",
                           "asks_for_too_much_local_memory",
                           "ends_the_process",
                           "does_not_build"};

/// One element of C per work-item in tiles of 16 x 4; BEFORE may spoil it.
constexpr std::string_view body = R"(
typedef struct {
    long m, n, k;
    float alpha;
    long offset_a, lda, stride_a, offset_b, ldb, stride_b;
    float beta;
    long offset_c, ldc, stride_c;
} Numbers;
kernel void planted(Numbers numbers, global const float* restrict a, global const float* restrict b,
                    global float* c) {
    const long m = numbers.m, n = numbers.n, k = numbers.k, lda = numbers.lda, ldb = numbers.ldb, ldc = numbers.ldc;
    const long offset_a = numbers.offset_a, offset_b = numbers.offset_b, offset_c = numbers.offset_c;
    const float alpha = numbers.alpha, beta = numbers.beta;
    const long i = get_global_id(0);
    const long j = get_global_id(1);
    float wrong = 0.0f;
    BEFORE
    if (i >= m || j >= n)
        return;
    float sum = 0.0f;
    for (long p = 0; p < k; p++)
        sum = fma(a[offset_a + (A_K_MAJOR ? i * lda + p : p * lda + i)],
                  b[offset_b + (B_K_MAJOR ? j * ldb + p : p * ldb + j)], sum);
    global float* out = c + offset_c + j * ldc + i;
    *out = alpha * sum + wrong + (beta == 0.0f ? 0.0f : beta * *out);
}
)";

std::string spoiled_by(std::string_view name) {
    if (name == "wrong_at_one_remainder") {
        return "if (m % 16 == 7 && i == m - 1) wrong = 1.0f;";
    }
    if (name == "hangs") {
        return "volatile global float* v = c + offset_c;"
               "while (v[0] != 3.25e37f) v[0] = 1.0f;";
    }
    if (name == "hangs_at_one_size") {
        return "volatile global float* v = c + offset_c;"
               "if (m == 33) while (v[0] != 3.25e37f) v[0] = 1.0f;";
    }
    if (name == "asks_for_too_much_local_memory") {
        return "local float much[1 << 28]; much[(i * 4097) & ((1 << 28) - 1)] = sum_of(a[0]);"
               "barrier(CLK_LOCAL_MEM_FENCE); wrong = much[j] * 0.0f;";
    }
    if (name == "slow") {
        return "float spent = 0.0f;"
               "for (long p = 0; p < 40 * k; p++) spent = fma(spent, 0.5f, a[offset_a + p % k]);"
               "wrong = spent == 1234.0f ? 1.0f : 0.0f;";
    }
    return name == "does_not_build" ? "this is no OpenCL C" : "";
}

/// What befalls whoever asks for the source of "troubled".
void make_trouble() {
    const std::string kind = libsgemm::support::environment("SGEMM_TEST_TROUBLE");
    const std::string once = libsgemm::support::environment("SGEMM_TEST_TROUBLE_ONCE");
    if (kind.empty() || (!once.empty() && std::filesystem::exists(once))) {
        return;
    }
    if (!once.empty()) {
        std::ofstream mark(once);
    }
    if (kind == "shortage") {
        throw libsgemm::OpenClError("clCreateBuffer", CL_MEM_OBJECT_ALLOCATION_FAILURE);
    }
    if (kind == "build") {
        throw libsgemm::BuildError("troubled", "planted");
    }
    throw libsgemm::OpenClError("clEnqueueNDRangeKernel", CL_OUT_OF_RESOURCES);
}

const EmbeddedSource* find_planted(std::string_view path) {
    if (path.substr(0, planted_folder.size()) != planted_folder) {
        return libsgemm::catalog::find_source(path);
    }
    const std::string name(path.substr(planted_folder.size()));
    if (name == "ends_the_compiler" && unleashed) {
        std::abort(); // as compilers do, in the middle of a build
    }
    if (name == "troubled" && unleashed) {
        make_trouble();
    }
    static std::map<std::string, std::string> texts;
    static std::map<std::string, EmbeddedSource> sources;
    const auto [position, is_new] = texts.try_emplace(name);
    if (is_new) {
        std::string text(body);
        text.replace(text.find("BEFORE"), 6, spoiled_by(name));
        position->second = "float sum_of(float x) { return x; }\n" + text;
        sources[name] = {path, position->second, "0123456789abcdef"};
    }
    return &sources[name];
}

libsgemm::catalog::TileShape planted_tile(const libsgemm::catalog::Parameters& /*none*/) {
    libsgemm::catalog::TileShape shape;
    shape.m = 16;
    shape.n = 4;
    shape.local = {16, 4};
    return shape;
}

KernelEntry planted(const char* name) {
    // Paths must outlive the entry.
    static std::map<std::string, std::string> paths;
    KernelEntry entry;
    entry.name = name;
    entry.source = paths.try_emplace(name, std::string(planted_folder) + name).first->second;
    entry.function = "planted";
    entry.summary = "planted by a test";
    entry.a = libsgemm::catalog::Accepts::either;
    entry.b = libsgemm::catalog::Accepts::either;
    entry.edges = libsgemm::catalog::Edges::any_size;
    entry.tile = planted_tile;
    return entry;
}

/// Ends the process as an operating system that has no memory left does.
KernelEntry ending() {
    KernelEntry entry = planted("ends_the_process");
    entry.needs = {
        {"never missing", [](const libsgemm::DeviceTraits&, const libsgemm::catalog::Parameters&) {
             return !unleashed || std::raise(SIGKILL) == 0;
         }}};
    return entry;
}

} // namespace

KernelEntry troubled_kernel() {
    return planted("troubled");
}

const KernelCatalog& planted_kernels() {
    static const KernelCatalog catalog = [] {
        std::vector<KernelEntry> entries{libsgemm::catalog::kernel_catalog().naive()};
        for (const char* name : names) {
            entries.push_back(std::string_view(name) == "ends_the_process" ? ending()
                                                                           : planted(name));
        }
        if (!libsgemm::support::environment("SGEMM_TEST_TROUBLE").empty()) {
            entries.push_back(troubled_kernel());
        }
        return KernelCatalog(std::move(entries), {}, find_planted);
    }();
    return catalog;
}

void unleash_planted_kernels() {
    unleashed = true;
}

} // namespace sgemm_test
