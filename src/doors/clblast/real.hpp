// SPDX-License-Identifier: Apache-2.0
//
// CLBlast itself, which computes what this library cannot.
#pragma once

#include <dlfcn.h>

namespace libsgemm::clblast {

/// The function of that linker's name in the libraries behind this one; null where there is none.
template <class Function>
Function* real(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

} // namespace libsgemm::clblast
