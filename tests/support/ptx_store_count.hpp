// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sgemm_test {

/// PTX whose stores to global memory are counters instead: each adds 1 to the integer in the
/// element's place. Predicates stay.
std::string with_store_counters(std::string_view ptx);

} // namespace sgemm_test
