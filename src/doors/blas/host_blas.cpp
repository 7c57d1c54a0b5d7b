// SPDX-License-Identifier: Apache-2.0
#include "doors/blas/host_blas.hpp"

#include "doors/foreign_symbol.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdio>
#include <dlfcn.h>
#include <initializer_list>
#include <limits>
#include <link.h>
#include <new>
#include <string>
#include <type_traits>
#include <vector>

namespace libsgemm::blas {
namespace {

/// Fortran's SGEMM, with the lengths of the two letters that its compilers add.
template <class Integer>
using FortranSgemm = void (*)(const char*, const char*, const Integer*, const Integer*,
                              const Integer*, const float*, const float*, const Integer*,
                              const float*, const Integer*, const float*, float*, const Integer*,
                              std::size_t, std::size_t);

/// What the plain name is called with. Some hosts have 64-bit integers under it: the low half of a
/// 64-bit variable serves those with 32 bits too, where it comes first.
using PlainInteger =
    std::conditional_t<std::endian::native == std::endian::little, std::int64_t, std::int32_t>;

template <class Integer>
void call_fortran(void* function, const GemmCall& call) {
    const auto integer = [](std::int64_t value) { return static_cast<Integer>(value); };
    const char letter_a = call.transpose_a ? 'T' : 'N';
    const char letter_b = call.transpose_b ? 'T' : 'N';
    const Integer m = integer(call.m);
    const Integer n = integer(call.n);
    const Integer k = integer(call.k);
    const Integer lda = integer(call.lda);
    const Integer ldb = integer(call.ldb);
    const Integer ldc = integer(call.ldc);
    reinterpret_cast<FortranSgemm<Integer>>(function)(&letter_a, &letter_b, &m, &n, &k, &call.alpha,
                                                      call.a, &lda, call.b, &ldb, &call.beta,
                                                      call.c, &ldc, 1, 1);
}

bool fits_32_bits(const GemmCall& call) {
    const std::int64_t largest = std::max({call.m, call.n, call.k, call.lda, call.ldb, call.ldc});
    return largest <= std::numeric_limits<std::int32_t>::max();
}

/// The first of these symbols that another library has.
void* foreign_symbol(void* library, std::initializer_list<const char*> names) noexcept {
    for (const char* const name : names) {
        if (void* const symbol = libsgemm::foreign_symbol(library, name)) {
            return symbol;
        }
    }
    return nullptr;
}

/// Files of the libraries that are loaded, whoever may see their symbols; as many as there is
/// memory for.
std::vector<std::string> loaded_files() noexcept {
    std::vector<std::string> files;
    dl_iterate_phdr(
        [](dl_phdr_info* library, std::size_t, void* list) {
            try {
                static_cast<std::vector<std::string>*>(list)->emplace_back(library->dlpi_name);
                return 0;
            } catch (const std::bad_alloc&) { // must not pass through libc
                return 1;
            }
        },
        &files);
    return files;
}

} // namespace

HostBlas::HostBlas(const std::string& name) noexcept {
    if (name == "none") {
        return;
    }
    if (!name.empty()) {
        if (open(name.c_str())) {
            return;
        }
        std::fprintf(stderr, "sgemm_blas: SGEMM_BLAS_HOST=%s is no BLAS, and ignored\n",
                     name.c_str());
    }
    if (take(RTLD_NEXT) || find_loaded()) {
        return;
    }
    for (const char* const system : {"libblas.so.3", "libopenblas.so.0", "libblis.so.4"}) {
        if (open(system)) {
            return;
        }
    }
}

HostBlas HostBlas::already_loaded(const std::string& name) noexcept {
    HostBlas host;
    if (name != "none") {
        host.take(RTLD_NEXT);
    }
    return host;
}

bool HostBlas::open(const char* file) noexcept {
    void* const library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    return library != nullptr && take(library);
}

bool HostBlas::find_loaded() noexcept {
    return std::ranges::any_of(loaded_files(), [this](const std::string& file) {
        void* const library =
            file.empty() ? nullptr : dlopen(file.c_str(), RTLD_LAZY | RTLD_NOLOAD);
        if (library == nullptr || take(library)) {
            return library != nullptr;
        }
        dlclose(library);
        return false;
    });
}

bool HostBlas::take(void* library) noexcept {
    sgemm_ = foreign_symbol(library, {"sgemm_", "scipy_sgemm_"});
    sgemm_64_ = foreign_symbol(library, {"sgemm_64_", "scipy_sgemm_64_"});
    library_ = is_there() ? library : nullptr;
    return is_there();
}

bool HostBlas::multiply(const GemmCall& call) const noexcept {
    if (sgemm_ != nullptr && fits_32_bits(call)) {
        call_fortran<PlainInteger>(sgemm_, call);
        return true;
    }
    if (sgemm_64_ != nullptr) {
        call_fortran<std::int64_t>(sgemm_64_, call);
        return true;
    }
    return false;
}

void* HostBlas::find(const char* symbol) const noexcept {
    void* const global = dlsym(RTLD_DEFAULT, symbol);
    return global == nullptr && library_ != nullptr ? dlsym(library_, symbol) : global;
}

} // namespace libsgemm::blas
