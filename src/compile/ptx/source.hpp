// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/kernel_entry.hpp"

#include <stdexcept>
#include <string>
#include <string_view>

namespace libsgemm::compile {

/// What is wrong with a PTX source or its parameters, with file and line.
class PtxSourceError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Whether the source of that path is PTX, not OpenCL C.
inline bool is_ptx(std::string_view path) {
    return path.ends_with(".ptx");
}

/// Plain PTX from a source of kernels/ptx/, which PTX itself has no preprocessor for. In lines of
/// their own:
///
///     #define NAME EXPRESSION             an integer constant; in a #for one of each iteration
///     #if EXPRESSION, #elif, #else, #endif
///     #error "text"
///     #for NAME < EXPRESSION, #endfor     the lines between, for NAME = 0, 1, ...
///     #line NUMBER "file"                 for messages
///
/// and anywhere else
///
///     ${EXPRESSION}                       its value, in decimal
///     ${NAME < EXPRESSION: text}          the text for NAME = 0, 1, ..., joined by commas
///
/// An expression has 64-bit integers, constants, defined(NAME), parentheses and C's operators
/// ! - * / % + < <= > >= == != && ||. `defines` are the first constants. Comments and empty lines
/// go. Throws PtxSourceError for what is malformed or unknown, for #error, and for a source that
/// expands without end.
std::string expand_ptx(std::string_view source, const catalog::Defines& defines);

/// The expanded source as NVIDIA's driver takes it: it begins with a comment, as the driver's own
/// output does, and ends with a zero.
std::string ptx_binary(std::string_view expanded);

} // namespace libsgemm::compile
