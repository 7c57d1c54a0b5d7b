// SPDX-License-Identifier: Apache-2.0
// What was asked for is what runs, and how it runs does not change the result.
#include "device/kernel_fixture.hpp"
#include "support/case_data.hpp"
#include "support/environment_variable.hpp"
#include "support/log_collector.hpp"

#include <algorithm>

namespace sgemm_test {
namespace {

/// Always, or as one of its ways to meet edges.
bool takes_whole_tiles(const libsgemm::catalog::KernelEntry& entry) {
    return entry.edges != libsgemm::catalog::Edges::any_size;
}

/// The form, among the column-major ones, whose operands a kernel reads in place.
Form native_form(const libsgemm::catalog::KernelEntry& entry) {
    using libsgemm::Transpose;
    using libsgemm::validate::Major;
    const bool a_as_is = accepts(entry.a, Major::mn);
    const bool b_as_is = accepts(entry.b, Major::k);
    return {libsgemm::Layout::column_major, a_as_is ? Transpose::no : Transpose::yes,
            b_as_is ? Transpose::no : Transpose::yes};
}

class Choice : public KernelTest {
protected:
    std::vector<float> result_of(const Case& c) const {
        CaseData data(device(), c);
        data.enqueue(plan_case(library(), c), queue());
        EXPECT_TRUE(data.verify(queue()));
        return data.result(queue());
    }
};

bool same_images(const std::vector<float>& x, const std::vector<float>& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), same_bits);
}

TEST_P(Choice, ForcedKernelAndParametersAreThoseThatRun) {
    if (refused()) {
        return;
    }
    const Case c = make_case(ragged(), all_forms()[0]);
    const libsgemm::Plan plan = plan_case(library(), c);
    EXPECT_EQ(plan.kernel(), GetParam());
    for (const auto& [name, value] : plan.parameters()) {
        if (name.starts_with("load_width")) {
            EXPECT_LE(value, c.options.parameters.at(name)) << "narrowed to what is aligned";
        } else {
            EXPECT_EQ(value, c.options.parameters.at(name)) << name;
        }
    }
    const std::vector<std::string> passes = plan.passes();
    EXPECT_EQ(std::count(passes.begin(), passes.end(), GetParam()), 1) << plan.describe();
    EXPECT_NE(plan.describe().find(GetParam()), std::string::npos);
    EXPECT_NE(plan.summary().find(GetParam()), std::string::npos);
}

TEST_P(Choice, EveryPassIsEnqueuedOnce) {
    if (refused()) {
        return;
    }
    for (const Form& form : all_forms()) {
        const Case c = make_case(ragged(), form);
        CaseData data(device(), c);
        const libsgemm::Plan plan = plan_case(library(), c);
        const std::uint64_t before = library().statistics().kernels_enqueued;
        data.enqueue(plan, queue());
        EXPECT_EQ(library().statistics().kernels_enqueued - before, plan.passes().size());
        EXPECT_TRUE(data.verify(queue()));
    }
}

TEST_P(Choice, RepeatsAreBitIdentical) {
    if (refused()) {
        return;
    }
    for (const Extents& extents : {ragged(), whole()}) {
        Case c = make_case(extents, all_forms()[3]);
        c.beta = 0.5F;
        const std::vector<float> first = result_of(c);
        for (int i = 0; i < 3; ++i) {
            ASSERT_TRUE(same_images(first, result_of(c))) << c;
        }
    }
}

TEST_P(Choice, FusedAndSeparatePassesAgreeBitForBit) {
    if (refused()) {
        return;
    }
    bool styles_differed = false;
    for (const Form& form : all_forms()) {
        Case fused = make_case(ragged(), form);
        fused.options.pre_passes = libsgemm::PrePassStyle::fused;
        // Builds for other edges may add an incomplete step of k at another place.
        if (entry().edges == libsgemm::catalog::Edges::selectable) {
            fused.options.edges = libsgemm::EdgeStrategy::padding;
        }
        Case separate = fused;
        separate.options.pre_passes = libsgemm::PrePassStyle::separate;
        styles_differed = styles_differed || plan_case(library(), fused).passes() !=
                                                 plan_case(library(), separate).passes();
        ASSERT_TRUE(same_images(result_of(fused), result_of(separate))) << fused;
    }
    const bool always_in_place = !takes_whole_tiles(entry());
    const bool any_major = entry().a == libsgemm::catalog::Accepts::either &&
                           entry().b == libsgemm::catalog::Accepts::either;
    EXPECT_TRUE(styles_differed || always_in_place || any_major)
        << "no form showed a difference between the styles";
}

TEST_P(Choice, WholeTilesInNativeFormNeedNoPass) {
    if (refused()) {
        return;
    }
    Case c = make_case(whole(), native_form(entry()));
    c.options.edges = libsgemm::EdgeStrategy::none;
    EXPECT_EQ(plan_case(library(), c).passes(), std::vector<std::string>{GetParam()});
    EXPECT_TRUE(runs_right(device(), c));
}

TEST_P(Choice, PaddingIsForKernelsThatTakeWholeTiles) {
    if (refused()) {
        return;
    }
    for (const Extents& extents : {whole(), ragged()}) {
        Case c = make_case(extents, native_form(entry()));
        c.options.edges = libsgemm::EdgeStrategy::padding;
        if (takes_whole_tiles(entry())) {
            EXPECT_TRUE(runs_right(device(), c));
        } else {
            EXPECT_THROW(plan_case(library(), c), libsgemm::UnsupportedError);
        }
    }
}

TEST_P(Choice, IncompleteTilesAreRefusedWithoutPadding) {
    if (refused()) {
        return;
    }
    Case c = make_case(ragged(), native_form(entry()));
    c.options.edges = libsgemm::EdgeStrategy::none;
    if (takes_whole_tiles(entry())) {
        EXPECT_THROW(plan_case(library(), c), libsgemm::UnsupportedError);
    } else {
        EXPECT_TRUE(runs_right(device(), c));
    }
}

SGEMM_FOR_EVERY_KERNEL(Choice);

class AutomaticChoice : public DeviceTest {};

TEST_F(AutomaticChoice, IsRightForEveryFormAndSize) {
    std::mt19937_64 engine(base_seed() + 3);
    for (const Form& form : all_forms()) {
        for (const Extents& extents :
             {Extents{1, 1, 1}, Extents{33, 65, 17}, Extents{128, 128, 128}, Extents{257, 3, 100},
              Extents{2, 190, 300}}) {
            Case c = plain_case(extents.m, extents.n, extents.k);
            set_form(c, form);
            vary(c, engine);
            ASSERT_TRUE(runs_right(device(), c));
        }
    }
}

TEST_F(AutomaticChoice, IsACatalogueKernelAndSaysWhy) {
    const libsgemm::Plan plan = library().plan(plain_case(100, 90, 80).problem);
    const std::vector<std::string> names = kernel_names();
    EXPECT_NE(std::find(names.begin(), names.end(), plan.kernel()), names.end()) << plan.kernel();
    EXPECT_NE(plan.describe().find(plan.kernel()), std::string::npos);
    EXPECT_GT(plan.predicted_seconds(), 0.0);
}

TEST_F(AutomaticChoice, IsTheSameForGemmAndPlan) {
    const Case c = plain_case(70, 60, 50);
    CaseData data(device(), c);
    const std::size_t passes = plan_case(library(), c).passes().size();
    const std::uint64_t before = library().statistics().kernels_enqueued;
    data.gemm(library(), queue());
    EXPECT_EQ(library().statistics().kernels_enqueued - before, passes);
    EXPECT_TRUE(data.verify(queue()));
}

/// gemm() looks at the offsets it gets; a plan is told what alignment they will have.
TEST_F(AutomaticChoice, OfGemmIsThatOfAPlanForTheSameAlignment) {
    const EnvironmentVariable trace("SGEMM_TRACE", "1");
    LogCollector log;
    const libsgemm::Context own = device().make_library(log.options());
    for (const std::int64_t alignment : {1, 2, 4, 8, 16, 64}) {
        for (const Form& form : {all_forms()[1], all_forms()[2], all_forms()[4]}) {
            Case c = plain_case(160, 144, 128);
            set_form(c, form);
            c.offset_a = c.offset_b = c.offset_c = alignment;
            CaseData data(device(), c);
            data.gemm(own, queue());
            const std::string ran = log.last(); // a call's trace is its problem, its plan and more
            EXPECT_TRUE(data.verify(queue()));
            EXPECT_NE(ran.find(": " + plan_case(own, c).summary() + ";"), std::string::npos)
                << "alignment " << alignment << ": gemm() ran\n"
                << ran << "\nplan() says\n"
                << plan_case(own, c).summary();
        }
    }
}

TEST_F(AutomaticChoice, OfAPlanWithoutOptionsIsThatOfGemmAtOddOffsets) {
    const EnvironmentVariable trace("SGEMM_TRACE", "1");
    LogCollector log;
    const libsgemm::Context own = device().make_library(log.options());
    Case c = plain_case(160, 144, 128);
    c.offset_a = c.offset_b = c.offset_c = 1;
    CaseData data(device(), c);
    data.gemm(own, queue());
    const std::string ran = log.last();
    const libsgemm::Plan plan = own.plan(c.problem);
    EXPECT_NE(ran.find(": " + plan.summary() + ";"), std::string::npos) << ran << "\n"
                                                                        << plan.summary();
    // What it was planned without it cannot miss: any offset will do.
    c.offset_a = 16;
    c.offset_b = 3;
    c.offset_c = 0;
    CaseData elsewhere(device(), c);
    elsewhere.enqueue(plan, queue());
    EXPECT_TRUE(elsewhere.verify(queue()));
}

} // namespace
} // namespace sgemm_test
