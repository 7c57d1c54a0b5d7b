// SPDX-License-Identifier: Apache-2.0
// Each call of OpenCL that the library makes fails once. Then an error comes back, or the library
// finds another way and the result is right; nothing leaks; C is untouched, or something had been
// enqueued; the next call works.
#include "device/passes.hpp"
#include "faults/layer.hpp"
#include "sgemm/sgemm.h"
#include "support/case_data.hpp"
#include "support/environment_variable.hpp"
#include "support/temporary_folder.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sgemm_test {
namespace {

/// What the library calls. A release that fails leaks by itself, so those are left out.
const std::vector<std::string>& entry_points() {
    static const std::vector<std::string> names{"clGetPlatformInfo",
                                                "clGetDeviceInfo",
                                                "clGetContextInfo",
                                                "clGetMemObjectInfo",
                                                "clGetCommandQueueInfo",
                                                "clGetEventInfo",
                                                "clGetProgramInfo",
                                                "clGetProgramBuildInfo",
                                                "clGetKernelWorkGroupInfo",
                                                "clGetEventProfilingInfo",
                                                "clCreateBuffer",
                                                "clCreateKernel",
                                                "clCreateProgramWithSource",
                                                "clCreateProgramWithBinary",
                                                "clCreateCommandQueue",
                                                "clBuildProgram",
                                                "clSetKernelArg",
                                                "clEnqueueNDRangeKernel",
                                                "clEnqueueMarkerWithWaitList",
                                                "clEnqueueFillBuffer",
                                                "clFlush",
                                                "clFinish",
                                                "clWaitForEvents",
                                                "clRetainContext",
                                                "clRetainCommandQueue",
                                                "clRetainProgram",
                                                "clRetainKernel",
                                                "clRetainMemObject",
                                                "clRetainEvent"};
    return names;
}

/// How often each was reached in a run: a test that never fails anything proves nothing.
struct Tally {
    int failed = 0;   ///< calls that were made to fail
    int reported = 0; ///< as an error
    int survived = 0; ///< by a right result
};

class Faults : public DeviceTest {
protected:
    void SetUp() override {
        DeviceTest::SetUp();
        if (!IsSkipped() && !HasFatalFailure()) {
            case_ = case_with_passes(device());
        }
    }

    /// What a scenario does between arming and disarming: all of it but the library's own state
    /// ends there.
    using Scenario = std::function<void(const CaseData& data)>;

    /// Fails call after call of an entry point until a run does not reach the n-th any more.
    /// Not the n-th beyond `most`: timing repeats itself.
    void fail_each_call(const std::string& entry_point, const Scenario& scenario, Tally& tally,
                        int most = 400) {
        for (int n = 1; n <= most; ++n) {
            SCOPED_TRACE(entry_point + " number " + std::to_string(n));
            CaseData data(device(), case_);
            const Balance before = balance();
            const std::uint64_t enqueued = kernels_enqueued();
            std::string error;
            fail_call(entry_point, n);
            try {
                scenario(data);
            } catch (const libsgemm::OpenClError& caught) {
                error = caught.what();
                EXPECT_EQ(caught.status(), CL_OUT_OF_RESOURCES) << error;
            } catch (const libsgemm::BuildError& caught) {
                error = caught.what();
            }
            const bool has_failed = stop_failing();
            EXPECT_EQ(balance(), before) << "references leaked, or were given back twice";
            const bool touched = kernels_enqueued() != enqueued;
            if (error.empty()) {
                EXPECT_TRUE(data.verify(queue()));
            } else if (!touched) {
                EXPECT_TRUE(data.untouched(queue())) << error;
            } else {
                check_status(clFinish(queue()), "clFinish"); // C is undefined, the rest goes on
            }
            tally.failed += has_failed ? 1 : 0;
            tally.reported += has_failed && !error.empty() ? 1 : 0;
            tally.survived += has_failed && error.empty() ? 1 : 0;
            EXPECT_TRUE(has_failed || error.empty()) << error;
            if (!has_failed || HasFailure()) {
                return;
            }
        }
        EXPECT_LT(most, 400) << entry_point << " was called too often";
    }

    Tally fail_every_call(const Scenario& scenario) {
        Tally tally;
        for (const std::string& entry_point : entry_points()) {
            fail_each_call(entry_point, scenario, tally);
            if (HasFailure()) {
                break;
            }
        }
        RecordProperty("failed", tally.failed);
        RecordProperty("reported", tally.reported);
        RecordProperty("survived", tally.survived);
        return tally;
    }

    libsgemm::ContextOptions forced_options() const {
        libsgemm::ContextOptions options;
        options.expert = std::make_shared<libsgemm::ExpertPlanOptions>(case_.options);
        return options;
    }

    Case case_;
};

TEST_F(Faults, OfAColdCall) {
    const Tally tally = fail_every_call([&](const CaseData& data) {
        const libsgemm::Context cold = device().make_library(forced_options());
        data.gemm(cold, queue()).wait();
    });
    EXPECT_GT(tally.reported, 50) << "most calls cannot be done without";
}

TEST_F(Faults, OfAFirstCallAreNotRemembered) {
    // What failed once for want of resources is tried again, with the same kernel.
    const Tally tally = fail_every_call([&](const CaseData& data) {
        const libsgemm::Context cold = device().make_library(forced_options());
        try {
            data.gemm(cold, queue()).wait();
        } catch (...) {
            CaseData next(device(), case_);
            next.gemm(cold, queue());
            EXPECT_TRUE(next.verify(queue()));
            throw;
        }
    });
    EXPECT_GT(tally.reported, 50);
}

TEST_F(Faults, OfAWarmCallOfTheSameContext) {
    // One Context lives through all the failures: the next call must work each time.
    const libsgemm::Context warm = device().make_library(forced_options());
    CaseData first(device(), case_);
    first.gemm(warm, queue()).wait();
    warm.release_workspace();
    struct Release { // what the pool keeps between calls is no leak
        const libsgemm::Context& context;
        cl_command_queue queue;
        ~Release() {
            clFinish(queue);
            clFinish(queue); // if the first one was to fail
            context.release_workspace();
        }
    };
    const Tally tally = fail_every_call([&](const CaseData& data) {
        const Release after{warm, queue()};
        data.gemm(warm, queue()).wait();
    });
    EXPECT_GT(tally.reported, 20);
    CaseData last(device(), case_);
    last.gemm(warm, queue());
    EXPECT_TRUE(last.verify(queue()));
}

TEST_F(Faults, OfAPlanInAnOutOfOrderQueueThatWaits) {
    if (!device().has_out_of_order_queues()) {
        GTEST_SKIP() << "the device has no out-of-order queues";
    }
    const auto own_queue = device().make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_event marker = nullptr;
    check_status(clEnqueueMarkerWithWaitList(own_queue.get(), 0, nullptr, &marker), "marker");
    const Owned<cl_event> owned(marker);
    const Tally tally = fail_every_call([&](const CaseData& data) {
        const libsgemm::Context cold = device().make_library();
        const libsgemm::Plan plan = plan_case(cold, case_);
        struct Finish { // kernels of a failed call may still run
            cl_command_queue queue;
            ~Finish() { clFinish(queue); }
        } finish{own_queue.get()};
        data.enqueue(plan, own_queue.get(), {owned.get()}).wait();
    });
    EXPECT_GT(tally.reported, 50);
}

TEST_F(Faults, OfACallWithNothingToMultiply) {
    case_ = plain_case(20, 10, 0);
    case_.beta = 0.5F;
    const Tally tally = fail_every_call([&](const CaseData& data) {
        const libsgemm::Context cold = device().make_library();
        data.gemm(cold, queue()).wait();
    });
    EXPECT_GT(tally.reported, 20);
}

TEST_F(Faults, OfAContextThatTimesAtFirstUse) {
    // Timing is a help: where it fails the prediction counts.
    const TemporaryFolder folder;
    case_ = plain_case(40, 30, 20);
    int run = 0;
    Tally tally;
    for (const char* entry_point : {"clCreateCommandQueue", "clCreateBuffer", "clEnqueueFillBuffer",
                                    "clGetEventProfilingInfo", "clFinish", "clEnqueueNDRangeKernel",
                                    "clBuildProgram", "clRetainContext"}) {
        fail_each_call(
            entry_point,
            [&](const CaseData& data) {
                libsgemm::ContextOptions options;
                options.first_use.plans = 2;
                options.first_use.file = folder / ("table" + std::to_string(run++) + ".toml");
                const libsgemm::Context cold = device().make_library(options);
                data.gemm(cold, queue()).wait();
            },
            tally, 8);
    }
    EXPECT_GT(tally.survived, 5);
}

TEST_F(Faults, OfTheDiskCacheBreakNoCall) {
    const EnvironmentVariable on("SGEMM_CACHE", std::nullopt);
    const TemporaryFolder folder;
    libsgemm::ContextOptions options = forced_options();
    options.disk_cache.folder = folder / "full";
    {
        const libsgemm::Context filling = device().make_library(options);
        CaseData data(device(), case_);
        data.gemm(filling, queue()).wait();
    }
    Tally tally;
    fail_each_call(
        "clCreateProgramWithBinary",
        [&](const CaseData& data) { data.gemm(device().make_library(options), queue()).wait(); },
        tally);
    fail_each_call(
        "clBuildProgram",
        [&](const CaseData& data) { data.gemm(device().make_library(options), queue()).wait(); },
        tally);
    EXPECT_GT(tally.survived, 2);
    EXPECT_EQ(tally.reported, 0) << "a binary that cannot be used is built from source";
    int run = 0;
    fail_each_call(
        "clGetProgramInfo",
        [&](const CaseData& data) {
            libsgemm::ContextOptions empty = options;
            empty.disk_cache.folder = folder / ("empty" + std::to_string(run++));
            data.gemm(device().make_library(empty), queue()).wait();
        },
        tally);
    EXPECT_EQ(tally.reported, 0) << "a binary that cannot be had is not kept";
}

TEST_F(Faults, OfATracedCallAreToldNotThrown) {
    const EnvironmentVariable trace("SGEMM_TRACE", "1");
    const auto profiled = device().make_queue(CL_QUEUE_PROFILING_ENABLE);
    case_ = plain_case(40, 30, 20);
    Tally tally;
    for (const char* entry_point : {"clGetEventProfilingInfo", "clGetEventInfo"}) {
        fail_each_call(
            entry_point,
            [&](const CaseData& data) {
                libsgemm::ContextOptions options;
                options.log = [](libsgemm::LogLevel, const std::string&) {};
                const libsgemm::Context cold = device().make_library(options);
                data.gemm(cold, profiled.get()).wait();
            },
            tally);
    }
    EXPECT_GT(tally.survived, 0);
    EXPECT_EQ(tally.reported, 0);
}

TEST_F(Faults, ReachCallersOfTheCInterfaceAsStatuses) {
    sgemm_problem problem = SGEMM_PROBLEM_INIT;
    problem.m = problem.n = problem.k = 24;
    case_ = plain_case(24, 24, 24);
    const Tally tally = fail_every_call([&](const CaseData& data) {
        const auto raise_unless_success = [](sgemm_status status) {
            if (status == SGEMM_BUILD_FAILED) {
                throw libsgemm::BuildError("", "");
            }
            if (status != SGEMM_SUCCESS) {
                EXPECT_EQ(status, SGEMM_OPENCL_ERROR);
                throw libsgemm::OpenClError("", sgemm_last_opencl_status(nullptr));
            }
        };
        sgemm_context context = nullptr;
        raise_unless_success(
            sgemm_create_context(device().context(), device().handle().device, nullptr, &context));
        const std::unique_ptr<sgemm_context_state, decltype(&sgemm_release_context)> owned(
            context, sgemm_release_context);
        cl_event done = nullptr;
        raise_unless_success(sgemm_gemm(context, queue(), &problem, case_.alpha, data.a().buffer,
                                        data.a().offset, data.b().buffer, data.b().offset,
                                        case_.beta, data.c().buffer, data.c().offset, 0, nullptr,
                                        &done));
        const Owned<cl_event> event(done);
    });
    EXPECT_GT(tally.reported, 20);
}

} // namespace
} // namespace sgemm_test
