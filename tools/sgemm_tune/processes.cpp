// SPDX-License-Identifier: Apache-2.0
#include "processes.hpp"

#include "support/text.hpp"

#include <algorithm>
#include <stdexcept>

#ifdef __unix__
#include <csignal>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#endif
#ifdef __linux__
#include <sys/prctl.h>
#endif

namespace libsgemm::tune {

Share parse_share(const std::string& text) {
    const std::size_t slash = std::min(text.find('/'), text.size());
    const std::string behind = text.substr(slash);
    const auto part = support::parse_number<int>(text.substr(0, slash));
    const auto parts = support::parse_number<int>(behind.substr(behind.empty() ? 0 : 1));
    if (!part || !parts || *part < 0 || *part >= *parts) {
        throw std::invalid_argument("'" + text + "' is no share such as 3/16");
    }
    return {*part, *parts};
}

Processes
start_copies(int count,
             const std::function<std::vector<std::string>(const std::string&)>& arguments) {
    Processes processes;
    for (int i = 0; i < count; ++i) {
        processes.start(arguments(std::to_string(i) + "/" + std::to_string(count)));
    }
    return processes;
}

void end_with_parent() {
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
}

#ifdef __unix__

void Processes::start(const std::vector<std::string>& arguments) {
    constexpr const char* self = "/proc/self/exe";
    std::vector<std::string> texts{"sgemm-tune"};
    texts.insert(texts.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    pointers.reserve(texts.size() + 1);
    for (std::string& text : texts) {
        pointers.push_back(text.data());
    }
    pointers.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t id = 0;
    if (posix_spawn(&id, self, &actions, nullptr, pointers.data(), environ) == 0) {
        ids_.push_back(id);
    }
    posix_spawn_file_actions_destroy(&actions);
}

bool Processes::running() {
    std::erase_if(ids_, [](int id) { return waitpid(id, nullptr, WNOHANG) != 0; });
    return !ids_.empty();
}

Processes::~Processes() {
    for (const int id : ids_) {
        kill(id, SIGKILL);
    }
    for (const int id : ids_) {
        waitpid(id, nullptr, 0);
    }
}

#else

void Processes::start(const std::vector<std::string>&) {}
bool Processes::running() {
    return false;
}
Processes::~Processes() = default;

#endif

} // namespace libsgemm::tune
