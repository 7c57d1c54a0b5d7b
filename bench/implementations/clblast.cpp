// SPDX-License-Identifier: Apache-2.0
#include "implementations/implementation.hpp"

#if defined(SGEMM_BENCH_HAVE_CLBLAST)
#include <clblast_c.h>
#endif

namespace sgemm::bench {

#if defined(SGEMM_BENCH_HAVE_CLBLAST)
namespace {

CLBlastTranspose to_clblast(bool transpose) {
    return transpose ? CLBlastTransposeYes : CLBlastTransposeNo;
}

class ClblastRunner : public Runner {
public:
    ClblastRunner(const OpenClSession& session, const Workload& workload)
        : session_(session), workload_(workload) {}

    void run() override {
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
        session_.finish();
    }
    void write_c(const std::vector<float>& host) override { session_.write_c(host); }
    void read_c(std::vector<float>& host) override { session_.read_c(host); }

private:
    const OpenClSession& session_;
    Workload workload_;
};

class Clblast : public Implementation {
public:
    explicit Clblast(Environment& environment)
        : Implementation("clblast"), environment_(environment) {}

    std::unique_ptr<Runner> prepare(const Workload& workload) override {
        return std::make_unique<ClblastRunner>(environment_.opencl_with_operands(), workload);
    }
    std::map<std::string, std::string> facts() const override {
        return {{"clblast_version", std::to_string(CLBLAST_VERSION_MAJOR) + '.' +
                                        std::to_string(CLBLAST_VERSION_MINOR) + '.' +
                                        std::to_string(CLBLAST_VERSION_PATCH) + " (stock)"}};
    }

private:
    Environment& environment_;
};

} // namespace

Implementations make_clblast(Environment& environment) {
    environment.opencl_session(); // throws where there is none
    Implementations made;
    made.push_back(std::make_unique<Clblast>(environment));
    return made;
}
#else
Implementations make_clblast(Environment&) {
    throw Unavailable("not built in: CLBlast was not found when this binary was configured");
}
#endif

} // namespace sgemm::bench
