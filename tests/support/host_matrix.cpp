// SPDX-License-Identifier: Apache-2.0
#include "support/host_matrix.hpp"

#include <algorithm>
#include <utility>

namespace sgemm_test {
namespace {

template <typename Visit>
void for_each_element(const Storage& storage, const Visit& visit) {
    for (std::int64_t matrix = 0; matrix < storage.batch; ++matrix) {
        for (std::int64_t column = 0; column < storage.columns; ++column) {
            for (std::int64_t row = 0; row < storage.rows; ++row) {
                visit(storage.index(matrix, row, column));
            }
        }
    }
}

} // namespace

HostMatrix::HostMatrix(const Storage& storage, std::int64_t offset, Values values,
                       std::uint64_t seed)
    : storage_(storage), offset_(offset),
      // OpenCL has no empty buffers: an empty matrix gets one guard.
      image_(static_cast<std::size_t>(std::max<std::int64_t>(1, offset + storage.span())),
             guard_value) {
    const std::vector<float> numbers =
        make_values(values, storage.batch * storage.rows * storage.columns, seed);
    auto next = numbers.begin();
    for_each_element(storage_, [&](std::int64_t index) {
        image_[static_cast<std::size_t>(offset_ + index)] = *next++;
    });
}

HostMatrix::HostMatrix(const Storage& storage, std::int64_t offset, std::vector<float> image)
    : storage_(storage), offset_(offset), image_(std::move(image)) {}

std::vector<bool> HostMatrix::element_mask() const {
    std::vector<bool> mask(image_.size(), false);
    for_each_element(storage_, [&](std::int64_t index) {
        mask[static_cast<std::size_t>(offset_ + index)] = true;
    });
    return mask;
}

} // namespace sgemm_test
