// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/kernel_catalog.hpp"

namespace sgemm_test {

/// The library's naive kernel, and one that no file of the library knows: CONTRIBUTING.md's "one
/// file and one entry", in new_kernel.cpp.
const libsgemm::catalog::KernelCatalog& catalog_with_new_kernel();

} // namespace sgemm_test
