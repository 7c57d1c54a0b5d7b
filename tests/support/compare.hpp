// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/device_matrix.hpp"
#include "support/host_matrix.hpp"
#include "support/reference.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace sgemm_test {

enum class Exactness : bool { bounded, exact };

// Each describes the first few differences, one a line; empty where there are none.

/// Elements of C, as downloaded, that are not what the reference allows.
std::string difference_from_reference(const Reference& reference, std::int64_t k,
                                      const HostMatrix& c, const std::vector<float>& image,
                                      Exactness exactness);

/// Everything but the elements: gaps of the leading dimension and batch stride, what lies before
/// the offset, and the guards around the buffer.
std::string difference_outside(const std::string& name, const HostMatrix& host,
                               const DeviceMatrix& downloaded);

/// Everything: for operands that a call must not write.
std::string difference_anywhere(const std::string& name, const HostMatrix& host,
                                const DeviceMatrix& downloaded);

} // namespace sgemm_test
