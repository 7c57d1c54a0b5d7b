// SPDX-License-Identifier: Apache-2.0
// FP32 emulation, its splits forced by name, with ordinary code in the place of tensor
// cores on any device, and with these where they are: what its tests share.
#pragma once

#include "compile/program_cache.hpp"
#include "device/kernel_fixture.hpp"
#include "plan/plan_value.hpp"
#include "support/case_data.hpp"
#include "tables/device_table.hpp"

#include <cmath>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace sgemm_test::emulated {

struct Scheme {
    const char* kernel;
    int tile_m, tile_n;
    int promote;
    bool units;
    int pack_launches = 2;
    int strict_launches = 1;
    int shares = 1;
};

std::ostream& operator<<(std::ostream& out, const Scheme& scheme);
std::string scheme_name(const ::testing::TestParamInfo<Scheme>& info);

/// Numbers for tests, the same on every platform.
class Random {
public:
    explicit Random(std::uint64_t seed) : engine_(seed * 6364136223846793005U + 1) {}
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

/// Of row i of A and column j of B: the sum by fma in ascending order, as strict has it.
float strict_sum(const Data& data, std::int64_t i, std::int64_t j);

Data make_data(const Extents& e, std::uint64_t seed, const Element& a, const Element& b);

class Emulated : public DeviceTest, public ::testing::WithParamInterface<Scheme> {
protected:
    void SetUp() override;

    bool is_slow() const { return is_ordinary_code(parameters_); }

    Case make_case(const Extents& extents, const Form& form) const;

    libsgemm::ExpertPlanOptions options() const {
        return options(parameters_.get_or("strict_launches", 0));
    }
    libsgemm::ExpertPlanOptions options(int strict_launches) const;

    libsgemm::planning::PlanValue plan_of(const Data& data) const {
        return plan_of(data, options());
    }
    libsgemm::planning::PlanValue plan_of(const Data& data,
                                          const libsgemm::ExpertPlanOptions& options) const;

    /// C = op(A) op(B) + beta C by the plan's launches, the last one only if `with_strict`;
    /// elements that nothing wrote are NaN. Where beta is not zero C was 1.
    std::vector<float> run(const Data& data, const libsgemm::planning::PlanValue& whole,
                           bool with_strict, float beta = 0.0F);

    /// Whether the emulated kernel itself computes the product. Asked of a plan with a strict
    /// kernel of its own, which is left out.
    bool is_taken(const Data& data);

    /// How far a result is off: what underflows in single precision is forgiven.
    struct Errors {
        double worst = 0;     ///< of all elements, in units of the plan's bound
        double frobenius = 0; ///< of all of C, relative
        double strict = 0;    ///< the same of sums by fma in ascending order

        std::string text(bool taken) const;
    };
    Errors errors_of(const Data& data);
    /// The bound, and an account for readers of the test's report (--gtest_output). True if the
    /// splits take the numbers.
    bool expect_bound(const char* name, const Data& data);

    const libsgemm::catalog::KernelEntry* entry_ = nullptr;
    libsgemm::catalog::Parameters parameters_;
    int split_k_ = 1; ///< of k
    /// How run() stores the operands of Data: contiguous along k, or along m and n.
    bool a_along_k_ = true, b_along_k_ = true;

private:
    libsgemm::tables::DeviceTable table_;
    libsgemm::support::Log log_{{}, false};
    std::optional<libsgemm::compile::ProgramCache> programs_;
};

} // namespace sgemm_test::emulated
