// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/kernel_fixture.hpp"
#include "support/case_data.hpp"

#include <optional>

namespace sgemm_test {

/// A case whose plan has passes around its main kernel and so needs workspace: ragged sizes, both
/// operands transposed, with the first kernel of the catalogue that works on whole tiles.
inline Case case_with_passes(const TestDevice& device) {
    for (const auto& kernel : libsgemm::catalog::kernel_catalog().entries()) {
        const libsgemm::DeviceTraits& traits = device.handle().traits;
        if (kernel.edges != libsgemm::catalog::Edges::whole_tiles ||
            !libsgemm::kernel_obstacles(std::string(kernel.name), traits).empty()) {
            continue;
        }
        const libsgemm::catalog::Parameters parameters = small_parameters(kernel, traits);
        const libsgemm::catalog::TileShape tile = kernel.tile(parameters);
        Case result = plain_case(tile.m + 1, 2 * tile.n + 1, 2 * tile.k + 1);
        set_form(result, {libsgemm::Layout::column_major, libsgemm::Transpose::yes,
                          libsgemm::Transpose::yes});
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
        // unless it has seen the widest (ADR 37).
        CaseData(device(), case_).gemm(library(), queue());
        check_status(clFinish(queue()), "clFinish");
        own_.emplace(device().make_library());
        plan_.emplace(plan_case(*own_, case_));
    }

    Case case_;
    std::optional<libsgemm::Context> own_;
    std::optional<libsgemm::Plan> plan_;
};

} // namespace sgemm_test
