// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/context.hpp"

#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

namespace sgemm_test {

/// Collects the messages of Contexts, from any thread. Outlives them.
class LogCollector {
public:
    /// Options with this log and nothing else.
    libsgemm::ContextOptions options() {
        libsgemm::ContextOptions result;
        result.log = [this](libsgemm::LogLevel level, const std::string& text) {
            const std::scoped_lock lock(mutex_);
            messages_.push_back({level, text});
        };
        return result;
    }
    bool has(libsgemm::LogLevel level, const std::string& part) const {
        const std::scoped_lock lock(mutex_);
        return std::any_of(messages_.begin(), messages_.end(), [&](const Message& message) {
            return message.level == level && message.text.find(part) != std::string::npos;
        });
    }
    /// Of all messages with this part what comes after it.
    std::vector<std::string> behind(const std::string& part) const {
        const std::scoped_lock lock(mutex_);
        std::vector<std::string> rests;
        for (const Message& message : messages_) {
            if (const auto at = message.text.find(part); at != std::string::npos) {
                rests.push_back(message.text.substr(at + part.size()));
            }
        }
        return rests;
    }
    /// The text of the latest message; empty if there is none.
    std::string last() const {
        const std::scoped_lock lock(mutex_);
        return messages_.empty() ? std::string() : messages_.back().text;
    }

private:
    struct Message {
        libsgemm::LogLevel level;
        std::string text;
    };
    mutable std::mutex mutex_;
    std::vector<Message> messages_;
};

} // namespace sgemm_test
