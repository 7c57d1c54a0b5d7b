// SPDX-License-Identifier: Apache-2.0
// sgemm_soak [SECONDS [MIB]]: 16 threads, two contexts, mixed problems, for so long. Every result
// must have the bits of the first one of its kind, and the process's memory must not have grown by
// more than so many MiB since every thread had seen every problem. Prints a line every tenth of the
// time.
#include "sgemm/sgemm.hpp"
#include "support/case.hpp"
#include "support/case_data.hpp"
#include "support/kernel_variants.hpp"
#include "support/storage.hpp"
#include "support/test_device.hpp"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

using namespace sgemm_test;
using Clock = std::chrono::steady_clock;

constexpr int thread_count = 16;

/// Resident memory of this process, MiB.
double resident_mib() {
    std::ifstream file("/proc/self/statm");
    double all = 0;
    double resident = 0;
    file >> all >> resident;
    return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1024.0 * 1024.0);
}

/// Sizes from one element to a few tiles, all forms, gaps, batches, nothing to multiply.
std::vector<Case> mixed_cases() {
    std::vector<Case> cases;
    const std::vector<Extents> extents = {
        {1, 1, 1},    {33, 17, 21},  {64, 64, 64},   {130, 70, 50},  {200, 3, 90},
        {3, 200, 90}, {96, 96, 300}, {257, 129, 65}, {16, 16, 1000}, {128, 128, 128}};
    for (std::size_t i = 0; i < extents.size(); ++i) {
        Case c = plain_case(extents[i].m, extents[i].n, extents[i].k);
        set_form(c, all_forms()[i % all_forms().size()]);
        c.problem.batch_count = i % 4 == 3 ? 3 : 1;
        spread(c.problem, {static_cast<std::int64_t>(i % 3), 0, static_cast<std::int64_t>(i % 2)});
        c.beta = i % 2 == 0 ? 0.0F : 0.5F;
        c.seed = i + 1;
        cases.push_back(c);
    }
    cases.push_back(plain_case(50, 40, 0));
    cases.back().beta = 2.0F;
    return cases;
}

class Soak {
public:
    explicit Soak(const TestDevice& device)
        : device_(device), contexts_{device.make_library(), device.make_library()},
          cases_(mixed_cases()), first_(cases_.size()), seen_(cases_.size()) {}

    void run(double seconds, double most_mib) {
        std::vector<std::jthread> threads;
        for (int i = 0; i < thread_count; ++i) {
            threads.emplace_back([this, i] { work(i); });
        }
        while (warm_threads_ < thread_count && !failed_) {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        }
        const double at_start = resident_mib();
        const auto start = Clock::now();
        std::cout << "warm: " << calls_ << " calls, " << at_start << " MiB" << std::endl;
        constexpr int lines = 10;
        for (int i = 1; i <= lines && !failed_; ++i) {
            std::this_thread::sleep_until(start +
                                          std::chrono::duration_cast<Clock::duration>(
                                              std::chrono::duration<double>(seconds * i / lines)));
            std::cout << seconds * i / lines << " s: " << calls_ << " calls, " << resident_mib()
                      << " MiB" << std::endl;
        }
        stop_ = true;
        threads.clear();
        const double growth = resident_mib() - at_start;
        std::cout << calls_ << " calls in " << thread_count << " threads, memory grew by " << growth
                  << " MiB" << std::endl;
        if (growth > most_mib) {
            fail("memory grew by more than " + std::to_string(most_mib) + " MiB");
        }
        std::cout << (failed_ ? "FAILED: " + message_ : "OK: all results bit-identical")
                  << std::endl;
    }
    bool failed() const { return failed_; }

private:
    void work(int thread) {
        try {
            const auto queue = device_.make_queue();
            for (std::size_t i = 0; !stop_ && !failed_; ++i) {
                const std::size_t number = (i + static_cast<std::size_t>(thread)) % cases_.size();
                check(number, contexts_[i / cases_.size() % 2], queue.get());
                ++calls_;
                if (i + 1 == 4 * cases_.size()) {
                    ++warm_threads_;
                }
            }
        } catch (const std::exception& error) {
            fail(error.what());
        }
    }

    void check(std::size_t number, const libsgemm::Context& context, cl_command_queue queue) {
        CaseData data(device_, cases_[number]);
        data.gemm(context, queue);
        if (number % 3 == 0 || !seen_[number]) { // the rest is held to it by its bits
            if (const auto verdict = data.verify(queue); !verdict) {
                fail(verdict.message());
            }
        }
        const std::vector<float> result = data.result(queue);
        const std::lock_guard lock(mutex_);
        if (!seen_[number]) {
            seen_[number] = true;
            first_[number] = result;
        } else if (std::memcmp(first_[number].data(), result.data(),
                               result.size() * sizeof(float)) != 0) {
            fail("case " + std::to_string(number) + " has other bits than the first time");
        }
    }

    void fail(const std::string& message) {
        if (!failed_.exchange(true)) {
            message_ = message;
        }
    }

    const TestDevice& device_;
    std::vector<libsgemm::Context> contexts_;
    std::vector<Case> cases_;
    std::mutex mutex_;
    std::vector<std::vector<float>> first_;
    std::vector<std::atomic<bool>> seen_;
    std::atomic<std::uint64_t> calls_{0};
    std::atomic<int> warm_threads_{0};
    std::atomic<bool> stop_{false};
    std::atomic<bool> failed_{false};
    std::string message_;
};

double number(const char* text, double fallback) {
    return text == nullptr ? fallback : std::strtod(text, nullptr);
}

} // namespace

int main(int argc, char** argv) try {
    setenv("SGEMM_CACHE", "0", 1);
    const sgemm_test::TestDevice device(libsgemm::select_device());
    Soak soak(device);
    soak.run(number(argc > 1 ? argv[1] : nullptr, 60), number(argc > 2 ? argv[2] : nullptr, 32));
    return soak.failed() ? 1 : 0;
} catch (const std::exception& error) {
    std::cerr << "sgemm_soak: " << error.what() << '\n';
    return 1;
}
