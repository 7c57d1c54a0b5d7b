// SPDX-License-Identifier: Apache-2.0
//
// Functions behind a drop-in that has the same names.
#pragma once

#include <dlfcn.h>

namespace libsgemm {

/// Where the library of an address begins; null for none.
inline const void* library_of(const void* address) noexcept {
    Dl_info info{};
    return dladdr(address, &info) == 0 ? nullptr : info.dli_fbase;
}

/// The symbol in `library`, unless it is in this library itself, which may well be installed under
/// the name of the other one; null where there is none.
inline void* foreign_symbol(void* library, const char* name) noexcept {
    static const char here = 0; // of each drop-in, none of which exports it
    void* const symbol = dlsym(library, name);
    return library_of(symbol) == library_of(&here) ? nullptr : symbol;
}

} // namespace libsgemm
