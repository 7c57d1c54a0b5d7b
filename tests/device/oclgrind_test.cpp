// SPDX-License-Identifier: Apache-2.0
// One small problem per kernel with all its passes, for a run under Oclgrind. Buffers have no
// guards around them: Oclgrind watches each access by itself.
#include "device/kernel_fixture.hpp"
#include "support/case_data.hpp"

namespace sgemm_test {
namespace {

class Oclgrind : public KernelTest {
protected:
    void run(const Extents& extents, const Form& form, libsgemm::PrePassStyle style) const {
        Case c = make_case(extents, form);
        c.problem.batch_count = 2;
        spread(c.problem, {1, 0, 2}, 3);
        c.offset_c = 3;
        c.beta = 0.5F;
        c.options.pre_passes = style;
        EXPECT_TRUE(runs_right(device(), library(), c, Guards::none));
    }
};

TEST_P(Oclgrind, RaggedProblem) {
    if (refused()) {
        return;
    }
    run(ragged(), all_forms()[0], libsgemm::PrePassStyle::fused);
    run(ragged(), all_forms()[3], libsgemm::PrePassStyle::fused);
    run(ragged(), all_forms()[6], libsgemm::PrePassStyle::separate);
}

TEST_P(Oclgrind, WholeTilesInPlace) {
    if (refused()) {
        return;
    }
    for (const Form& form : {all_forms()[1], all_forms()[2]}) {
        Case c = make_case(whole(), form);
        EXPECT_TRUE(runs_right(device(), library(), c, Guards::none));
    }
}

TEST_P(Oclgrind, EdgesAndSplitK) {
    if (refused()) {
        return;
    }
    using libsgemm::EdgeStrategy;
    for (const EdgeStrategy edges :
         {EdgeStrategy::padding, EdgeStrategy::guarded, EdgeStrategy::pointer_shift}) {
        Extents extents = ragged();
        if (entry().split_k == libsgemm::catalog::SplitK::stream_k) {
            extents.k += 16 * tile().k; // deep enough for stream-K
        }
        Case c = make_case(extents, all_forms()[edges == EdgeStrategy::guarded ? 0 : 2]);
        c.options.edges = edges;
        c.options.split_k = can_split_k(entry()) ? 3 : 1;
        c.beta = 1.0F;
        if (has_selectable_edges(entry()) && takes(entry(), edges)) {
            EXPECT_TRUE(runs_right(device(), library(), c, Guards::none));
        } else if (edges != EdgeStrategy::padding) {
            EXPECT_THROW(plan_case(library(), c), libsgemm::UnsupportedError);
        }
    }
}

/// Two whole panels of a work-group, one of the next and rows behind it, whole and incomplete
/// columns, two blocks of k; A packed whatever the planner would do, B in place along k and along
/// n.
TEST_P(Oclgrind, PackedRowsOfA) {
    if (refused() || !is_of<libsgemm::catalog::Packed>(entry())) {
        return;
    }
    for (const Form& form : {all_forms()[0], all_forms()[1]}) {
        Case c = make_case({43, 9, 21}, form);
        c.options.parameters = {{"vector_width", 4}, {"vectors", 2}, {"columns", 4},
                                {"panels_m", 2},     {"depth", 16},  {"unroll_k", 4}};
        c.options.repack = libsgemm::Repack::only_a;
        c.beta = 0.5F;
        EXPECT_TRUE(runs_right(device(), library(), c, Guards::none));
    }
}

TEST_P(Oclgrind, ExtendedTiles) {
    libsgemm::catalog::Parameters wide = parameters();
    // load_width_b: Oclgrind 21.10 itself fails at loads of float8 into local memory.
    for (const char* name : {"local_a", "local_b", "load_width_b"}) {
        if (entry().find_parameter(name) != nullptr) {
            wide.set(name, 1);
        }
    }
    if (refused() || !can_extend_tiles(entry()) ||
        tiled_of(entry())->extension_bytes(wide, 2, 1) < 0) {
        return;
    }
    const auto t = entry().tile(wide);
    for (const Form& form : {all_forms()[0], all_forms()[2]}) {
        Case c = make_case({2 * t.m + 2, t.n + 1, 2 * t.k + 1}, form);
        c.options = forced(entry(), wide);
        c.options.edges = libsgemm::EdgeStrategy::extension;
        c.options.split_k = 2;
        c.beta = 1.0F;
        EXPECT_TRUE(runs_right(device(), library(), c, Guards::none));
    }
}

SGEMM_FOR_EVERY_KERNEL(Oclgrind);

} // namespace
} // namespace sgemm_test
