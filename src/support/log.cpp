// SPDX-License-Identifier: Apache-2.0
#include "support/log.hpp"

#include "support/text.hpp"

#include <cstdio>
#include <utility>

namespace libsgemm::support {
namespace {

void write_to_stderr(LogLevel /*level*/, const std::string& message) {
    // One call, so that lines of several threads do not mix.
    std::fputs(("sgemm: " + message + "\n").c_str(), stderr);
}

} // namespace

Log::Log(LogCallback callback, bool traces) : callback_(std::move(callback)), traces_(traces) {}

Log make_log(const LogCallback& callback, std::optional<bool> trace) {
    const bool traces = trace.has_value() ? *trace : environment_switch("SGEMM_TRACE", false);
    return {callback || !traces ? callback : LogCallback(write_to_stderr), traces};
}

} // namespace libsgemm::support
