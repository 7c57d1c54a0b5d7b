// SPDX-License-Identifier: Apache-2.0
#include "doors/blas/dispatch.hpp"

#include "doors/blas/device_blas.hpp"
#include "doors/blas/host_blas.hpp"
#include "doors/blas/settings.hpp"
#include "sgemm/error.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <string>

namespace libsgemm::blas {
namespace {

/// Square size from which on the device is taken (bench/blas-threshold; docs/guide/blas.md).
constexpr double gpu_threshold = 512;
constexpr double cpu_threshold = std::numeric_limits<double>::infinity();

/// OpenCL does not survive fork(): a child of a process that has begun to use it uses the host. So
/// does one of a process in which another thread was looking for the host's BLAS: the child has no
/// use for what is half loaded.
std::atomic<bool> has_begun{false};
std::atomic<bool> is_forked{false};
/// exit() may already have destroyed statics of the library and the driver.
std::atomic<bool> is_ending{false};

/// Why a device that may well be there is not to be touched; null if it may be.
const char* disabled_reason() noexcept {
    if (is_forked) {
        return "in a forked process";
    }
    return is_ending ? "at the end of the process" : nullptr;
}

/// What a user can mend, a variable or a table, and would not hear of: a device that is not there
/// is no mistake.
bool is_mistake(const std::exception& error) {
    const auto* const argument = dynamic_cast<const ArgumentError*>(&error);
    return argument != nullptr ? argument->argument() != "device"
                               : dynamic_cast<const ConfigurationError*>(&error) != nullptr;
}

class Dispatcher {
public:
    Dispatcher()
        : settings_(read_settings()),
          host_(is_forked ? HostBlas::already_loaded(settings_.host) : HostBlas(settings_.host)) {}

    void multiply(const GemmCall& call) noexcept {
        if (call.alpha == 0 || call.k == 0 || stays_on_host(call)) {
            return multiply_on_host(call, "");
        }
        DeviceBlas* const device = this->device();
        if (device == nullptr) {
            const char* const reason = disabled_reason();
            return multiply_on_host(call, reason == nullptr ? obstacle_ : reason);
        }
        if (host_.is_there() && square_equivalent(call) < threshold_) {
            return multiply_on_host(call, "");
        }
        const std::string failure = device->multiply(call);
        if (!failure.empty()) {
            return multiply_on_host(call, failure);
        }
        trace(call, "the device (" + device->name() + ")", "");
    }
    void* find(const char* symbol) const noexcept { return host_.find(symbol); }

private:
    /// What a threshold from the environment, or the lowest of all, tells without a device:
    /// programs with small problems alone never start OpenCL.
    bool stays_on_host(const GemmCall& call) const {
        return host_.is_there() &&
               square_equivalent(call) < settings_.threshold.value_or(gpu_threshold);
    }

    /// Null if there is none that can be used.
    DeviceBlas* device() noexcept {
        if (disabled_reason() != nullptr) {
            return nullptr;
        }
        has_begun = true;
        std::call_once(device_once_, [this] { make_device(); });
        return device_.get();
    }
    void make_device() noexcept {
        try {
            device_ = std::make_unique<DeviceBlas>(settings_.traces);
            threshold_ =
                settings_.threshold.value_or(device_->is_cpu() ? cpu_threshold : gpu_threshold);
            std::atexit([] { is_ending = true; }); // runs before older handlers and destructors
        } catch (const std::exception& error) {
            obstacle_ = error.what();
            if (is_mistake(error)) {
                std::fprintf(stderr, "sgemm_blas: %s; the host computes everything\n",
                             error.what());
            }
        }
    }

    void multiply_on_host(const GemmCall& call, const std::string& reason) noexcept {
        const bool done = host_.multiply(call);
        if (!done) {
            multiply_plainly(call);
        }
        trace(call, done ? "the host's BLAS" : "the host, plainly", reason);
    }

    void trace(const GemmCall& call, const std::string& where, const std::string& reason) const {
        if (settings_.traces) {
            std::fprintf(stderr, "sgemm_blas: %c%c %lldx%lldx%lld on %s%s%s\n",
                         call.transpose_a ? 'T' : 'N', call.transpose_b ? 'T' : 'N',
                         static_cast<long long>(call.m), static_cast<long long>(call.n),
                         static_cast<long long>(call.k), where.c_str(), reason.empty() ? "" : ": ",
                         reason.c_str());
        }
    }

    Settings settings_;
    HostBlas host_;
    std::once_flag device_once_;
    std::unique_ptr<DeviceBlas> device_;
    std::string obstacle_;
    double threshold_ = 0;
};

/// The making of the dispatcher, which threads wait for.
struct Start {
    std::atomic<bool> has_begun{false};
    std::once_flag once;
    std::atomic<Dispatcher*> made{nullptr};
};

constinit Start first_start;
std::atomic<Start*> start{&first_start};

/// Never destroyed: threads and other libraries' destructors may multiply until the very end.
Dispatcher& dispatcher() {
    Start& own = *start.load(std::memory_order_acquire);
    if (Dispatcher* const made = own.made.load(std::memory_order_acquire)) {
        return *made;
    }
    own.has_begun = true;
    std::call_once(own.once, [&] {
        own.made.store(std::make_unique<Dispatcher>().release(), std::memory_order_release);
    });
    return *own.made;
}

/// The child has none of the parent's threads but one: what another had begun to make it would wait
/// for for ever.
void begin_child() noexcept {
    const Start& parents = *start.load();
    const bool was_cut_short = parents.has_begun && parents.made == nullptr;
    if (was_cut_short) {
        start = std::make_unique<Start>().release();
    }
    is_forked = is_forked || has_begun || was_cut_short;
}

/// As the library is loaded, before any thread can begin.
[[maybe_unused]] const int fork_handler = pthread_atfork(nullptr, nullptr, begin_child);

} // namespace

void multiply(const GemmCall& call) noexcept {
    if (!changes_nothing(call)) {
        dispatcher().multiply(call);
    }
}

void* find_symbol(const char* name) noexcept {
    return dispatcher().find(name);
}

} // namespace libsgemm::blas
