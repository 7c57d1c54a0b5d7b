// SPDX-License-Identifier: Apache-2.0
#include "device/emulated_fixture.hpp"

#include "execute/executor.hpp"
#include "plan/planner.hpp"
#include "problem/problem.hpp"
#include "support/device_matrix.hpp"

#include <algorithm>
#include <iomanip>
#include <sstream>

namespace sgemm_test::emulated {

using libsgemm::catalog::Parameters;

std::ostream& operator<<(std::ostream& out, const Scheme& scheme) {
    return out << scheme.kernel << ' ' << scheme.tile_m << 'x' << scheme.tile_n;
}

std::string scheme_name(const ::testing::TestParamInfo<Scheme>& info) {
    const Scheme& scheme = info.param;
    return std::string(scheme.kernel) + (scheme.units ? "_units_" : "_code_") +
           std::to_string(scheme.tile_m) + "x" + std::to_string(scheme.tile_n) + "_promote_" +
           std::to_string(scheme.promote) + (scheme.pack_launches == 1 ? "_one_pass" : "") +
           (scheme.strict_launches == 0 ? "_strict_inside" : "") +
           (scheme.shares > 1 ? "_shares_" + std::to_string(scheme.shares) : "");
}

float strict_sum(const Data& data, std::int64_t i, std::int64_t j) {
    const float* a = data.a.data() + i * data.k;
    const float* b = data.b.data() + j * data.k;
    float sum = 0;
    for (std::int64_t p = 0; p < data.k; ++p) {
        sum = std::fma(a[p], b[p], sum);
    }
    return sum;
}

Data make_data(const Extents& e, std::uint64_t seed, const Element& a, const Element& b) {
    Data data{e.m, e.n, e.k, {}, {}};
    Random random(seed + base_seed());
    const auto fill = [&](std::vector<float>& values, std::int64_t rows, const Element& element) {
        for (std::int64_t row = 0; row < rows; ++row) {
            for (std::int64_t p = 0; p < e.k; ++p) {
                values.push_back(static_cast<float>(element(random, row, p)));
            }
        }
    };
    fill(data.a, e.m, a);
    fill(data.b, e.n, b);
    return data;
}

namespace {

/// Rows of `k` side by side as `k` columns of rows.
std::vector<float> transposed(const std::vector<float>& values, std::int64_t rows, std::int64_t k) {
    std::vector<float> result(values.size());
    for (std::int64_t row = 0; row < rows; ++row) {
        for (std::int64_t p = 0; p < k; ++p) {
            result[static_cast<std::size_t>(p * rows + row)] =
                values[static_cast<std::size_t>(row * k + p)];
        }
    }
    return result;
}

} // namespace

void Emulated::SetUp() {
    DeviceTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) {
        return;
    }
    const Scheme& scheme = GetParam();
    entry_ = libsgemm::catalog::kernel_catalog().find(scheme.kernel);
    ASSERT_NE(entry_, nullptr);
    parameters_ = entry_->defaults();
    parameters_.set("units", scheme.units ? 1 : 0);
    parameters_.set("tile_m", scheme.tile_m);
    parameters_.set("tile_n", scheme.tile_n);
    if (is_of<libsgemm::catalog::Emulated>(*entry_)) {
        parameters_.set("promote", scheme.promote);
        parameters_.set("pack_launches", scheme.pack_launches);
        parameters_.set("strict_launches", scheme.strict_launches);
        parameters_.set("shares", scheme.shares);
        if (scheme.units && scheme.tile_n <= 128) {
            parameters_.set("stages", scheme.tile_m > 128 ? 4 : 6);
        }
    }
    table_.origin = "emulated_test";
    programs_.emplace(libsgemm::device::ContextHandle::retained(device().context()),
                      device().handle().device, device().handle().traits, log_);
    if (!obstacles(*entry_, parameters_, device().handle().traits).empty()) {
        GTEST_SKIP() << "this device cannot";
    }
}

Case Emulated::make_case(const Extents& extents, const Form& form) const {
    Case result = plain_case(extents.m, extents.n, extents.k);
    set_form(result, form);
    result.options = options();
    return result;
}

libsgemm::ExpertPlanOptions Emulated::options(int strict_launches) const {
    Parameters parameters = parameters_;
    if (is_of<libsgemm::catalog::Emulated>(*entry_)) {
        parameters.set("strict_launches", strict_launches);
    }
    libsgemm::ExpertPlanOptions options = forced(*entry_, parameters);
    options.split_k = split_k_;
    return options;
}

libsgemm::planning::PlanValue Emulated::plan_of(const Data& data,
                                                const libsgemm::ExpertPlanOptions& options) const {
    libsgemm::Problem problem;
    problem.m = data.m;
    problem.n = data.n;
    problem.k = data.k;
    problem.transpose_a = a_along_k_ ? libsgemm::Transpose::yes : libsgemm::Transpose::no;
    problem.transpose_b = b_along_k_ ? libsgemm::Transpose::no : libsgemm::Transpose::yes;
    auto canonical = libsgemm::validate::check_problem(problem).canonical;
    canonical.a.offset_alignment = canonical.b.offset_alignment = canonical.c.offset_alignment = 16;
    return libsgemm::planning::rank_plans(
               canonical, options,
               {device().handle().traits, table_, libsgemm::catalog::kernel_catalog()})
        .plans.front();
}

std::vector<float> Emulated::run(const Data& data, const libsgemm::planning::PlanValue& whole,
                                 bool with_strict, float beta) {
    libsgemm::planning::PlanValue plan = whole;
    if (!with_strict) {
        plan.steps.pop_back();
    }
    std::vector<std::shared_ptr<const libsgemm::compile::Program>> programs;
    for (const auto& step : plan.steps) {
        programs.push_back(programs_->get(step.build));
    }
    std::vector<float> c(static_cast<std::size_t>(data.m * data.n),
                         beta == 0.0F ? guard_value : 1.0F);
    const auto a = upload(device(), a_along_k_ ? data.a : transposed(data.a, data.m, data.k));
    const auto b = upload(device(), b_along_k_ ? data.b : transposed(data.b, data.n, data.k));
    const auto result = upload(device(), c);
    const std::vector<cl_event> none;
    libsgemm::execute::WorkspacePool pool(
        libsgemm::device::ContextHandle::retained(device().context()));
    libsgemm::execute::execute(
        plan, programs,
        {queue(), 1.0F, beta, {{a.get(), 0}, {b.get(), 0}, {result.get(), 0}}, none}, pool);
    check_status(clEnqueueReadBuffer(queue(), result.get(), CL_TRUE, 0, c.size() * sizeof(float),
                                     c.data(), 0, nullptr, nullptr),
                 "clEnqueueReadBuffer");
    return c;
}

bool Emulated::is_taken(const Data& data) {
    const std::vector<float> c = run(data, plan_of(data, options(1)), false);
    const auto taken = std::count_if(c.begin(), c.end(),
                                     [](float value) { return !same_bits(value, guard_value); });
    const bool all = static_cast<std::size_t>(taken) == c.size();
    if (GetParam().shares == 1) { // each share is decided for itself
        EXPECT_TRUE(all || taken == 0) << "C is computed in part";
    }
    return all;
}

std::string Emulated::Errors::text(bool taken) const {
    std::ostringstream out;
    out << std::setprecision(3) << "error/bound " << worst << ", Frobenius " << frobenius
        << ", strict " << strict << (taken ? ", taken" : ", left to strict");
    return out.str();
}

Emulated::Errors Emulated::errors_of(const Data& data) {
    const auto plan = plan_of(data);
    const std::vector<float> c = run(data, plan, true);
    Errors errors;
    double squares = 0;
    double wrong = 0;
    double wrong_strict = 0;
    for (std::int64_t j = 0; j < data.n; ++j) {
        for (std::int64_t i = 0; i < data.m; ++i) {
            const float* a = data.a.data() + i * data.k;
            const float* b = data.b.data() + j * data.k;
            double value = 0;
            double magnitude = 0;
            for (std::int64_t p = 0; p < data.k; ++p) {
                const double product = static_cast<double>(a[p]) * static_cast<double>(b[p]);
                value += product;
                magnitude += std::fabs(product);
            }
            const auto got = static_cast<double>(c[static_cast<std::size_t>(j * data.m + i)]);
            const double bound =
                plan.bound_terms * 0x1p-24 * magnitude + static_cast<double>(data.k) * 0x1p-149;
            const double error = std::fabs(got - value);
            const double ratio = error == 0 ? 0 : std::isfinite(got) ? error / bound : 1e300;
            errors.worst = std::max(errors.worst, ratio);
            squares += value * value;
            wrong += error * error;
            wrong_strict += std::pow(static_cast<double>(strict_sum(data, i, j)) - value, 2);
        }
    }
    if (squares > 0) {
        errors.frobenius = std::sqrt(wrong / squares);
        errors.strict = std::sqrt(wrong_strict / squares);
    }
    return errors;
}

bool Emulated::expect_bound(const char* name, const Data& data) {
    const Errors errors = errors_of(data);
    const bool taken = is_taken(data);
    EXPECT_LE(errors.worst, 1) << name << (taken ? ", taken" : ", left to strict");
    std::string key = name;
    std::replace(key.begin(), key.end(), ' ', '_');
    RecordProperty(key, errors.text(taken));
    return taken;
}

} // namespace sgemm_test::emulated
