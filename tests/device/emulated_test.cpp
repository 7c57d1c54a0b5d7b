// SPDX-License-Identifier: Apache-2.0
// The schemes that split operands, forced by name: what BLAS says in every form and size, the bound of the plan
// for every kind of numbers, and which numbers they leave to strict, behind them or inside. With ordinary code in the
// place of the multiplying units on any device, and with these where they are.
#include "compile/program_cache.hpp"
#include "device/kernel_fixture.hpp"
#include "execute/executor.hpp"
#include "plan/planner.hpp"
#include "support/case_data.hpp"
#include "support/environment_variable.hpp"
#include "validate/problem.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iomanip>
#include <limits>
#include <optional>
#include <sstream>
#include <utility>

namespace sgemm_test {
namespace {

using sgemm::Precision;
using sgemm::catalog::KernelEntry;
using sgemm::catalog::Parameters;

struct Scheme {
    const char* kernel;
    int tile_m, tile_n;
    int promote;
    bool units;
    int pack_launches = 2;
    int strict_launches = 1;
};

std::ostream& operator<<(std::ostream& out, const Scheme& scheme) {
    return out << scheme.kernel << ' ' << scheme.tile_m << 'x' << scheme.tile_n;
}

std::string scheme_name(const ::testing::TestParamInfo<Scheme>& info) {
    const Scheme& scheme = info.param;
    return std::string(scheme.kernel) + (scheme.units ? "_units_" : "_code_") +
           std::to_string(scheme.tile_m) + "x" + std::to_string(scheme.tile_n) + "_promote_" +
           std::to_string(scheme.promote) + (scheme.pack_launches == 1 ? "_one_pass" : "") +
           (scheme.strict_launches == 0 ? "_strict_inside" : "");
}

constexpr std::uint64_t multiplier = 6364136223846793005U;

/// Numbers for tests, the same on every platform.
class Random {
public:
    explicit Random(std::uint64_t seed) : engine_(seed * multiplier + 1) {}
    double unit() { return static_cast<double>(engine_() >> 11U) * 0x1p-53; } ///< [0, 1)
    double between(double low, double high) { return low + (high - low) * unit(); }
    int integer(int low, int high) {
        return low + static_cast<int>(engine_() % static_cast<std::uint64_t>(high - low + 1));
    }
    double sign() { return engine_() % 2 == 0 ? 1.0 : -1.0; }
    double normal() { // Box and Muller
        return std::sqrt(-2 * std::log(1 - unit())) * std::cos(6.283185307179586 * unit());
    }

private:
    std::mt19937_64 engine_;
};

/// op(A) and op(B), row by row and column by column: dense, k contiguous.
struct Data {
    std::int64_t m = 0, n = 0, k = 0;
    std::vector<float> a, b;
};

using Element = std::function<double(Random&, std::int64_t row, std::int64_t p)>;

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

class Emulated : public DeviceTest, public ::testing::WithParamInterface<Scheme> {
protected:
    void SetUp() override {
        DeviceTest::SetUp();
        if (IsSkipped() || HasFatalFailure()) {
            return;
        }
        const Scheme& scheme = GetParam();
        entry_ = sgemm::catalog::kernel_catalog().find(scheme.kernel);
        ASSERT_NE(entry_, nullptr);
        parameters_ = entry_->defaults();
        parameters_.set("units", scheme.units ? 1 : 0);
        parameters_.set("tile_m", scheme.tile_m);
        parameters_.set("tile_n", scheme.tile_n);
        parameters_.set("promote", scheme.promote);
        parameters_.set("pack_launches", scheme.pack_launches);
        parameters_.set("strict_launches", scheme.strict_launches);
        if (scheme.units && scheme.tile_n <= 128) {
            parameters_.set("stages", 6);
        }
        table_.origin = "emulated_test";
        programs_.emplace(sgemm::device::ContextHandle::retained(device().context()),
                          device().handle().device, device().handle().traits, log_);
        if (!obstacles(*entry_, parameters_, device().handle().traits).empty()) {
            GTEST_SKIP() << "this device cannot";
        }
    }

    Case make_case(const Extents& extents, const Form& form) const {
        Case result = plain_case(extents.m, extents.n, extents.k);
        set_form(result, form);
        result.options = options();
        return result;
    }

    sgemm::PlanOptions options() const { return options(parameters_["strict_launches"]); }
    sgemm::PlanOptions options(int strict_launches) const {
        Parameters parameters = parameters_;
        parameters.set("strict_launches", strict_launches);
        sgemm::PlanOptions options = forced(*entry_, parameters);
        options.split_k = slices_;
        return options;
    }

    sgemm::planning::PlanValue plan_of(const Data& data) const { return plan_of(data, options()); }
    sgemm::planning::PlanValue plan_of(const Data& data, const sgemm::PlanOptions& options) const {
        sgemm::Problem problem; // op(A) is the transpose of what is stored; B is as it is stored
        problem.m = data.m;
        problem.n = data.n;
        problem.k = data.k;
        problem.transpose_a = sgemm::Transpose::yes;
        auto canonical = sgemm::validate::check_problem(problem).canonical;
        canonical.a.offset_alignment = canonical.b.offset_alignment = canonical.c.offset_alignment =
            16;
        return sgemm::planning::rank_plans(
                   canonical, options,
                   {device().handle().traits, table_, sgemm::catalog::kernel_catalog()})
            .plans.front();
    }

    /// C = op(A) op(B) by the plan's launches, the last one only if `with_strict`; elements that nothing
    /// wrote are NaN.
    std::vector<float> run(const Data& data, const sgemm::planning::PlanValue& whole,
                           bool with_strict) {
        sgemm::planning::PlanValue plan = whole;
        if (!with_strict) {
            plan.steps.pop_back();
        }
        std::vector<std::shared_ptr<const sgemm::compile::Program>> programs;
        for (const auto& step : plan.steps) {
            programs.push_back(programs_->get(step.build));
        }
        std::vector<float> c(static_cast<std::size_t>(data.m * data.n), guard_value);
        const auto a = upload(data.a);
        const auto b = upload(data.b);
        const auto result = upload(c);
        const std::vector<cl_event> none;
        sgemm::execute::WorkspacePool pool(
            sgemm::device::ContextHandle::retained(device().context()));
        sgemm::execute::execute(
            plan, programs,
            {queue(), 1.0F, 0.0F, {{a.get(), 0}, {b.get(), 0}, {result.get(), 0}}, none}, pool);
        check_status(clEnqueueReadBuffer(queue(), result.get(), CL_TRUE, 0,
                                         c.size() * sizeof(float), c.data(), 0, nullptr, nullptr),
                     "clEnqueueReadBuffer");
        return c;
    }

    /// Whether the scheme itself computes the product. Asked of a plan with a strict kernel of its own, which is left out.
    bool is_taken(const Data& data) {
        const std::vector<float> c = run(data, plan_of(data, options(1)), false);
        const bool first = !same_bits(c.front(), guard_value);
        for (const float value : c) {
            EXPECT_EQ(!same_bits(value, guard_value), first) << "C is computed in part";
        }
        return first;
    }

    /// How far a result is off: what underflows in single precision is forgiven.
    struct Errors {
        double worst = 0;     ///< of all elements, in units of the plan's bound
        double frobenius = 0; ///< of all of C, relative
        double strict = 0;    ///< the same of sums by fma in ascending order

        std::string text(bool taken) const {
            std::ostringstream out;
            out << std::setprecision(3) << "error/bound " << worst << ", Frobenius " << frobenius
                << ", strict " << strict << (taken ? ", taken" : ", left to strict");
            return out.str();
        }
    };
    Errors errors_of(const Data& data) {
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
                float strict = 0;
                for (std::int64_t p = 0; p < data.k; ++p) {
                    const double product = static_cast<double>(a[p]) * static_cast<double>(b[p]);
                    value += product;
                    magnitude += std::fabs(product);
                    strict = std::fma(a[p], b[p], strict);
                }
                const auto got = static_cast<double>(c[static_cast<std::size_t>(j * data.m + i)]);
                const double bound =
                    plan.bound_terms * 0x1p-24 * magnitude + static_cast<double>(data.k) * 0x1p-149;
                const double error = std::fabs(got - value);
                const double ratio = error == 0 ? 0 : std::isfinite(got) ? error / bound : 1e300;
                errors.worst = std::max(errors.worst, ratio);
                squares += value * value;
                wrong += error * error;
                wrong_strict += std::pow(static_cast<double>(strict) - value, 2);
            }
        }
        if (squares > 0) {
            errors.frobenius = std::sqrt(wrong / squares);
            errors.strict = std::sqrt(wrong_strict / squares);
        }
        return errors;
    }
    /// The bound, and an account for readers of the test's report (--gtest_output).
    void expect_bound(const char* name, const Data& data) {
        const Errors errors = errors_of(data);
        const bool taken = is_taken(data);
        EXPECT_LE(errors.worst, 1) << name << (taken ? ", taken" : ", left to strict");
        std::string key = name;
        std::replace(key.begin(), key.end(), ' ', '_');
        RecordProperty(key, errors.text(taken));
    }

    const KernelEntry* entry_ = nullptr;
    Parameters parameters_;
    int slices_ = 1; ///< of k

private:
    Owned<cl_mem> upload(const std::vector<float>& values) const {
        cl_int status = CL_SUCCESS;
        Owned<cl_mem> buffer(clCreateBuffer(
            device().context(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
            values.size() * sizeof(float), const_cast<float*>(values.data()), &status));
        check_status(status, "clCreateBuffer");
        return buffer;
    }

    sgemm::tables::DeviceTable table_;
    sgemm::support::Log log_{{}, false};
    std::optional<sgemm::compile::ProgramCache> programs_;
};

const std::vector<Extents>& sizes() {
    static const std::vector<Extents> list = {{1, 1, 128},     {17, 33, 129},   {64, 31, 160},
                                              {129, 127, 200}, {130, 259, 131}, {257, 128, 256}};
    return list;
}

TEST_P(Emulated, EveryFormAndSize) {
    std::mt19937_64 engine(base_seed());
    for (const Form& form : all_forms()) {
        for (const Extents& extents : sizes()) {
            Case c = make_case(extents, form);
            vary(c, engine);
            ASSERT_TRUE(runs_right(device(), c));
        }
    }
}

TEST_P(Emulated, SmallIntegersAreExactAtAnyDepth) {
    for (const Form& form : all_forms()) {
        for (const std::int64_t k : {1, 15, 33, 128, 300, 2048, 2100, 4133}) {
            Case c = make_case({70, 45, k}, form);
            c.values = Values::small_integers;
            c.alpha = -2.0F;
            c.beta = 3.0F;
            ASSERT_TRUE(runs_right(device(), c));
        }
    }
}

TEST_P(Emulated, NanAndInfGoWhereTheReferenceHasThem) {
    for (const Form& form : all_forms()) {
        for (const Extents& extents :
             {Extents{65, 70, 140}, Extents{129, 257, 37}, Extents{16, 3, 8}}) {
            Case c = make_case(extents, form);
            c.values = Values::nan_and_inf;
            c.beta = form.a == form.b ? 1.0F : 0.0F;
            ASSERT_TRUE(runs_right(device(), c));
        }
    }
}

TEST_P(Emulated, NonFiniteScalarsPropagateAndZeroReadsNothing) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    for (const float special : {infinity, std::numeric_limits<float>::quiet_NaN()}) {
        Case c = make_case({40, 50, 128}, all_forms()[0]);
        c.alpha = special;
        ASSERT_TRUE(runs_right(device(), c));
        c.alpha = 1.0F;
        c.beta = special;
        ASSERT_TRUE(runs_right(device(), c));
        c.values = Values::all_nan;
        c.alpha = 0.0F;
        c.beta = 2.0F;
        ASSERT_TRUE(runs_right(device(), c));
    }
}

TEST_P(Emulated, BatchesAreIndependentAndMayShareOperands) {
    for (const int shared : {0, 1, 2, 3}) {
        Case c = make_case({70, 37, 150}, all_forms()[static_cast<std::size_t>(shared) * 2]);
        c.problem.batch_count = 3;
        spread(c.problem, {1, 0, 2}, 5);
        c.problem.batch_stride_a = shared % 2 == 1 ? 0 : c.problem.batch_stride_a;
        c.problem.batch_stride_b = shared / 2 == 1 ? 0 : c.problem.batch_stride_b;
        c.beta = -1.0F;
        ASSERT_TRUE(runs_right(device(), c));
        c.values = Values::nan_and_inf; // of one matrix of the batch: the others are not spoilt
        ASSERT_TRUE(runs_right(device(), c));
    }
}

/// What the batch shares is read by its first groups alone: there is nothing before it that others might read.
TEST_P(Emulated, SharedOperandsBeginWhereTheirBuffersDo) {
    for (const std::size_t form : {std::size_t{0}, std::size_t{3}}) { // column-major NN and TT
        for (const bool is_a : {true, false}) {
            Case c = make_case({40, 37, 70}, all_forms()[form]);
            c.problem.batch_count = 2;
            spread(c.problem, {0, 0, 0}, 0);
            (is_a ? c.problem.batch_stride_a : c.problem.batch_stride_b) = 0;
            ASSERT_TRUE(runs_right(device(), library(), c, Guards::none));
        }
    }
}

/// More tiles than a device has compute units, and few steps in each: those who copy are several tiles ahead.
TEST_P(Emulated, WorkGroupsTakeTileAfterTile) {
    for (const std::int64_t k : {20, 70}) {
        Case c = make_case({130, 260, k}, all_forms()[0]);
        c.problem.batch_count = 80;
        spread(c.problem, {0, 0, 0}, 0);
        c.beta = 0.5F;
        ASSERT_TRUE(runs_right(device(), c));
        c.values = Values::nan_and_inf; // in some matrices: by the scheme and strictly, in turn
        ASSERT_TRUE(runs_right(device(), c));
    }
}

/// One matrix of more tiles than a device has compute units: what is copied ahead of the verdict, and what comes after.
TEST_P(Emulated, OneMatrixOfManyTiles) {
    const Extents many = GetParam().units ? Extents{GetParam().tile_n == 256 ? 4200 : 2100, 2090, 0}
                                          : Extents{130, 140, 0}; // ordinary code is slow
    for (const std::int64_t k : {40, 330}) {
        Case c = make_case({many.m, many.n, k}, all_forms()[1]);
        ASSERT_TRUE(runs_right(device(), c));
        c.values = Values::nan_and_inf;
        ASSERT_TRUE(runs_right(device(), c));
    }
}

TEST_P(Emulated, SlicesOfKInEveryForm) {
    std::mt19937_64 engine(base_seed());
    for (const Form& form : all_forms()) {
        for (const int slices : {2, 3, 5}) {
            slices_ = slices;
            Case c = make_case({70, 133, 520}, form);
            vary(c, engine);
            ASSERT_TRUE(runs_right(device(), c));
            c.values = Values::nan_and_inf; // the sum of parts that nothing wrote is not to be seen
            ASSERT_TRUE(runs_right(device(), c));
        }
    }
}

TEST_P(Emulated, SlicesOfKOfBatches) {
    slices_ = 3;
    for (const bool shared : {false, true}) {
        Case c = make_case({70, 37, 520}, all_forms()[shared ? 1 : 6]);
        c.problem.batch_count = 3;
        spread(c.problem, {1, 0, 2}, 5);
        c.problem.batch_stride_a = shared ? 0 : c.problem.batch_stride_a;
        c.beta = -1.0F;
        ASSERT_TRUE(runs_right(device(), c));
        c.values = Values::nan_and_inf;
        ASSERT_TRUE(runs_right(device(), c));
    }
}

TEST_P(Emulated, MoreSlicesThanChainsAreRefused) {
    slices_ = 9;
    EXPECT_THROW(plan_case(library(), make_case({70, 37, 128}, all_forms()[0])),
                 sgemm::UnsupportedError);
}

/// Small enough for a run under Oclgrind.
TEST_P(Emulated, SmallBatch) {
    Case c = make_case({9, 10, 40}, all_forms()[1]);
    c.problem.batch_count = 2;
    spread(c.problem, {1, 0, 2}, 3);
    c.problem.batch_stride_b = 0;
    c.beta = 0.5F;
    EXPECT_TRUE(runs_right(device(), library(), c, Guards::none));
    c.values = Values::nan_and_inf;
    EXPECT_TRUE(runs_right(device(), library(), c, Guards::none));
    if (GetParam().promote == 1) {
        c.options.split_k = 2;
        EXPECT_TRUE(runs_right(device(), library(), c, Guards::none));
        c.values = Values::uniform;
        EXPECT_TRUE(runs_right(device(), library(), c, Guards::none));
    }
}

TEST_P(Emulated, RepeatsAreBitIdentical) {
    slices_ = 2;
    const Data data = make_data(
        {140, 150, 333}, 5, [](Random& r, auto, auto) { return r.normal(); },
        [](Random& r, auto, auto) { return r.unit(); });
    const auto plan = plan_of(data);
    const std::vector<float> first = run(data, plan, true);
    for (int i = 0; i < 3; ++i) {
        const std::vector<float> again = run(data, plan, true);
        ASSERT_TRUE(std::equal(first.begin(), first.end(), again.begin(), same_bits));
    }
}

struct Distribution {
    const char* name;
    Element a, b;
};

/// Numbers that the schemes are for.
std::vector<Distribution> ordinary() {
    const Element uniform = [](Random& r, auto, auto) { return r.between(-1, 1); };
    const Element positive = [](Random& r, auto, auto) { return r.unit(); };
    const Element normal = [](Random& r, auto, auto) { return r.normal(); };
    const Element rectified = [](Random& r, auto, auto) { return std::max(0.0, r.normal()); };
    const Element graded_rows = [](Random& r, std::int64_t row, auto) {
        return std::ldexp(r.between(-1, 1), static_cast<int>(row % 41) - 20);
    };
    const Element outliers = [](Random& r, auto, std::int64_t p) {
        return r.normal() * (p % 97 == 5 ? 60 : 1);
    };
    const Element integers = [](Random& r, auto, auto) { return r.integer(-100, 100); };
    const Element identity = [](Random&, std::int64_t row, std::int64_t p) {
        return row == p ? 3.0 : 0.0;
    };
    const Element zeros = [](Random&, std::int64_t row, auto) { return row % 3 == 0 ? 0.0 : 1.5; };
    return {{"uniform", uniform, uniform},
            {"positive", positive, positive},
            {"normal", normal, normal},
            {"rectified", rectified, normal},
            {"graded rows", graded_rows, graded_rows},
            {"outliers", outliers, normal},
            {"integers", integers, integers},
            {"identity", identity, integers},
            {"zero rows", zeros, uniform},
            {"tiny", [](Random& r, auto, auto) { return r.between(-1, 1) * 0x1p-20; }, uniform}};
}

/// Numbers that some scheme must leave to others.
std::vector<Distribution> hostile() {
    const auto wide = [](int range) {
        return [range](Random& r, auto, auto) {
            return r.sign() * std::exp2(r.between(-range, range));
        };
    };
    const auto scaled_by_k = [](int direction) {
        return [direction](Random& r, auto, std::int64_t p) {
            return std::ldexp(r.between(-1, 1), direction * (static_cast<int>(p * 37 % 61) - 30));
        };
    };
    const Element checkerboard = [](Random& r, std::int64_t row, std::int64_t p) {
        return std::ldexp(r.between(0.5, 1), (row + p) % 2 == 0 ? 30 : -30);
    };
    const auto one_large = [](std::int64_t at) {
        return [at](Random& r, auto, std::int64_t p) {
            return p == at ? 1.0 : r.between(-1, 1) * 0x1p-22;
        };
    };
    const auto half = [](bool first) { // large where the other operand is small
        return [first](Random& r, auto, std::int64_t p) {
            return r.between(0.5, 1) * ((p % 2 == 0) == first ? 1 : 0x1p-20);
        };
    };
    const Element subnormal = [](Random& r, auto, auto) { return r.between(-1, 1) * 0x1p-130; };
    const Element ones = [](Random& r, auto, auto) { return r.between(-1, 1); };
    const Element huge = [](Random& r, auto, auto) { return r.between(-1, 1) * 0x1p120; };
    const Element small = [](Random& r, auto, auto) { return r.between(-1, 1) * 0x1p-110; };
    const Element alternating = [](Random& r, auto, std::int64_t p) {
        return (p % 2 == 0 ? 1 : -1) * (1 + r.unit() * 0x1p-12);
    };
    const Element constant = [](Random&, auto, auto) { return 1.0; };
    const Element vanishing = [](Random&, auto, std::int64_t p) { // zero once its row is scaled
        return p == 0 ? 0x1p60 : 0x1p-110;
    };
    const Element not_first = [](Random&, auto, std::int64_t p) { return p == 0 ? 0.0 : 1.0; };
    const Element sparse = [](Random& r, auto, auto) {
        return r.integer(0, 20) == 0 ? r.normal() : 0.0;
    };
    return {{"wide", wide(29), wide(29)},
            {"widest", wide(120), wide(5)},
            {"columns of A against rows of B", scaled_by_k(1), scaled_by_k(-1)},
            {"graded columns", scaled_by_k(1), ones},
            {"checkerboard", checkerboard, checkerboard},
            {"one large", one_large(3), one_large(4)},
            {"large against small", half(true), half(false)},
            {"subnormal", subnormal, ones},
            {"near overflow", huge, small},
            {"near overflow, both signs of exponent", huge, subnormal},
            {"vanishing", vanishing, not_first},
            {"cancellation", alternating, constant},
            {"sparse", sparse, ones},
            {"sparse both", sparse, sparse}};
}

TEST_P(Emulated, OrdinaryNumbersAreTakenAndKeepTheBound) {
    for (const Distribution& one : ordinary()) {
        const Data data = make_data({67, 131, 384}, 11, one.a, one.b);
        EXPECT_TRUE(is_taken(data)) << one.name;
        expect_bound(one.name, data);
    }
}

/// The scheme's result is the same wherever strict stands; so it was the scheme's.
TEST_P(Emulated, StrictInsideChangesNothingOfWhatTheSchemeComputes) {
    const Distribution one = ordinary().front();
    const Data data = make_data({140, 270, 333}, 13, one.a, one.b);
    const std::vector<float> inside = run(data, plan_of(data, options(0)), true);
    const std::vector<float> apart = run(data, plan_of(data, options(1)), false);
    for (std::size_t i = 0; i < inside.size(); ++i) {
        ASSERT_TRUE(same_bits(inside[i], apart[i])) << "element " << i;
    }
}

TEST_P(Emulated, HostileNumbersKeepTheBound) {
    for (const Distribution& one : hostile()) {
        const Data data = make_data({67, GetParam().units ? 260 : 66, 256}, 12, one.a, one.b);
        expect_bound(one.name, data);
    }
}

TEST_P(Emulated, SlicesKeepTheBound) {
    slices_ = 2;
    for (const Distribution& one : ordinary()) {
        const Data data = make_data({67, 131, 384}, 11, one.a, one.b);
        EXPECT_TRUE(is_taken(data)) << one.name;
        EXPECT_LE(errors_of(data).worst, 1) << one.name;
    }
    for (const Distribution& one : hostile()) {
        const Data data = make_data({67, 66, 256}, 12, one.a, one.b);
        EXPECT_LE(errors_of(data).worst, 1) << one.name << (is_taken(data) ? ", taken" : "");
    }
}

TEST_P(Emulated, WhatHalfPrecisionCannotHoldIsLeftToStrict) {
    const bool fp16 = entry_->precision == Precision::fp16x2;
    for (const Distribution& one : hostile()) {
        const std::string name = one.name;
        const Data data = make_data({67, 66, 256}, 12, one.a, one.b);
        if (name == "checkerboard" || name == "wide") {
            EXPECT_EQ(is_taken(data), !fp16) << name;
        } else if (name.starts_with("near overflow") || name == "subnormal" || name == "widest") {
            EXPECT_FALSE(is_taken(data)) << name;
        }
    }
}

/// Of so few steps a single element that is not large must not decide; their small ones must count.
TEST_P(Emulated, AFewLastStepsDoNotDecide) {
    const bool fp16 = entry_->precision == Precision::fp16x2;
    const auto numbers = [](std::int64_t whole, double last) {
        return [whole, last](Random& r, std::int64_t, std::int64_t p) {
            return r.sign() * (p < whole ? r.between(0.5, 1) : last * r.between(0.5, 1));
        };
    };
    for (const std::int64_t rest : {1, 2, 17, 100}) {
        for (const std::int64_t pieces : {1, 9}) {
            const std::int64_t whole = 128 * pieces;
            const auto middling = numbers(whole, 0x1p-12);
            const Data data = make_data({67, 66, whole + rest}, 13, middling, middling);
            EXPECT_TRUE(is_taken(data)) << data.k;
            expect_bound("middling last steps", data);
            const auto small = numbers(whole, 0x1p-20);
            const Data hostile = make_data({67, 66, whole + rest}, 14, small, small);
            const bool covered =
                4 * rest <= 128 * pieces; // at most as much as the stretches before bear
            EXPECT_EQ(is_taken(hostile), !fp16 || covered) << hostile.k;
            expect_bound("small last steps", hostile);
        }
    }
}

/// A search for numbers that the guard lets through and that break the bound: patterns of exponents and zeros, of
/// which the worst so far are changed further.
class Pattern {
public:
    explicit Pattern(Random& random) {
        for (double& gene : genes_) {
            gene = random.unit();
        }
    }
    Pattern changed(Random& random) const {
        Pattern result = *this;
        result.genes_[random.integer(0, genes - 1)] = random.unit();
        result.genes_[random.integer(0, genes - 1)] = random.unit();
        return result;
    }
    Data data(const Extents& extents, std::uint64_t seed) const {
        return make_data(extents, seed, element(0), element(genes / 2));
    }

private:
    static constexpr int genes = 16;

    /// Large, middling, small and zero elements; where they lie depends on k so that the supports of rows and
    /// columns can miss each other.
    Element element(int first) const {
        const double* g = genes_ + first;
        return [g](Random& r, std::int64_t row, std::int64_t p) {
            const double place =
                std::fmod(static_cast<double>(p) * (1 + std::floor(g[0] * 7)) / 128.0 +
                              static_cast<double>(row) * std::floor(g[1] * 3) / 16.0 + g[2],
                          1.0);
            const double noise = r.unit();
            const double value = r.sign() * r.between(g[7] < 0.5 ? 0.999 : 0.5, 1.0);
            if (noise < g[3] * 0.1 || place < g[4] * 0.5) { // small: how small
                return value * std::exp2(-12 - std::floor(g[5] * 26));
            }
            if (place < g[4] * 0.5 + g[6] * 0.3) {
                return g[7] < 0.25 ? 0.0 : value * std::exp2(-std::floor(g[5] * 11));
            }
            return value;
        };
    }

    double genes_[genes] = {};
};

TEST_P(Emulated, SearchFindsNoNumbersThatBreakTheBound) {
    if (!GetParam().units && GetParam().promote > 1) {
        GTEST_SKIP() << "ordinary code cuts off no bits: as with promote = 1";
    }
    Random random(base_seed() + 77);
    Pattern best(random);
    double most = 0;
    int taken = 0;
    for (std::uint64_t i = 0; i < 150; ++i) {
        const Extents extents{24, 24,
                              i % 2 == 0 ? 128 : 200}; // a whole stretch, and one and a part
        const Pattern next = i % 3 == 0 ? Pattern(random) : best.changed(random);
        const Data data = next.data(extents, i);
        const double error = errors_of(data).worst;
        ASSERT_LE(error, 1) << "pattern " << i;
        taken += i % 10 == 0 && is_taken(data) ? 1 : 0;
        if (error > most) {
            most = error;
            best = next;
        }
    }
    EXPECT_GT(taken, 0);
    RecordProperty("worst", std::to_string(most));
}

INSTANTIATE_TEST_SUITE_P(
    Schemes, Emulated,
    ::testing::Values(
        Scheme{"emulated_fp16", 32, 64, 1, false}, Scheme{"emulated_fp16", 64, 32, 2, false},
        Scheme{"emulated_tf32", 32, 32, 1, false}, Scheme{"emulated_bf16", 32, 32, 1, false},
        Scheme{"emulated_fp16", 32, 32, 1, false, 1}, Scheme{"emulated_tf32", 64, 32, 1, false, 1},
        Scheme{"emulated_bf16", 64, 32, 1, false, 1}, Scheme{"emulated_fp16", 128, 256, 1, true, 1},
        Scheme{"emulated_tf32", 128, 256, 1, true, 1},
        Scheme{"emulated_bf16", 128, 256, 1, true, 1}, Scheme{"emulated_fp16", 128, 256, 1, true},
        Scheme{"emulated_fp16", 128, 128, 1, true}, Scheme{"emulated_fp16", 128, 256, 2, true},
        Scheme{"emulated_tf32", 128, 256, 1, true}, Scheme{"emulated_tf32", 128, 128, 1, true},
        Scheme{"emulated_bf16", 128, 256, 1, true}, Scheme{"emulated_bf16", 128, 128, 1, true},
        Scheme{"emulated_fp16", 128, 64, 1, true}, Scheme{"emulated_fp16", 128, 64, 2, true},
        Scheme{"emulated_tf32", 128, 64, 1, true}, Scheme{"emulated_bf16", 128, 64, 1, true},
        Scheme{"emulated_fp16", 32, 64, 1, false, 2, 0},
        Scheme{"emulated_tf32", 64, 32, 1, false, 1, 0},
        Scheme{"emulated_bf16", 16, 32, 1, false, 1, 0},
        Scheme{"emulated_fp16", 128, 256, 1, true, 1, 0},
        Scheme{"emulated_fp16", 128, 128, 1, true, 2, 0},
        Scheme{"emulated_fp16", 128, 64, 2, true, 1, 0},
        Scheme{"emulated_tf32", 128, 256, 1, true, 1, 0},
        Scheme{"emulated_bf16", 128, 64, 1, true, 1, 0}),
    scheme_name);

// --- the choice ------------------------------------------------------------------------------------

class PrecisionChoice : public DeviceTest {};

constexpr Precision precisions[] = {Precision::strict, Precision::emulated, Precision::fp16x2,
                                    Precision::tf32x3, Precision::bf16x3};

TEST_F(PrecisionChoice, EveryPrecisionRunsEverywhere) {
    for (const Precision precision : precisions) {
        for (const Extents& extents : {Extents{60, 70, 40}, Extents{300, 270, 260}}) {
            Case c = plain_case(extents.m, extents.n, extents.k);
            c.problem.precision = precision;
            ASSERT_TRUE(runs_right(device(), c));
        }
    }
}

TEST_F(PrecisionChoice, PlanSaysWhichSchemeRunsAndItsBound) {
    const bool has_units = device().handle().traits.compute_capability == 90;
    for (const Precision precision : precisions) {
        sgemm::Problem problem = plain_case(1024, 1024, 1024).problem;
        problem.precision = precision;
        const sgemm::Plan plan = library().plan(problem);
        EXPECT_NE(plan.precision(), Precision::emulated);
        if (!has_units || precision == Precision::strict) {
            EXPECT_EQ(plan.precision(), Precision::strict);
        } else if (precision != Precision::emulated) {
            EXPECT_EQ(plan.precision(), precision) << plan.describe();
        }
        EXPECT_EQ(plan.bound_terms(), 1028) << plan.describe();
        EXPECT_NE(plan.describe().find("|C - exact| <= 1028"), std::string::npos);
    }
}

TEST_F(PrecisionChoice, EnvironmentCountsInsteadOfTheProblem) {
    {
        const EnvironmentVariable variable("SGEMM_PRECISION", "tf32x3");
        const sgemm::Context library = device().make_library();
        const std::string text = library.plan(plain_case(300, 300, 300).problem).describe();
        EXPECT_NE(text.find("tf32x3"), std::string::npos) << text;
    }
    const EnvironmentVariable variable("SGEMM_PRECISION", "exact");
    EXPECT_THROW(device().make_library(), sgemm::ArgumentError);
}

TEST_F(PrecisionChoice, WrongValuesAreArgumentErrors) {
    sgemm::Problem problem = plain_case(4, 4, 4).problem;
    problem.precision = static_cast<Precision>(17);
    EXPECT_THROW(library().plan(problem), sgemm::ArgumentError);
}

} // namespace
} // namespace sgemm_test
