// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/kernel_fixture.hpp"
#include "support/case_data.hpp"

#include <optional>

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

/// Calls that need workspace, of a Context that nothing else uses.
class CallsWithPasses : public DeviceTest {
protected:
    void SetUp() override {
        DeviceTest::SetUp();
        if (IsSkipped() || HasFatalFailure()) {
            return;
        }
        case_ = case_with_passes(device());
        // PoCL up to 5.0 may end the process where launches of one kernel in several widths meet,
        // unless it has seen the widest (ADR 28).
        CaseData(device(), case_).gemm(library(), queue());
        check_status(clFinish(queue()), "clFinish");
        own_.emplace(device().make_library());
        plan_.emplace(plan_case(*own_, case_));
    }

    Case case_;
    std::optional<sgemm::Context> own_;
    std::optional<sgemm::Plan> plan_;
};

} // namespace sgemm_test
