// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/passes.hpp"
#include "plan/ranking.hpp"
#include "sgemm/device.hpp"
#include "tables/device_table.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace libsgemm::planning {

/// Where a step finds a (batch of) column-major blocks: buffer, first element, strides.
struct Place {
    Argument::Kind buffer = Argument::Kind::workspace;
    Argument offset{Argument::Kind::integer, 0};
    std::int64_t ld = 1;
    std::int64_t batch_stride = 0;
};

/// The same, from an element further on.
inline Place moved(Place place, std::int64_t elements) {
    place.offset.value += elements;
    return place;
}

/// A place in the workspace.
Place workspace_place(std::int64_t offset, std::int64_t ld, std::int64_t batch_stride);

/// Rows are contiguous.
struct Extent {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
};

/// What is compiled for a pass.
KernelBuild build_of(const catalog::PassEntry& entry);

/// The pass that writes the transpose of a block, as the machine wants it written.
catalog::PassEntry transpose_entry(const PassContext& context);

/// A copy from one place to another: pad, transpose or both, as `entry` does. `in` is the extent of
/// what is read, `out` of what is written.
Step copy_step(const PassContext& context, const catalog::PassEntry& entry, const char* operand,
               const Place& from, Extent in, const Place& to, Extent out, std::int64_t batch);

/// Seconds of a pass and what they come from.
void predict(Step& step, const PassWork& work, const PassContext& context);

/// Seconds of steps alone, of a call that has others.
double predict_steps(const std::vector<Step>& steps);

/// C = P + beta * C.
Step unpad_step(const PassContext& context, const Place& product, const Place& c, Extent extent,
                std::int64_t batch);

/// C = alpha * (sum of the partial sums) + beta * C. `parts` is the first partial sum of each
/// matrix of the batch, `sum_stride` the distance of the partial sums.
Step reduce_step(const PassContext& context, const Place& parts, std::int64_t sum_stride,
                 int split_k, const Place& c, Extent extent, std::int64_t batch);

/// C = beta * C.
Step scale_step(const PassContext& context, const Place& c, Extent extent, std::int64_t batch);

/// Appends a place's buffer, offset, ld and batch stride to an argument list.
void append_place(std::vector<Argument>& arguments, const Place& place);

} // namespace libsgemm::planning
