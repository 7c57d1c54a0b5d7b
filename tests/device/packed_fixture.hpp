// SPDX-License-Identifier: Apache-2.0
// Operands that are packed once and multiplied many times, with each way to split operands, by
// ordinary code in the place of tensor cores, and with what the planner chooses: what their tests
// share.
#pragma once

#include "device/kernel_fixture.hpp"
#include "sgemm/packed_matrix.hpp"
#include "support/case_data.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

namespace sgemm_test::packed {

using libsgemm::Operand;
using libsgemm::PackedMatrix;
using libsgemm::Precision;

/// Which operands of a call are packed.
enum class Which : std::uint8_t { a, b, both };

inline std::ostream& operator<<(std::ostream& out, Which which) {
    return out << (which == Which::a ? "A packed" : which == Which::b ? "B packed" : "both packed");
}

inline constexpr Which all_ways[] = {Which::a, Which::b, Which::both};

inline constexpr std::string_view one_pass = "_one_pass";
inline constexpr std::string_view inside = "_inside";
inline constexpr std::string_view shares = "_shares";

/// The parameter: a kernel of the catalogue, with `one_pass` if one launch scans and packs,
/// `inside` if it has the strict product in its launch, and `shares` if it has two launches that
/// pack for each other; or nothing where the planner chooses.
class Packed : public DeviceTest, public ::testing::WithParamInterface<std::string> {
protected:
    void SetUp() override {
        DeviceTest::SetUp();
        if (IsSkipped() || HasFatalFailure()) {
            return;
        }
        libsgemm::ContextOptions options;
        if (!GetParam().empty()) {
            entry_ = libsgemm::catalog::kernel_catalog().find(
                GetParam().substr(0, std::min({GetParam().find(one_pass), GetParam().find(inside),
                                               GetParam().find(shares)})));
            ASSERT_NE(entry_, nullptr);
            auto parameters = entry_->defaults();
            parameters.set("pack_launches", packs_at_once() ? 1 : 2);
            parameters.set("strict_launches", has_strict() ? 0 : 1);
            parameters.set("shares", GetParam().ends_with(shares) ? 2 : 1);
            parameters.set("units", 0);
            parameters.set("tile_m", 32);
            parameters.set("tile_n", 32);
            options.expert =
                std::make_shared<libsgemm::ExpertPlanOptions>(forced(*entry_, parameters));
            if (!obstacles(*entry_, parameters, device().handle().traits).empty()) {
                GTEST_SKIP() << "this device cannot";
            }
        }
        library_.emplace(device().make_library(options));
    }

    const libsgemm::Context& library() const { return *library_; }
    static bool packs_at_once() { return GetParam().find(one_pass) != std::string::npos; }
    static bool has_strict() { return GetParam().ends_with(inside); }
    bool splits() const { return entry_ != nullptr; }
    Precision scheme() const { return splits() ? entry_->precision : Precision::strict; }

    static Case make_case(const Extents& extents, const Form& form) {
        Case result = plain_case(extents.m, extents.n, extents.k);
        set_form(result, form);
        return result;
    }
    PackedMatrix pack(const CaseData& data, Operand operand) const {
        return library().pack(queue(), data.test_case().problem, operand,
                              operand == Operand::a ? data.a() : data.b());
    }
    libsgemm::Event multiply(const CaseData& data, Which which, const PackedMatrix* a,
                             const PackedMatrix* b) const {
        const Case& c = data.test_case();
        switch (which) {
        case Which::a:
            return library().gemm(queue(), c.problem, c.alpha, *a, data.b(), c.beta, data.c());
        case Which::b:
            return library().gemm(queue(), c.problem, c.alpha, data.a(), *b, c.beta, data.c());
        default:
            return library().gemm(queue(), c.problem, c.alpha, *a, *b, c.beta, data.c());
        }
    }
    /// How many kernels a call enqueues.
    auto launches(const std::function<void()>& call) const {
        const auto before = library().statistics().kernels_enqueued;
        call();
        return library().statistics().kernels_enqueued - before;
    }
    /// Packs, multiplies, verifies.
    ::testing::AssertionResult runs_right_packed(const Case& c, Which which,
                                                 Guards guards = Guards::around) const {
        CaseData data(device(), c, guards);
        std::optional<PackedMatrix> a;
        std::optional<PackedMatrix> b;
        if (which != Which::b) {
            a.emplace(pack(data, Operand::a));
        }
        if (which != Which::a) {
            b.emplace(pack(data, Operand::b));
        }
        multiply(data, which, a ? &*a : nullptr, b ? &*b : nullptr);
        auto result = data.verify(queue());
        return result ? result : ::testing::AssertionFailure() << result.message() << which;
    }

private:
    const libsgemm::catalog::KernelEntry* entry_ = nullptr;
    std::optional<libsgemm::Context> library_;
};

} // namespace sgemm_test::packed
