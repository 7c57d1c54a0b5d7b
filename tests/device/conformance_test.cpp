// SPDX-License-Identifier: Apache-2.0
// Every kernel of the catalogue, forced by name, computes what BLAS says.
#include "device/kernel_fixture.hpp"
#include "support/case_data.hpp"

#include <limits>

namespace sgemm_test {
namespace {

constexpr float scalars[] = {0.0F, 1.0F, -1.0F, 1.75F};

/// Parameters that compile in a second or so: the inner loops are unrolled. And CPU platforms keep
/// the private memory of a whole work-group on one thread's stack, which huge groups exhaust.
bool moderate(const libsgemm::catalog::TileShape& tile) {
    const int unrolled = tile.private_floats > 0 ? tile.private_floats
                                                 : tile.m * tile.n * tile.k / tile.work_items();
    return unrolled <= 512 && tile.m * tile.n <= 128 * 128 && tile.work_items() <= 256;
}

class Conformance : public KernelTest {};

TEST_P(Conformance, EveryShapeInEveryForm) {
    if (refused()) {
        return;
    }
    std::mt19937_64 engine(base_seed());
    for (std::size_t form = 0; form < all_forms().size(); ++form) {
        for (const Extents& extents : tile_extents(tile(), form, is_slow() ? 4 : 1)) {
            Case c = make_case(extents, all_forms()[form]);
            vary(c, engine);
            ASSERT_TRUE(runs_right(device(), c));
        }
    }
}

TEST_P(Conformance, EveryAlphaAndBeta) {
    if (refused()) {
        return;
    }
    for (const Extents& extents : {ragged(), whole()}) {
        for (const float alpha : scalars) {
            for (const float beta : scalars) {
                Case c = make_case(extents, all_forms()[0]);
                c.alpha = alpha;
                c.beta = beta;
                ASSERT_TRUE(runs_right(device(), c));
            }
        }
    }
}

TEST_P(Conformance, SmallIntegersAreExact) {
    if (refused()) {
        return;
    }
    for (const Form& form : all_forms()) {
        Case c = make_case(ragged(), form);
        c.values = Values::small_integers;
        c.alpha = -2.0F;
        c.beta = 3.0F;
        ASSERT_TRUE(runs_right(device(), c));
    }
}

TEST_P(Conformance, NanAndInfGoWhereTheReferenceHasThem) {
    if (refused()) {
        return;
    }
    for (const Form& form : all_forms()) {
        for (const Extents& extents : {ragged(), whole()}) {
            Case c = make_case(extents, form);
            c.values = Values::nan_and_inf;
            c.beta = form.a == form.b ? 1.0F : 0.0F;
            ASSERT_TRUE(runs_right(device(), c));
        }
    }
}

TEST_P(Conformance, NonFiniteScalarsPropagate) {
    if (refused()) {
        return;
    }
    constexpr float infinity = std::numeric_limits<float>::infinity();
    for (const float special : {infinity, std::numeric_limits<float>::quiet_NaN()}) {
        Case c = make_case(ragged(), all_forms()[0]);
        c.alpha = special;
        ASSERT_TRUE(runs_right(device(), c));
        c.alpha = 1.0F;
        c.beta = special;
        ASSERT_TRUE(runs_right(device(), c));
    }
}

TEST_P(Conformance, AlphaZeroDoesNotReadAOrB) {
    if (refused()) {
        return;
    }
    for (const float beta : scalars) {
        Case c = make_case(ragged(), all_forms()[0]);
        c.values = Values::all_nan;
        c.alpha = 0.0F;
        c.beta = beta;
        ASSERT_TRUE(runs_right(device(), c));
    }
}

TEST_P(Conformance, BatchesAreIndependent) {
    if (refused()) {
        return;
    }
    for (const Form& form : all_forms()) {
        Case c = make_case(ragged(), form);
        c.problem.batch_count = 3;
        c.beta = -1.0F;
        spread(c.problem, {1, 0, 2}, 5);
        ASSERT_TRUE(runs_right(device(), c));
    }
}

TEST_P(Conformance, BatchesMayShareAOrB) {
    if (refused()) {
        return;
    }
    for (const bool share_a : {false, true}) {
        for (const bool share_b : {false, true}) {
            Case c = make_case(ragged(), all_forms()[share_a ? 1 : 2]);
            c.problem.batch_count = 3;
            spread(c.problem, {0, 3, 0}, 0);
            c.problem.batch_stride_a = share_a ? 0 : c.problem.batch_stride_a;
            c.problem.batch_stride_b = share_b ? 0 : c.problem.batch_stride_b;
            ASSERT_TRUE(runs_right(device(), c));
        }
    }
}

TEST_P(Conformance, DefaultParameters) {
    if (refused()) {
        return;
    }
    std::mt19937_64 engine(base_seed() + 1);
    for (const Form& form : all_forms()) {
        Case c = make_case({150, 139, 67}, form);
        c.options.parameters.clear();
        vary(c, engine);
        ASSERT_TRUE(runs_right(device(), c));
    }
}

TEST_P(Conformance, OtherParameters) {
    if (refused()) {
        return;
    }
    std::mt19937_64 engine(base_seed() + 2);
    int tried = 0;
    for (const auto& drawn : draw_parameters(entry(), device().handle().traits, 100, engine())) {
        const libsgemm::catalog::TileShape t = entry().tile(drawn);
        if (!moderate(t) || ++tried > (is_slow() ? 2 : 4)) {
            continue;
        }
        Case c = make_case({t.m + 3, 2 * t.n - 1, 2 * t.k + 1}, all_forms()[engine() % 8]);
        c.options = forced(entry(), drawn);
        vary(c, engine);
        ASSERT_TRUE(runs_right(device(), c));
    }
    EXPECT_GT(tried, 0);
}

SGEMM_FOR_EVERY_KERNEL(Conformance);

} // namespace
} // namespace sgemm_test
