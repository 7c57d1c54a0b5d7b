// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "judge/shape.hpp"

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

namespace libsgemm::judge {

/// A shape file: lines "OP M N K [LDA LDB LDC]", '#' starts a comment.
struct Suite {
    std::string name;
    std::string summary; ///< the file's first comment line
    std::vector<Shape> shapes;
};

/// Reads a shape file. Throws UsageError "ORIGIN:LINE: what is wrong"; a file with no shape is
/// wrong.
Suite read_suite(std::istream& input, const std::string& name, const std::string& origin);

/// Folders that hold the shipped suites: beside the binary, installed, in the source tree.
std::vector<std::filesystem::path> suite_folders();

/// The suites that can be named, without duplicates, sorted by name.
std::vector<Suite> list_suites();

/// `what` is a path of a shape file, the name of a suite, or one shape such as "NT/64x32x16".
/// Throws UsageError.
Suite find_suite(const std::string& what);

} // namespace libsgemm::judge
