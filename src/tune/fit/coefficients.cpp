// SPDX-License-Identifier: Apache-2.0
#include "tune/fit/coefficients.hpp"

namespace libsgemm::tune {

using tables::KernelModel;

KernelModel typical_model(const KernelModel& row) {
    KernelModel model = row;
    for (const auto& c : tables::kernel_coefficients()) {
        if (c.prior && c.prior->typical > 0) {
            c.set(model, c.prior->typical);
        }
    }
    return model;
}

KernelModel given_model(const KernelModel& row) {
    KernelModel model = typical_model(row);
    for (const auto& c : tables::kernel_coefficients()) {
        if (c.get(row) != c.get(KernelModel())) {
            c.set(model, c.get(row));
        }
    }
    return model;
}

} // namespace libsgemm::tune
