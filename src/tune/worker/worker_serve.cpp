// SPDX-License-Identifier: Apache-2.0
#include "sgemm/error.hpp"
#include "tune/worker/trial_json.hpp"
#include "tune/worker/verification.hpp"
#include "tune/worker/worker.hpp"

#include <cstdio>
#include <iostream>
#include <unistd.h>
#include <utility>

namespace libsgemm::tune {
namespace {

/// Writes lines to what was standard output.
class Replies {
public:
    Replies() : stream_(fdopen(dup(STDOUT_FILENO), "w")) {
        if (stream_ == nullptr) {
            throw Error("a worker process needs a standard output");
        }
        // Whatever a driver prints is a message for people.
        dup2(STDERR_FILENO, STDOUT_FILENO);
    }
    ~Replies() { std::fclose(stream_); }
    Replies(const Replies&) = delete;
    Replies& operator=(const Replies&) = delete;

    void send(const Json& json) {
        const std::string line = json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
        if (std::fputs(line.c_str(), stream_) < 0 || std::fflush(stream_) != 0) {
            throw Error("nobody listens to this worker process");
        }
    }

private:
    std::FILE* stream_;
};

const char* name_of(Stage stage) {
    switch (stage) {
    case Stage::building:
        return "building";
    case Stage::launching:
        return "launching";
    case Stage::running:
        break;
    }
    return "running";
}

Json answer(const Json& request, TrialRunner& runner, Replies& replies) {
    const StageListener listener = [&replies](Stage stage) {
        replies.send({{"stage", name_of(stage)}});
    };
    if (request.contains("run")) {
        const TrialSpec spec = read_spec({request["run"], "run", "request"});
        return {{"result", json_of(runner.run(spec, listener))}};
    }
    const Configuration row = read_configuration(JsonReader(request, "", "request").sub("verify"));
    std::size_t shapes = 0;
    const Part part{request.value("part", 0), request.value("parts", 1),
                    request.value("shapes_per_case", 0)};
    const TrialResult result =
        verify_row(runner, row.kernel, row.parameters, part, shapes, listener);
    return {{"result", json_of(result)}, {"shapes", shapes}};
}

} // namespace

int serve(const DeviceHandle& device, const catalog::KernelCatalog& kernels,
          tables::DeviceTable table) {
    try {
        Replies replies;
        TrialRunner runner(device, kernels, std::move(table));
        replies.send({{"ready", true}});
        for (std::string line; std::getline(std::cin, line);) {
            replies.send(answer(JsonReader::parse(line, "request"), runner, replies));
        }
        return 0;
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}

} // namespace libsgemm::tune
