// SPDX-License-Identifier: Apache-2.0
#include "context/offset_runs.hpp"

namespace libsgemm::detail {
namespace {

constexpr std::int64_t least_products = 4;

std::int64_t at(const std::vector<std::int64_t>& offsets, std::size_t i) {
    return i < offsets.size() ? offsets[i] : 0;
}

} // namespace

std::vector<OffsetRun> equidistant_runs(const std::vector<std::int64_t>& a,
                                        const std::vector<std::int64_t>& b,
                                        const std::vector<std::int64_t>& c, std::int64_t extent_c) {
    const auto step = [](const std::vector<std::int64_t>& offsets, std::size_t i) {
        return at(offsets, i + 1) - at(offsets, i);
    };
    std::vector<OffsetRun> runs;
    for (std::size_t i = 0; i < c.size();) {
        OffsetRun run{i, 1, 0, 0, 0};
        if (i + 1 < c.size()) {
            run.stride_a = step(a, i);
            run.stride_b = step(b, i);
            run.stride_c = step(c, i);
        }
        const bool may_be_a_batch =
            run.stride_a >= 0 && run.stride_b >= 0 && run.stride_c > 0 && run.stride_c >= extent_c;
        std::size_t last = i;
        while (may_be_a_batch && last + 1 < c.size() && step(a, last) == run.stride_a &&
               step(b, last) == run.stride_b && step(c, last) == run.stride_c) {
            ++last;
        }
        const auto count = static_cast<std::int64_t>(last - i + 1);
        run.count = count >= least_products ? count : 1;
        i += static_cast<std::size_t>(run.count);
        runs.push_back(run);
    }
    return runs;
}

} // namespace libsgemm::detail
