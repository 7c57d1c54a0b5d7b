// SPDX-License-Identifier: Apache-2.0
// Kinds of numbers for tests of schemes that split operands.
#pragma once

#include "device/emulated_fixture.hpp"

#include <vector>

namespace sgemm_test::emulated {

struct Distribution {
    const char* name;
    Element a, b;
};

/// Numbers that the schemes are for.
std::vector<Distribution> ordinary();

/// Numbers that some scheme must leave to others.
std::vector<Distribution> hostile();

} // namespace sgemm_test::emulated
