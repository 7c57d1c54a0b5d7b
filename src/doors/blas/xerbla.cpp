// SPDX-License-Identifier: Apache-2.0
#include "doors/blas/xerbla.hpp"

#include "doors/blas/dispatch.hpp"

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

namespace libsgemm::blas {
namespace {

/// The place in the caller's list of what the reference numbers as handed to Fortran.
int exchanged(int argument) {
    switch (argument) {
    case 4:
        return 5;
    case 5:
        return 4;
    case 9:
        return 11;
    case 11:
        return 9;
    default:
        return argument;
    }
}

/// The reference's own: it does not return.
[[noreturn]] void end_with_message(int argument, bool row_major, const char* form, int value) {
    std::fprintf(stderr, "Parameter %d to routine cblas_sgemm was incorrect\n",
                 row_major ? exchanged(argument) : argument);
    std::fprintf(stderr, form, value);
    std::exit(-1);
}

template <class Integer>
constexpr std::array names_of_xerbla = {"xerbla_", "scipy_xerbla_"};
template <>
constexpr std::array names_of_xerbla<std::int64_t> = {"xerbla_64_", "scipy_xerbla_64_"};

} // namespace

template <class Integer>
void report(Integer argument) {
    using Xerbla = void (*)(const char*, const Integer*, std::size_t);
    for (const char* const name : names_of_xerbla<Integer>) {
        if (void* const xerbla = find_symbol(name)) {
            constexpr std::size_t length = 6;
            reinterpret_cast<Xerbla>(xerbla)("SGEMM ", &argument, length);
            return;
        }
    }
    std::fprintf(stderr, "Parameter %d to routine SGEMM was incorrect\n",
                 static_cast<int>(argument));
}
template void report<std::int32_t>(std::int32_t);
template void report<std::int64_t>(std::int64_t);

void report_cblas(int argument, bool row_major, const char* form, int value) {
    using CblasXerbla = void (*)(int, const char*, const char*, ...);
    void* const xerbla = find_symbol("cblas_xerbla");
    auto* const row_major_storage = static_cast<int*>(find_symbol("RowMajorStrg"));
    if (xerbla == nullptr) {
        end_with_message(argument, row_major, form, value);
    }
    // The reference's cblas_xerbla() exchanges the numbers back if that says so.
    if (row_major_storage != nullptr) {
        *row_major_storage = row_major ? 1 : 0;
    }
    const bool exchanges = row_major_storage != nullptr || !row_major;
    reinterpret_cast<CblasXerbla>(xerbla)(exchanges ? argument : exchanged(argument), "cblas_sgemm",
                                          form, value);
    if (row_major_storage != nullptr) {
        *row_major_storage = 0;
    }
}

} // namespace libsgemm::blas
