// SPDX-License-Identifier: Apache-2.0
// The small product that re-targeted programs are tried with before calls use them: it passes what
// is right and finds what is wrong.
#include "catalog/kernel_catalog.hpp"
#include "execute/small_product.hpp"
#include "plan/planner.hpp"
#include "problem/problem.hpp"
#include "support/test_device.hpp"

#include <string>

namespace sgemm_test {
namespace {

using libsgemm::catalog::EmbeddedSource;

/// The naive kernel with one piece of its text exchanged.
const EmbeddedSource* exchanged(std::string_view path, const std::string& from,
                                const std::string& to) {
    const EmbeddedSource* const source = libsgemm::catalog::find_source(path);
    static std::string text;
    static EmbeddedSource wrong;
    text = source->text;
    const std::size_t at = text.find(from);
    if (at == std::string::npos) {
        throw std::runtime_error("the naive kernel has no \"" + from + "\"");
    }
    text.replace(at, from.size(), to);
    wrong = {source->path, text, "wrong"};
    return &wrong;
}

class SmallProduct : public DeviceTest {
protected:
    /// What is found wrong with the naive kernel as `find` has it.
    std::string wrong_with(libsgemm::catalog::SourceFinder find) {
        const auto context = libsgemm::device::ContextHandle::retained(device().context());
        const libsgemm::DeviceHandle& handle = device().handle();
        const libsgemm::support::Log log{{}, false};
        libsgemm::compile::ProgramCache programs(context, handle.device, handle.traits, log, find);
        libsgemm::ExpertPlanOptions options;
        options.kernel = "01_naive";
        const libsgemm::tables::DeviceTable no_rows;
        libsgemm::Problem problem;
        problem.m = 200;
        problem.n = 70;
        problem.k = 90;
        const auto canonical = libsgemm::validate::check_problem(problem).canonical;
        const auto plan =
            libsgemm::planning::rank_plans(
                canonical, options, {handle.traits, no_rows, libsgemm::catalog::kernel_catalog()})
                .plans.front();
        std::vector<std::shared_ptr<const libsgemm::compile::Program>> built;
        for (const auto& step : plan.steps) {
            built.push_back(programs.get(step.build));
        }
        return libsgemm::execute::fault_of_small_product(
            {context, handle.device, handle.traits, programs, log}, canonical, plan, built);
    }
};

TEST_F(SmallProduct, IsRightWhereTheKernelIs) {
    EXPECT_EQ(wrong_with(libsgemm::catalog::find_source), "");
}

TEST_F(SmallProduct, FindsASumThatIsWrongByLittle) {
    const std::string wrong = wrong_with([](std::string_view path) {
        return exchanged(path, "float sum = 0.0f;", "float sum = 0.01f;");
    });
    EXPECT_NE(wrong.find("its self-test gave"), std::string::npos) << wrong;
    EXPECT_NE(wrong.find("C(0, 0)"), std::string::npos) << wrong;
}

TEST_F(SmallProduct, FindsAnElementThatIsLeftOut) {
    const std::string wrong = wrong_with([](std::string_view path) {
        return exchanged(path, "if (i >= m || j >= n)", "if (i >= m - 1 || j >= n)");
    });
    EXPECT_NE(wrong.find("C(199, 0)"), std::string::npos) << wrong;
}

} // namespace
} // namespace sgemm_test
