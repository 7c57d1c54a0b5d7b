// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/context.hpp"

#include <optional>

namespace libsgemm::support {

/// Hands messages to the caller's callback; builds their text only if someone listens.
class Log {
public:
    /// `traces`: whether trace messages are wanted.
    Log(LogCallback callback, bool traces);

    bool traces() const noexcept { return traces_; }

    template <class MakeText>
    void warning(MakeText make_text) const {
        write(LogLevel::warning, make_text);
    }
    template <class MakeText>
    void info(MakeText make_text) const {
        write(LogLevel::info, make_text);
    }
    template <class MakeText>
    void trace(MakeText make_text) const {
        if (traces_) {
            write(LogLevel::trace, make_text);
        }
    }

private:
    template <class MakeText>
    void write(LogLevel level, MakeText make_text) const {
        if (callback_) {
            callback_(level, make_text());
        }
    }

    LogCallback callback_;
    bool traces_;
};

/// The log of a Context: its callback, or standard error if traces are wanted and there is none.
/// Where `trace` is not set SGEMM_TRACE says whether they are; throws ArgumentError where that is
/// neither on nor off.
Log make_log(const LogCallback& callback, std::optional<bool> trace = std::nullopt);

} // namespace libsgemm::support
