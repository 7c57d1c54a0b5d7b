// SPDX-License-Identifier: Apache-2.0
//
// FP32 emulation (kernels/emulated): parameters and constants that entries, plans and kernels
// share, and its passes.
#pragma once

#include "catalog/passes.hpp"

#include <cstdint>
#include <string_view>

namespace libsgemm::catalog::emulated {

inline constexpr std::string_view shares_name = "shares";
inline constexpr std::string_view strict_launches_name = "strict_launches";

/// Blocks of k that are added up before single precision takes the sum over.
inline int promote(const Parameters& p) {
    return p.get_or("promote", 1);
}
/// Launches that multiply a share of C each.
inline int shares(const Parameters& p) {
    return p[shares_name];
}
/// Launches that scan and pack: 1 or 2.
inline int pack_launches(const Parameters& p) {
    return p["pack_launches"];
}
/// Launches for values that must not be multiplied so; 0: the main kernel multiplies them.
inline int strict_launches(const Parameters& p) {
    return p[strict_launches_name];
}

/// Steps of k of the shortest round of the pass that scans and packs in one launch: the bounds know
/// one more term for deeper products.
constexpr std::int64_t least_round_steps = 512;
/// Shares of C, of as many launches, that pack for each other (kernels/emulated/pack_beside.clh,
/// kernels/conditional.clh): the most there may be, the packers of a work-group that pack, and the
/// steps of k that one brings at a time.
constexpr int most_shares = 3;
constexpr std::int64_t packers_per_group = 3;
constexpr std::int64_t packing_round_steps = 2048;
static_assert(packing_round_steps >= least_round_steps);
static_assert(most_shares == 3); // as many words have CONDITION_NUMBERS

/// Sets the range-check words, where no scales are needed. The plan gives it and the next three
/// their shape.
PassEntry begin_pass(const KernelEntry& scheme);
/// Finds the largest magnitude of each row.
PassEntry scan_pass(const KernelEntry& scheme);
/// Splits and packs.
PassEntry pack_pass(const KernelEntry& scheme);
/// Does all of that in one launch.
PassEntry scan_pack_pass(const KernelEntry& scheme);

} // namespace libsgemm::catalog::emulated
