// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/kernel_catalog.hpp"
#include "sgemm/context.hpp"
#include "sgemm/expert.hpp"
#include "sgemm/problem.hpp"
#include "tables/choices.hpp"
#include "tables/device_table.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace libsgemm::detail {

// What options and environment say together; all of it throws ArgumentError for what is malformed.

/// `context`, once it is known that the device is one of its.
cl_context checked_context(cl_context context, cl_device_id device);

/// The options, once all that can be wrong with them whatever the Context is used for has been
/// looked at, and the variable of `caller_threads` as well.
ContextOptions checked_options(ContextOptions options, const catalog::KernelCatalog& catalog);

/// What narrows the plans of gemm(): options.expert, or else options.plan.
ExpertPlanOptions plan_options(const ContextOptions& options);

/// SGEMM_KERNEL, where those leave the choice open. A preferred kernel that does not exist is
/// a mistake; one that cannot run everything is not.
std::string preferred_kernel(const ExpertPlanOptions& options,
                             const catalog::KernelCatalog& catalog);

/// What Precision::automatic stands for: SGEMM_PRECISION, or else strict.
Precision automatic_precision();

/// The file of a table that replaces the built-in one; empty: none is named.
std::string table_file(const ContextOptions& options);

/// Where choices are kept that timing at first use finds with this table. One that the program
/// named is the program's alone: then nowhere, unless it names a file for them, too.
tables::ChoiceFile choice_file(const ContextOptions& options, const tables::DeviceTable& table,
                               const DeviceTraits& device, const catalog::KernelCatalog& catalog);

/// Plans to time at the first use of a kind of problem.
int plans_to_time(const FirstUseTiming& timing);

/// Threads that compute where the calling thread does, with it; `units`: where nothing is said.
std::size_t caller_threads(const ContextOptions& options, std::int64_t units);

} // namespace libsgemm::detail
