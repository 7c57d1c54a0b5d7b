// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/kernel_entry.hpp"
#include "sgemm/expert.hpp"
#include "support/case.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace sgemm_test {

/// Different sets of parameters with which a kernel can run on a device: up to `count` of them,
/// drawn from the catalogue's search values.
std::vector<libsgemm::catalog::Parameters>
draw_parameters(const libsgemm::catalog::KernelEntry& kernel, const libsgemm::DeviceTraits& device,
                std::size_t count, std::uint64_t seed);

/// A set with a small tile, so that three work-groups each way are a small problem, which still has
/// every work-item compute several elements where the kernel can.
libsgemm::catalog::Parameters small_parameters(const libsgemm::catalog::KernelEntry& kernel,
                                               const libsgemm::DeviceTraits& device);

/// Options that force a kernel with these parameters.
libsgemm::ExpertPlanOptions forced(const libsgemm::catalog::KernelEntry& kernel,
                                   const libsgemm::catalog::Parameters& parameters);

struct Extents {
    std::int64_t m, n, k;
};

/// Extents that take 1, 2 and 3 tiles in each dimension, whole and with remainders; every pair of
/// such extents occurs, whichever two dimensions one looks at.
std::vector<Extents> tile_extents(const libsgemm::catalog::TileShape& tile);
/// Those of them that fall to `part` of `parts` (up to 4), e.g. to a form: whole and cut tiles both
/// ways in each.
std::vector<Extents> tile_extents(const libsgemm::catalog::TileShape& tile, std::size_t part,
                                  std::size_t parts);

/// The eight ways to store one product.
struct Form {
    libsgemm::Layout layout;
    libsgemm::Transpose a, b;
};
const std::array<Form, 8>& all_forms();
void set_form(Case& test_case, const Form& form);

} // namespace sgemm_test
