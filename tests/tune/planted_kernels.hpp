// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tune/worker/trial_runner.hpp"

namespace sgemm_test {

/// Kernels as a tuner meets them: the library's naive kernel, and others that go wrong, each in a
/// way of its own. Their names say how: "right", "slow", "wrong_at_one_remainder", "hangs",
/// "hangs_at_one_size", "ends_the_compiler", "asks_for_too_much_local_memory", "ends_the_process",
/// "does_not_build". Known to this test program and to workers that it starts of itself.
const libsgemm::catalog::KernelCatalog& planted_kernels();

/// A kernel that is right, but whose builds fail in a worker as the environment variable
/// SGEMM_TEST_TROUBLE says ("shortage", "build" or "launch"): always, or once where
/// SGEMM_TEST_TROUBLE_ONCE names a file that is not there yet. Workers know it while that variable
/// is set.
libsgemm::catalog::KernelEntry troubled_kernel();

/// From now on planted kernels do their worst: this process is a worker.
void unleash_planted_kernels();

} // namespace sgemm_test
