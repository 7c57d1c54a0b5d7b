// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/kernel_fixture.hpp"
#include "support/case_data.hpp"

namespace sgemm_test {

/// A case whose plan has passes around its main kernel and so needs workspace: ragged sizes, both
/// operands transposed, with the first kernel of the catalogue that works on whole tiles.
inline Case case_with_passes(const TestDevice& device) {
    for (const auto& kernel : sgemm::catalog::kernel_catalog().entries()) {
        const sgemm::DeviceTraits& traits = device.handle().traits;
        if (kernel.edges != sgemm::catalog::Edges::whole_tiles ||
            !sgemm::kernel_obstacles(std::string(kernel.name), traits).empty()) {
            continue;
        }
        const sgemm::catalog::Parameters parameters = small_parameters(kernel, traits);
        const sgemm::catalog::TileShape tile = kernel.tile(parameters);
        Case result = plain_case(tile.m + 1, 2 * tile.n + 1, 2 * tile.k + 1);
        set_form(result,
                 {sgemm::Layout::column_major, sgemm::Transpose::yes, sgemm::Transpose::yes});
        result.options = forced(kernel, parameters);
        result.beta = 0.5F;
        return result;
    }
    throw std::logic_error("the catalogue has no kernel for whole tiles");
}

} // namespace sgemm_test
