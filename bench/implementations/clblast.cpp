// SPDX-License-Identifier: Apache-2.0
#include "implementations/makers.hpp"

#if defined(SGEMM_BENCH_HAVE_CLBLAST)
#include "clblast_tuning.hpp"

#include <clblast.h>
#include <clblast_c.h>
#endif

namespace libsgemm::bench {

#if defined(SGEMM_BENCH_HAVE_CLBLAST)
namespace {

using Parameters = std::shared_ptr<const ClblastParameters>;

/// What CLBlast has for the device now. Throws Unavailable.
ClblastParameters parameters_of(cl_device_id device) {
    ClblastParameters parameters;
    for (const std::string& kernel : clblast_gemm_kernels()) {
        const auto status = clblast::RetrieveParameters(device, kernel, clblast::Precision::kSingle,
                                                        parameters[kernel]);
        if (status != clblast::StatusCode::kSuccess) {
            throw Unavailable("CLBlast has no parameters of " + kernel);
        }
    }
    return parameters;
}

/// Makes CLBlast use `parameters` from now on; costs nothing where it did so last. The next product
/// compiles what it has not compiled before. For one device in a process.
void use_parameters(cl_device_id device, const Parameters& parameters) {
    static Parameters in_use;
    if (in_use == parameters) {
        return;
    }
    in_use = nullptr; // unknown, should one fail
    for (const auto& [kernel, values] : *parameters) {
        const auto status =
            clblast::OverrideParameters(device, kernel, clblast::Precision::kSingle, values);
        if (status != clblast::StatusCode::kSuccess) {
            throw std::runtime_error("CLBlast: overriding parameters of " + kernel + ": status " +
                                     std::to_string(static_cast<int>(status)));
        }
    }
    in_use = parameters;
}

CLBlastTranspose to_clblast(bool transpose) {
    return transpose ? CLBlastTransposeYes : CLBlastTransposeNo;
}

class ClblastRunner : public Runner {
public:
    ClblastRunner(const OpenClSession& session, const Workload& workload, Parameters parameters)
        : session_(session), workload_(workload), parameters_(std::move(parameters)) {}

    void enqueue() override {
        use_parameters(session_.device().device, parameters_);
        const Shape& shape = workload_.shape;
        const auto size = [](std::int64_t value) { return static_cast<std::size_t>(value); };
        cl_command_queue queue = session_.queue();
        const CLBlastStatusCode status = CLBlastSgemm(
            CLBlastLayoutColMajor, to_clblast(shape.transpose_a), to_clblast(shape.transpose_b),
            size(shape.m), size(shape.n), size(shape.k), workload_.alpha, session_.a(), 0,
            size(shape.lda), session_.b(), 0, size(shape.ldb), workload_.beta, session_.c(), 0,
            size(shape.ldc), &queue, nullptr);
        if (status != CLBlastSuccess) {
            throw std::runtime_error("CLBlastSgemm: status " + std::to_string(status));
        }
    }
    void finish() override { session_.finish(); }
    void write_c(const std::vector<float>& host) override { session_.write_c(host); }
    void read_c(std::vector<float>& host) override { session_.read_c(host); }

private:
    const OpenClSession& session_;
    Workload workload_;
    Parameters parameters_;
};

class Clblast : public Implementation {
public:
    /// `origin` is where the parameters come from.
    Clblast(const std::string& name, Environment& environment, Parameters parameters,
            std::string origin)
        : Implementation(name), environment_(environment), parameters_(std::move(parameters)),
          origin_(std::move(origin)) {}

    std::unique_ptr<Runner> prepare(const Workload& workload) override {
        return std::make_unique<ClblastRunner>(environment_.opencl_with_operands(), workload,
                                               parameters_);
    }
    std::map<std::string, std::string> facts() const override {
        return {{"clblast_version", std::to_string(CLBLAST_VERSION_MAJOR) + '.' +
                                        std::to_string(CLBLAST_VERSION_MINOR) + '.' +
                                        std::to_string(CLBLAST_VERSION_PATCH)},
                {name() + "_parameters", origin_ + ": " + to_string(*parameters_)}};
    }

private:
    Environment& environment_;
    Parameters parameters_;
    std::string origin_;
};

Implementations one(const std::string& name, Environment& environment, ClblastParameters parameters,
                    const std::string& origin) {
    Implementations made;
    made.push_back(std::make_unique<Clblast>(
        name, environment, std::make_shared<const ClblastParameters>(std::move(parameters)),
        origin));
    return made;
}

/// What CLBlast ships for the device: asked before anything else is put in its place.
const ClblastParameters& stock_parameters(const Environment& environment) {
    static const ClblastParameters stock =
        parameters_of(environment.opencl_session().device().device);
    return stock;
}

} // namespace

Implementations make_clblast(Environment& environment) {
    return one("clblast", environment, stock_parameters(environment), "stock");
}

Implementations make_clblast_tuned(Environment& environment) {
    if (environment.clblast_tuning.empty()) {
        throw Unavailable("needs --clblast-tuning FOLDER, with what CLBlast's tuners wrote");
    }
    return one("clblast-tuned", environment,
               with_tuned(stock_parameters(environment),
                          read_clblast_tuning(environment.clblast_tuning,
                                              environment.opencl_session().device().traits.name)),
               environment.clblast_tuning);
}
#else
Implementations make_clblast(Environment&) {
    throw Unavailable("not built in: CLBlast was not found when this binary was configured");
}
Implementations make_clblast_tuned(Environment& environment) {
    return make_clblast(environment);
}
#endif

} // namespace libsgemm::bench
