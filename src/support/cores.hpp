// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <thread>

namespace sgemm::support {

/// The core that this thread runs on now; -1: not known.
int current_core() noexcept;

/// Lets threads run on any core that this thread may, but for `core`. Where there is no other, or this cannot be had, nothing changes.
void keep_off(int core, std::span<std::thread> threads) noexcept;

} // namespace sgemm::support
