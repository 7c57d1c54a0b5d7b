// SPDX-License-Identifier: Apache-2.0
//
// CLBlast itself, which computes what this library cannot.
#pragma once

#include <dlfcn.h>

namespace libsgemm::clblast_door {

/// The function of that linker's name in the libraries behind this one, or in a CLBlast that
/// another library loaded for itself alone, as libgpuarray does; null where there is none.
template <class Function>
Function* real(const char* name) {
    void* function = dlsym(RTLD_NEXT, name);
    if (function == nullptr) {
        if (void* const loaded = dlopen("libclblast.so.1", RTLD_LAZY | RTLD_NOLOAD)) {
            function = dlsym(loaded, name);
            dlclose(loaded); // who loaded it keeps it
        }
    }
    return reinterpret_cast<Function*>(function);
}

} // namespace libsgemm::clblast_door
