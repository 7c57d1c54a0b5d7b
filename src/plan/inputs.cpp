// SPDX-License-Identifier: Apache-2.0
#include "plan/inputs.hpp"

namespace libsgemm::planning {
Place caller_place(Argument::Kind buffer, Argument::Kind offset, const validate::Operand& operand) {
    return {buffer, {offset, 0}, operand.ld, operand.batch_stride};
}

bool is_aligned(const validate::Operand& operand, int alignment, std::int64_t batch) {
    return operand.ld % alignment == 0 && operand.offset_alignment % alignment == 0 &&
           (batch == 1 || operand.batch_stride % alignment == 0);
}

bool reads_in_place(const validate::Operand& operand, std::int64_t mn, int width,
                    std::int64_t batch, EdgeStrategy edges) {
    return is_aligned(operand, width, batch) &&
           !(reads_whole_vectors(edges) && operand.major == validate::Major::mn && mn % width != 0);
}

} // namespace libsgemm::planning
