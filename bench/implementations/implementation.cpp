// SPDX-License-Identifier: Apache-2.0
#include "implementations/implementation.hpp"

namespace libsgemm::bench {

OpenClSession& Environment::opencl_session() const {
    if (!opencl) {
        throw Unavailable(opencl_obstacle);
    }
    return *opencl;
}

OpenClSession& Environment::opencl_with_operands() {
    OpenClSession& session = opencl_session();
    session.upload(operands);
    return session;
}

const Context& Environment::libsgemm_context() {
    if (!libsgemm) {
        const OpenClSession& session = opencl_session();
        libsgemm = std::make_shared<Context>(session.context(), session.device().device);
    }
    return *libsgemm;
}

} // namespace libsgemm::bench
