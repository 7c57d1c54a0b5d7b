// SPDX-License-Identifier: Apache-2.0
#include "implementations/makers.hpp"
#include "judge/problem.hpp"
#include "sgemm/sgemm.hpp"

#include <algorithm>

namespace libsgemm::bench {
namespace {

/// Times MultiDevice::gemm() with the device under test and the one that computes in the calling
/// thread.
class CallingThreadRunner : public Runner {
public:
    CallingThreadRunner(MultiDevice devices, const OpenClSession& session, const Workload& workload,
                        std::string label)
        : devices_(std::move(devices)), session_(session), workload_(workload),
          problem_(to_problem(workload.shape)), queues_{session.queue(),
                                                        session.calling_thread_queue()},
          label_(std::move(label)) {}

    void enqueue() override {
        devices_.gemm(queues_, problem_, workload_.alpha, Matrix{session_.a(), 0},
                      Matrix{session_.b(), 0}, workload_.beta, Matrix{session_.c(), 0}, {},
                      Completion::in_queue);
    }
    void finish() override { session_.finish(); }
    void write_c(const std::vector<float>& host) override { session_.write_c(host); }
    void read_c(std::vector<float>& host) override { session_.read_c(host); }
    std::string label() const override { return label_; }

private:
    MultiDevice devices_;
    const OpenClSession& session_;
    Workload workload_;
    Problem problem_;
    std::vector<cl_command_queue> queues_;
    std::string label_;
};

class CallingThread : public Implementation {
public:
    CallingThread(const OpenClSession& session, Environment& environment)
        : Implementation("auto:calling_thread"),
          devices_(session.context(), {session.device().device, session.calling_thread_device()}),
          alone_{Context(session.context(), session.device().device),
                 Context(session.context(), session.calling_thread_device())},
          environment_(environment) {}

    std::unique_ptr<Runner> prepare(const Workload& workload) override {
        const OpenClSession& session = environment_.opencl_with_operands();
        return std::make_unique<CallingThreadRunner>(devices_, session, workload,
                                                     label_of(to_problem(workload.shape)));
    }

    std::map<std::string, std::string> facts() const override {
        return {{"calling_thread_device", alone_.back().traits().name}};
    }

private:
    std::string label_of(const Problem& problem) const {
        const auto shares = devices_.shares(problem);
        const bool in_calling_thread = shares.back().count > 0;
        if (const int threads = shares.back().threads; threads > 1) {
            return "in the calling thread and " + std::to_string(threads - 1) + " more";
        }
        return (in_calling_thread ? "in the calling thread: " : "") +
               alone_[in_calling_thread ? 1 : 0].plan(problem).summary();
    }

    MultiDevice devices_;
    std::vector<Context> alone_; ///< the same devices by themselves, to say what they do
    Environment& environment_;
};

} // namespace

Implementations make_calling_thread(Environment& environment) {
    const OpenClSession& session = environment.opencl_session();
    if (session.device().traits.computes_in_calling_thread) {
        throw Unavailable("the device (--device) is the one that computes in the calling thread");
    }
    if (session.calling_thread_device() == nullptr) {
        throw Unavailable("the platform offers no device that computes in the calling thread (PoCL "
                          "does where POCL_DEVICES asks for it)");
    }
    Implementations made;
    made.push_back(std::make_unique<CallingThread>(session, environment));
    return made;
}

} // namespace libsgemm::bench
