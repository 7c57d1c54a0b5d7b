// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace libsgemm::tune {

/// Part number `part` of `parts`.
struct Share {
    int part = 0;
    int parts = 1;
};

/// "3/16". Throws std::invalid_argument.
Share parse_share(const std::string& text);

/// Lets this process end when the one that started it does, where the system can do that.
void end_with_parent();

/// Processes that run this program with other arguments; ended with this object.
class Processes {
public:
    Processes() = default;
    ~Processes();
    Processes(Processes&& other) noexcept : ids_(std::move(other.ids_)) { other.ids_.clear(); }
    Processes(const Processes&) = delete;
    Processes& operator=(const Processes&) = delete;
    Processes& operator=(Processes&&) = delete;

    void start(const std::vector<std::string>& arguments);
    /// Whether one of them has not ended yet.
    bool running();

private:
    std::vector<int> ids_;
};

/// Starts `count` copies of this program; `arguments` says with what, given "PART/COUNT". None
/// where the system has no /proc: then whoever wanted them does without.
Processes
start_copies(int count,
             const std::function<std::vector<std::string>(const std::string&)>& arguments);

} // namespace libsgemm::tune
