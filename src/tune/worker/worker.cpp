// SPDX-License-Identifier: Apache-2.0
#include "tune/worker/worker.hpp"

#include "sgemm/error.hpp"
#include "tune/worker/trial_json.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#ifdef __linux__
#include <sys/prctl.h>
#endif

namespace libsgemm::tune {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

[[noreturn]] void fail(const std::string& what) {
    throw WorkerError("worker process: " + what);
}

/// Both ends close on exec; the child copies what it needs.
std::array<int, 2> make_pipe() {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) {
        fail("no pipe can be made");
    }
    for (const int end : ends) {
        fcntl(end, F_SETFD, FD_CLOEXEC); // NOLINT(cppcoreguidelines-pro-type-vararg): POSIX
    }
    return ends;
}

/// In the child, between fork and exec: only what is safe there.
[[noreturn]] void become_worker(char* const* words, int input, int output, int errors) {
    dup2(input, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(errors, STDERR_FILENO);
    setpgid(0, 0); // Ctrl-C is for the tuner
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL); // NOLINT(cppcoreguidelines-pro-type-vararg): Linux
    // Where memory runs out, this process goes first.
    const int file = open("/proc/self/oom_score_adj", O_WRONLY); // NOLINT
    if (file >= 0) {
        const ssize_t ignored = write(file, "1000", 4);
        static_cast<void>(ignored);
        close(file);
    }
#endif
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    execv(words[0], words);
    _exit(127);
}

void close_and_forget(int& descriptor) {
    if (descriptor >= 0) {
        close(descriptor);
    }
    descriptor = -1;
}

std::string how_it_ended(int status) {
    if (WIFSIGNALED(status)) { // NOLINTNEXTLINE(concurrency-mt-unsafe): a constant text
        return std::string("it was ended by signal ") + strsignal(WTERMSIG(status));
    }
    return "it ended with status " + std::to_string(WEXITSTATUS(status));
}

/// As systems end processes when memory runs out.
bool was_killed(int status) {
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

/// The end of what the worker wrote to standard error, on one line.
std::string tail(std::string text) {
    constexpr std::size_t most = 400;
    text.erase(text.find_last_not_of("\n ") + 1);
    return text.size() > most ? "..." + text.substr(text.size() - most) : text;
}

} // namespace

Worker::Worker(WorkerCommand command, TimeLimits limits, const std::atomic<bool>* interrupted)
    : command_(std::move(command)), limits_(limits), interrupted_(interrupted) {
    std::signal(SIGPIPE, SIG_IGN); // a worker that is gone shows as EPIPE
}

Worker::~Worker() {
    stop();
}

void Worker::start() {
    const auto input = make_pipe();
    const auto output = make_pipe();
    const auto errors = make_pipe();
    std::vector<char*> words;
    for (std::string& word : command_.words) {
        words.push_back(word.data());
    }
    words.push_back(nullptr);
    pid_ = fork();
    if (pid_ == 0) {
        become_worker(words.data(), input[0], output[1], errors[1]);
    }
    close(input[0]);
    close(output[1]);
    close(errors[1]);
    to_worker_ = input[1];
    from_worker_ = output[0];
    errors_ = errors[0];
    input_.clear();
    error_text_.clear();
    if (pid_ < 0) {
        stop();
        fail("it cannot be started");
    }
    ++starts_;
    const Reply reply = wait_for("ready");
    if (reply.lost) {
        fail("it does not start: " + reply.text);
    }
}

void Worker::stop() {
    if (pid_ > 0) {
        kill(pid_, SIGKILL);
        reap();
    }
    close_and_forget(to_worker_);
    close_and_forget(from_worker_);
    close_and_forget(errors_);
}

/// Waits for the end of a process that has ended or was killed, and returns its status. A device
/// may hold on to it: then it is left behind, and there is none.
std::optional<int> Worker::reap() {
    constexpr double patience = 20;
    const Clock::time_point start = Clock::now();
    int status = 0;
    while (waitpid(pid_, &status, WNOHANG) == 0) {
        if (seconds_since(start) > patience) {
            pid_ = -1;
            return std::nullopt;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    pid_ = -1;
    return status;
}

void Worker::check_interrupt() {
    if (interrupted_ != nullptr && interrupted_->load()) {
        stop();
        throw Interrupted();
    }
}

double Worker::limit_of(Phase phase) const {
    switch (phase) {
    case Phase::starting:
        return limits_.start;
    case Phase::building:
    case Phase::launching:
        return limits_.build;
    case Phase::running:
        break;
    }
    return limits_.run;
}

/// Reads what there is; false if nothing came. `ended`: the worker closed its end.
bool Worker::read_some(double seconds, bool& ended) {
    std::array<pollfd, 2> files{pollfd{from_worker_, POLLIN, 0}, pollfd{errors_, POLLIN, 0}};
    const int ready = poll(files.data(), files.size(), static_cast<int>(1000 * seconds));
    if (ready <= 0) {
        return false; // time out, or a signal
    }
    std::array<char, 4096> buffer{};
    if (files[1].revents != 0) {
        const ssize_t count = read(errors_, buffer.data(), buffer.size());
        if (count > 0) {
            error_text_.append(buffer.data(), static_cast<std::size_t>(count));
            constexpr std::size_t most = 16384;
            if (error_text_.size() > most) {
                error_text_.erase(0, error_text_.size() - most / 2);
            }
        }
    }
    if (files[0].revents != 0) {
        const ssize_t count = read(from_worker_, buffer.data(), buffer.size());
        ended = count == 0;
        if (count > 0) {
            input_.append(buffer.data(), static_cast<std::size_t>(count));
        }
    }
    return true;
}

Worker::Reply Worker::lose(Phase phase, bool timed_out) {
    Reply reply;
    reply.lost = true;
    // What it said last may still be in the pipe.
    bool ignored = false;
    for (int i = 0; i < 8 && read_some(0, ignored); ++i) {
    }
    std::string how;
    if (timed_out) {
        kill(pid_, SIGKILL);
        how = "not done after " + std::to_string(static_cast<int>(limit_of(phase))) + " s";
        how += reap() ? "" : ", and the device does not let go of its process";
        reply.verdict = Verdict::timeout;
    } else {
        const int status = reap().value_or(SIGKILL);
        how = how_it_ended(status);
        reply.verdict = was_killed(status)         ? Verdict::shortage
                        : phase == Phase::building ? Verdict::build_failed
                                                   : Verdict::launch_failed;
    }
    reply.text = std::string(phase == Phase::running     ? "while it ran: "
                             : phase == Phase::launching ? "when it was first launched: "
                             : phase == Phase::building  ? "while it was built: "
                                                         : "") +
                 how;
    if (const std::string said = tail(error_text_); !said.empty()) {
        reply.text += "; it said: " + said;
    }
    stop();
    return reply;
}

/// Waits for a message with that key.
Worker::Reply Worker::wait_for(const char* key) {
    Phase phase = std::string_view(key) == "ready" ? Phase::starting : Phase::running;
    Clock::time_point since = Clock::now();
    bool ended = false;
    while (true) {
        const std::size_t end = input_.find('\n');
        if (end == std::string::npos) {
            check_interrupt();
            if (ended) {
                return lose(phase, false);
            }
            const double left = limit_of(phase) - seconds_since(since);
            if (left <= 0) {
                return lose(phase, true);
            }
            constexpr double look_up = 0.2; // for an interrupt
            read_some(std::min(left, look_up), ended);
            continue;
        }
        const std::string line = input_.substr(0, end);
        input_.erase(0, end + 1);
        const Json message = JsonReader::parse(line, "worker process");
        if (message.contains(key)) {
            return {false, Verdict::ok, line};
        }
        const std::string stage = message.value("stage", "");
        phase = stage == "building"    ? Phase::building
                : stage == "launching" ? Phase::launching
                                       : Phase::running;
        since = Clock::now();
    }
}

Worker::Reply Worker::ask(const std::string& request) {
    check_interrupt();
    if (pid_ < 0) {
        start();
    }
    const std::string line = request + '\n';
    if (write(to_worker_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
        stop(); // it ended between two trials: not this one's fault
        start();
        if (write(to_worker_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
            fail("it does not listen");
        }
    }
    error_text_.clear();
    return wait_for("result");
}

TrialResult Worker::run(const TrialSpec& spec) {
    const Reply reply = ask(Json{{"run", json_of(spec)}}.dump());
    if (reply.lost) {
        return failed(reply.verdict, reply.text);
    }
    const Json message = JsonReader::parse(reply.text, "worker process");
    return read_result(JsonReader(message, "", "worker process").sub("result"));
}

TrialResult Worker::verify(const Configuration& row, Part part, std::size_t& shapes) {
    Json request{{"verify", json_of(row)},
                 {"part", part.part},
                 {"parts", part.parts},
                 {"shapes_per_case", part.shapes_per_case}};
    const Reply reply = ask(request.dump());
    shapes = 0;
    if (reply.lost) {
        return failed(reply.verdict, reply.text);
    }
    const Json message = JsonReader::parse(reply.text, "worker process");
    shapes = message.value("shapes", std::size_t{0});
    return read_result(JsonReader(message, "", "worker process").sub("result"));
}

void Worker::ensure_started() {
    if (pid_ < 0) {
        start();
    }
}

} // namespace libsgemm::tune
