// SPDX-License-Identifier: Apache-2.0
// C of more than 2^31 elements, computed by every kernel: each index, of a row, a column, a
// work-group or an element, that is kept in too few bits would show.
#include "device/kernel_fixture.hpp"
#include "support/device_matrix.hpp"
#include "support/reference.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <random>
#include <string>
#include <vector>

namespace sgemm_test {
namespace {

constexpr std::int64_t huge_extent = 50000;
constexpr std::int64_t depth = 19;
constexpr std::int64_t elements = huge_extent * huge_extent;
constexpr std::int64_t guard = 1024; ///< elements behind C that nobody may touch
constexpr std::int64_t huge_bytes = (elements + guard) * std::int64_t{sizeof(float)};

class HugeResult : public DeviceTest, public ::testing::WithParamInterface<std::string> {
protected:
    void SetUp() override {
        const libsgemm::DeviceTraits& traits = device().handle().traits;
        if (traits.type == libsgemm::DeviceType::cpu) {
            GTEST_SKIP() << "minutes, and memory that others use";
        }
        if (traits.max_allocation_bytes < huge_bytes ||
            traits.global_memory_bytes < 4 * huge_bytes) {
            GTEST_SKIP() << "C and its copies (of kernels that pad) need " << 4 * huge_bytes
                         << " bytes";
        }
        cl_int status = CL_SUCCESS;
        c_ = Owned<cl_mem>(clCreateBuffer(device().context(), CL_MEM_READ_WRITE,
                                          static_cast<std::size_t>(huge_bytes), nullptr, &status));
        check_status(status, "clCreateBuffer");
    }

    /// Written, not filled: NVIDIA's driver 580 fails to fill far into a buffer, and all that comes
    /// after.
    void poison(std::int64_t first, std::int64_t count) const {
        const std::vector<float> guards(static_cast<std::size_t>(count), guard_value);
        check_status(clEnqueueWriteBuffer(queue(), c_.get(), CL_TRUE,
                                          static_cast<std::size_t>(first) * sizeof(float),
                                          guards.size() * sizeof(float), guards.data(), 0, nullptr,
                                          nullptr),
                     "clEnqueueWriteBuffer");
    }

    std::vector<float> read(std::int64_t first, std::int64_t count) const {
        std::vector<float> values(static_cast<std::size_t>(count));
        check_status(clEnqueueReadBuffer(queue(), c_.get(), CL_TRUE,
                                         static_cast<std::size_t>(first) * sizeof(float),
                                         values.size() * sizeof(float), values.data(), 0, nullptr,
                                         nullptr),
                     "clEnqueueReadBuffer");
        return values;
    }

    /// The first row of a column that is wrong, or -1.
    std::int64_t first_wrong_row(const HostMatrix& a, const HostMatrix& b, std::int64_t j) const {
        const std::vector<float> column = read(j * huge_extent, huge_extent);
        for (std::int64_t i = 0; i < huge_extent; ++i) {
            Expected expected;
            for (std::int64_t p = 0; p < depth; ++p) {
                const double product = double{a.at(0, i, p)} * double{b.at(0, p, j)};
                expected.value += product;
                expected.magnitude += std::abs(product);
            }
            if (!acceptable(column[static_cast<std::size_t>(i)], expected, depth)) {
                return i;
            }
        }
        return -1;
    }

    Owned<cl_mem> c_;
};

/// Both ends, both sides of element 2^31 and of element 2^30, and some at random.
std::vector<std::int64_t> sampled_columns() {
    std::vector<std::int64_t> columns{0, 1, huge_extent - 2, huge_extent - 1};
    for (const int power : {30, 31}) {
        const std::int64_t column = (std::int64_t{1} << power) / huge_extent;
        columns.insert(columns.end(), {column - 1, column, column + 1});
    }
    std::mt19937_64 engine(base_seed());
    std::generate_n(std::back_inserter(columns), 20, [&] {
        return static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(huge_extent));
    });
    return columns;
}

TEST_P(HugeResult, IsRightOnBothSidesOfElement2To31) {
    Case c = plain_case(huge_extent, huge_extent, depth);
    if (GetParam() != "auto") {
        c.options.kernel = GetParam();
        if (!libsgemm::kernel_obstacles(GetParam(), device().handle().traits).empty()) {
            GTEST_SKIP() << "cannot run here";
        }
    }
    const ProblemStorage storage = storage_of(c.problem);
    const HostMatrix a(storage.a, 0, Values::uniform, 1 + base_seed());
    const HostMatrix b(storage.b, 0, Values::uniform, 2 + base_seed());
    const DeviceMatrix device_a(device(), a);
    const DeviceMatrix device_b(device(), b);
    poison(elements, guard);
    for (const std::int64_t j : sampled_columns()) {
        poison(j * huge_extent, huge_extent);
    }
    library()
        .plan(c.problem, c.options)
        .enqueue(queue(), 1.0F, device_a.matrix(), device_b.matrix(), 0.0F, {c_.get()})
        .wait();
    for (const std::int64_t j : sampled_columns()) {
        EXPECT_EQ(first_wrong_row(a, b, j), -1) << "column " << j;
    }
    const std::vector<float> behind = read(elements, guard);
    EXPECT_TRUE(std::ranges::all_of(behind, [](float x) { return same_bits(x, guard_value); }));
}

std::vector<std::string> kernels_and_choice() {
    std::vector<std::string> names = kernel_names();
    names.emplace_back("auto");
    return names;
}

INSTANTIATE_TEST_SUITE_P(Kernels, HugeResult, ::testing::ValuesIn(kernels_and_choice()),
                         [](const auto& param) { return param.param; });

} // namespace
} // namespace sgemm_test
