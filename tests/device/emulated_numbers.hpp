// SPDX-License-Identifier: Apache-2.0
// Kinds of numbers for tests of FP32 emulation.
#pragma once

#include "device/emulated_fixture.hpp"

#include <vector>

namespace sgemm_test::emulated {

struct Distribution {
    const char* name;
    Element a, b;
};

/// Numbers that all splits are for.
std::vector<Distribution> ordinary();

/// Numbers that some splits must leave to others.
std::vector<Distribution> hostile();

} // namespace sgemm_test::emulated
