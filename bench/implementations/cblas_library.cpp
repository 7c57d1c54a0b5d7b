// SPDX-License-Identifier: Apache-2.0
#include "implementations/makers.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <string_view>
#include <thread>

/// Libraries define the same names, so each is loaded by dlopen() with its names kept local.
namespace libsgemm::bench {
namespace {

/// `Integer` has 32 bits, or 64 where a library says so in the function's name.
template <typename Integer>
using CblasSgemm = void (*)(int layout, int transpose_a, int transpose_b, Integer m, Integer n,
                            Integer k, float alpha, const float* a, Integer lda, const float* b,
                            Integer ldb, float beta, float* c, Integer ldc);

class SharedLibrary {
public:
    /// Takes the first of `paths` that loads. Throws Unavailable.
    explicit SharedLibrary(const std::vector<std::string>& paths) {
        std::string reasons;
        for (const std::string& path : paths) {
            handle_ = path.empty() ? nullptr : dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
            if (handle_ != nullptr) {
                path_ = path;
                return;
            }
            if (!path.empty()) {
                reasons += (reasons.empty() ? "" : "; ") + std::string(dlerror());
            }
        }
        throw Unavailable("cannot be loaded (install it, or name another by cblas:FILE): " +
                          reasons);
    }

    const std::string& path() const { return path_; }

    /// Null where the library has no such name.
    template <typename Function>
    Function find(const char* symbol) const {
        return reinterpret_cast<Function>(dlsym(handle_, symbol));
    }

private:
    void* handle_ = nullptr; // never closed: the library's threads live as long as the process
    std::string path_;
};

int to_cblas(bool transpose) {
    return transpose ? 112 : 111;
} // CblasTrans, CblasNoTrans

template <typename Integer>
class CblasRunner : public Runner {
public:
    CblasRunner(CblasSgemm<Integer> sgemm, Operands& operands, std::vector<float>& c,
                const Workload& workload)
        : sgemm_(sgemm), a_(operands.a()), b_(operands.b()), c_(c), workload_(workload) {}

    void enqueue() override {
        const Shape& shape = workload_.shape;
        const auto size = [](std::int64_t value) { return static_cast<Integer>(value); };
        constexpr int column_major = 102;
        sgemm_(column_major, to_cblas(shape.transpose_a), to_cblas(shape.transpose_b),
               size(shape.m), size(shape.n), size(shape.k), workload_.alpha, a_.data(),
               size(shape.lda), b_.data(), size(shape.ldb), workload_.beta, c_.data(),
               size(shape.ldc));
    }
    void write_c(const std::vector<float>& host) override {
        std::copy(host.begin(), host.end(), c_.begin());
    }
    void read_c(std::vector<float>& host) override {
        std::copy_n(c_.begin(), host.size(), host.begin());
    }

private:
    CblasSgemm<Integer> sgemm_;
    const std::vector<float>& a_;
    const std::vector<float>& b_;
    std::vector<float>& c_;
    Workload workload_;
};

template <typename Integer>
class CblasLibrary : public Implementation {
public:
    CblasLibrary(const std::string& name, const SharedLibrary& library, const std::string& symbol,
                 std::map<std::string, std::string> facts, Environment& environment)
        : Implementation(name), sgemm_(library.find<CblasSgemm<Integer>>(symbol.c_str())),
          facts_(std::move(facts)), environment_(environment) {
        if (sgemm_ == nullptr) {
            throw Unavailable(library.path() + " has no function " + symbol);
        }
        facts_[name + "_library"] = library.path();
    }

    std::unique_ptr<Runner> prepare(const Workload& workload) override {
        c_.resize(static_cast<std::size_t>(environment_.operands.size_c()));
        return std::make_unique<CblasRunner<Integer>>(sgemm_, environment_.operands, c_, workload);
    }
    std::map<std::string, std::string> facts() const override { return facts_; }
    // OpenBLAS' worker threads spin for 2^26 cycles before they sleep, Intel's OpenMP's for 0.2 s.
    std::chrono::milliseconds settle_time() const override {
        return std::chrono::milliseconds(name() == "openblas" || name() == "blis" ? 40 : 250);
    }

private:
    CblasSgemm<Integer> sgemm_;
    std::map<std::string, std::string> facts_;
    Environment& environment_;
    std::vector<float> c_;
};

Implementations make_cblas(const std::string& name, const SharedLibrary& library,
                           const std::string& symbol, std::map<std::string, std::string> facts,
                           Environment& environment) {
    const auto make = [&](auto integer) -> std::unique_ptr<Implementation> {
        return std::make_unique<CblasLibrary<decltype(integer)>>(name, library, symbol,
                                                                 std::move(facts), environment);
    };
    const bool has_64_bits = symbol.find("64") != std::string::npos;
    Implementations made;
    made.push_back(has_64_bits ? make(std::int64_t{}) : make(int{}));
    return made;
}

bool cpu_has_avx512() {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512vl") != 0;
#else
    return false;
#endif
}

/// OpenBLAS' own choice is slow on some CPUs with AVX-512 (it takes its AVX2 kernels on AMD's, and
/// bf16 ones on Intel's newest); it reads the variable when it is loaded.
void choose_openblas_coretype(const std::string& wanted) {
    if (!wanted.empty()) {
        setenv("OPENBLAS_CORETYPE", wanted.c_str(), 1);
    } else if (cpu_has_avx512()) {
        setenv("OPENBLAS_CORETYPE", "SKYLAKEX", 0);
    }
}

/// BLIS knows CPUs with AVX-512 by their brand names; others, and virtual ones, get its AVX2
/// kernels. It reads the number of a kernel set from the environment when it is first used.
void choose_blis_architecture(const SharedLibrary& library) {
    const auto name_of = library.find<const char* (*)(int)>("bli_arch_string");
    if (name_of == nullptr || !cpu_has_avx512()) {
        return;
    }
    constexpr int more_than_there_are = 16;
    for (int id = 0; id < more_than_there_are; ++id) {
        const char* const name = name_of(id);
        if (std::string_view(name) == "generic") {
            return; // the last
        }
        if (std::string_view(name) == "skx") {
            setenv("BLIS_ARCH_TYPE", std::to_string(id).c_str(), 0);
            return;
        }
    }
}

/// BLIS stays on one thread unless it is told otherwise.
void choose_blis_threads() {
    if (std::getenv("OMP_NUM_THREADS") == nullptr) {
        const std::string threads = std::to_string(std::thread::hardware_concurrency());
        setenv("BLIS_NUM_THREADS", threads.c_str(), 0);
    }
}

/// As OpenBLAS, BLIS and MKL tell it; empty for others.
std::string version_of(const SharedLibrary& library) {
    for (const char* const name : {"openblas_get_config", "bli_info_get_version_str"}) {
        if (const auto version = library.find<const char* (*)()>(name)) {
            return version();
        }
    }
    if (const auto version = library.find<void (*)(char*, int)>("MKL_Get_Version_String")) {
        std::array<char, 200> text{};
        version(text.data(), static_cast<int>(text.size()) - 1);
        return text.data();
    }
    return {};
}

std::string environment_value(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
}

} // namespace

Implementations make_openblas(Environment& environment) {
    choose_openblas_coretype(environment.openblas_coretype);
    const SharedLibrary library({SGEMM_BENCH_OPENBLAS, "libopenblas.so.0"});
    std::map<std::string, std::string> facts;
    facts["OPENBLAS_CORETYPE"] = environment_value("OPENBLAS_CORETYPE");
    if (const auto config = library.find<const char* (*)()>("openblas_get_config")) {
        facts["openblas_version"] = config();
    }
    if (const auto threads = library.find<int (*)()>("openblas_get_num_threads")) {
        facts["openblas_threads"] = std::to_string(threads());
    }
    return make_cblas("openblas", library, "cblas_sgemm", std::move(facts), environment);
}

Implementations make_blis(Environment& environment) {
    choose_blis_threads();
    const SharedLibrary library({SGEMM_BENCH_BLIS, "libblis.so.4"});
    choose_blis_architecture(library);
    if (const auto initialize = library.find<void (*)()>("bli_init")) {
        initialize(); // only then can it be asked about itself
    }
    std::map<std::string, std::string> facts;
    if (const auto version = library.find<const char* (*)()>("bli_info_get_version_str")) {
        facts["blis_version"] = version();
    }
    const auto architecture = library.find<int (*)()>("bli_arch_query_id");
    const auto architecture_name = library.find<const char* (*)(int)>("bli_arch_string");
    if (architecture != nullptr && architecture_name != nullptr) {
        facts["blis_architecture"] = architecture_name(architecture());
    }
    facts["blis_threads"] = environment_value("OMP_NUM_THREADS").empty()
                                ? environment_value("BLIS_NUM_THREADS")
                                : environment_value("OMP_NUM_THREADS");
    return make_cblas("blis", library, "cblas_sgemm", std::move(facts), environment);
}

Implementations make_cblas_file(const std::string& spec, Environment& environment) {
    const std::size_t colon = spec.find(':');
    const std::string file = spec.substr(0, colon);
    const std::string symbol = colon == std::string::npos ? "cblas_sgemm" : spec.substr(colon + 1);
    if (file.empty() || symbol.empty()) {
        throw UsageError("--impl cblas:FILE[:SYMBOL]: name a library that has cblas_sgemm, as in "
                         "cblas:/usr/lib/libmkl_rt.so.2");
    }
    choose_blis_threads();
    const SharedLibrary library({file});
    const std::string base = std::filesystem::path(file).filename().string();
    const std::string name = "cblas:" + base.substr(0, base.find(".so"));
    std::map<std::string, std::string> facts;
    if (const std::string version = version_of(library); !version.empty()) {
        facts[name + "_version"] = version;
    }
    return make_cblas(name, library, symbol, std::move(facts), environment);
}

} // namespace libsgemm::bench
