// SPDX-License-Identifier: Apache-2.0
//
// CLBlast itself, which computes what this library cannot.
#pragma once

#include "doors/foreign_symbol.hpp"

#include <dlfcn.h>

namespace libsgemm::clblast_door {

/// The function of the same name in the libraries behind this one, or in a CLBlast that another
/// library loaded for itself alone, as libgpuarray does; null where there is none.
template <class Function>
Function* real(Function* own) {
    Dl_info info{};
    if (dladdr(reinterpret_cast<void*>(own), &info) == 0 || info.dli_sname == nullptr) {
        return nullptr;
    }
    void* function = foreign_symbol(RTLD_NEXT, info.dli_sname);
    if (function == nullptr) {
        if (void* const loaded = dlopen("libclblast.so.1", RTLD_LAZY | RTLD_NOLOAD)) {
            function = foreign_symbol(loaded, info.dli_sname);
            dlclose(loaded); // who loaded it keeps it
        }
    }
    return reinterpret_cast<Function*>(function);
}

} // namespace libsgemm::clblast_door
