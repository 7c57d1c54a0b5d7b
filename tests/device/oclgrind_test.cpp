// SPDX-License-Identifier: Apache-2.0
// One small problem per kernel with all its passes, for a run under Oclgrind. Buffers have no guards
// around them: Oclgrind watches each access by itself.
#include "device/kernel_fixture.hpp"
#include "support/case_data.hpp"

namespace sgemm_test {
namespace {

class Oclgrind : public KernelTest {};

TEST_P(Oclgrind, RaggedProblem) {
    if (refused()) {
        return;
    }
    Case c = make_case(ragged(), all_forms()[3]);
    spread(c.problem, {1, 0, 2});
    c.offset_c = 3;
    c.beta = 0.5F;
    EXPECT_TRUE(runs_right(device(), library(), c, Guards::none));
}

SGEMM_FOR_EVERY_KERNEL(Oclgrind);

} // namespace
} // namespace sgemm_test
