// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "judge/shape.hpp"

#include <cstdint>
#include <vector>

namespace libsgemm::judge {

/// What random elements are: uniform in (-1, 1), positive in (0, 1), or normal with variance 1;
/// never zero.
enum class Values { uniform, positive, normal };

/// Appends random elements up to `count`. Each depends on the seed and its place alone.
void extend(std::vector<float>& matrix, std::size_t count, std::uint64_t seed,
            Values values = Values::uniform);

/// Random matrices in host memory.
///
/// One A, B and C, as large as the largest shape needs, serve all shapes: each reads the front with
/// its own leading dimension. So nothing is generated or copied to a device between two
/// measurements.
class Operands {
public:
    Operands(const std::vector<Shape>& shapes, std::uint64_t seed, Values values = Values::uniform);

    /// Filled when first asked for.
    const std::vector<float>& a() { return filled(a_, size_a_, 1); }
    const std::vector<float>& b() { return filled(b_, size_b_, 2); }
    const std::vector<float>& c() {
        return filled(c_, size_c_, 3);
    }                                               ///< C before a call, for beta != 0
    std::int64_t size_a() const { return size_a_; } ///< in elements
    std::int64_t size_b() const { return size_b_; }
    std::int64_t size_c() const { return size_c_; }

private:
    const std::vector<float>& filled(std::vector<float>& matrix, std::int64_t size,
                                     std::uint64_t stream) const;

    std::uint64_t seed_;
    Values values_;
    std::int64_t size_a_ = 1, size_b_ = 1, size_c_ = 1;
    std::vector<float> a_, b_, c_;
};

} // namespace libsgemm::judge
