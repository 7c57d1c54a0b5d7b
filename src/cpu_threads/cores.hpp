// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <thread>
#include <vector>

namespace libsgemm::detail {

/// The core that this thread runs on now; -1: not known.
int current_core() noexcept;

/// Cores that threads may run on.
class Cores {
public:
    /// Those of this thread. None where they cannot be had.
    static Cores of_this_thread();

    std::size_t count() const noexcept { return numbers_.size(); }
    /// Lets threads run on all of them but `core`. Nothing changes where there is no other, or
    /// where they are not known.
    void let_run(std::span<std::thread> threads, int but_for) const noexcept;

private:
    std::vector<int> numbers_;
};

/// While it lives threads that this one makes get no signals: they are the program's.
class WithoutSignals {
public:
    WithoutSignals() noexcept;
    ~WithoutSignals();
    WithoutSignals(const WithoutSignals&) = delete;
    WithoutSignals& operator=(const WithoutSignals&) = delete;

private:
    class Mask;
    Mask* before_ = nullptr; ///< null: nothing was changed
};

} // namespace libsgemm::detail
