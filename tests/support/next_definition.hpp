// SPDX-License-Identifier: Apache-2.0
// For programs that define entry points of libraries themselves: the linker takes a program's own
// definition before a library's.
#pragma once

#include <dlfcn.h>
#include <stdexcept>
#include <string>

namespace sgemm_test {

/// The definition that would have been taken otherwise; throws if there is none.
template <class Function>
Function* next_definition(const char* name) {
    void* const symbol = dlsym(RTLD_NEXT, name);
    if (symbol == nullptr) {
        throw std::runtime_error(std::string("no other definition of ") + name);
    }
    return reinterpret_cast<Function*>(symbol);
}

/// While a call of OpenCL runs on this thread: what its driver does is its own affair.
class InsideOpenCl {
public:
    InsideOpenCl() noexcept { ++depth; }
    ~InsideOpenCl() { --depth; }
    InsideOpenCl(const InsideOpenCl&) = delete;
    InsideOpenCl& operator=(const InsideOpenCl&) = delete;

    static bool is_so() noexcept { return depth != 0; }

private:
    static inline thread_local int depth = 0;
};

} // namespace sgemm_test
