// SPDX-License-Identifier: Apache-2.0
// Whatever a kernel does to the worker, the tuner gets a verdict and goes on.
#include "planted_kernels.hpp"
#include "sgemm/error.hpp"
#include "support/temporary_folder.hpp"
#include "support/test_device.hpp"
#include "tune/worker/trial_json.hpp"
#include "tune/worker/worker.hpp"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/wait.h>
#include <thread>

namespace sgemm_test {
namespace {

using namespace libsgemm::tune;
using libsgemm::judge::make_shape;

class WorkerTest : public DeviceTest {
protected:
    WorkerCommand command() const {
        return {{"/proc/self/exe", "worker", device().handle().selector}};
    }
    static TimeLimits short_limits() {
        TimeLimits limits;
        limits.build = 60;
        limits.run = 30; // a slow machine's longest silence, and a busy one's
        return limits;
    }
    static TrialSpec trial(const char* kernel, std::int64_t m = 20) {
        TrialSpec spec;
        spec.configuration = {kernel, {}, {}};
        spec.configuration.variant.edges = libsgemm::EdgeStrategy::guarded;
        spec.shape = make_shape("NN", m, 20, 20);
        spec.effort.seconds = 0.05;
        return spec;
    }
};

TEST_F(WorkerTest, RunsManyTrialsInOneProcess) {
    Worker worker(command(), short_limits());
    for (int m = 16; m < 20; ++m) {
        const TrialResult result = worker.run(trial("right", m));
        ASSERT_TRUE(result.ok()) << result.message;
        EXPECT_GT(result.median, 0);
        EXPECT_FALSE(result.samples.empty());
    }
    EXPECT_EQ(worker.starts(), 1);
}

TEST_F(WorkerTest, AVerificationSeesEveryRemainder) {
    Worker worker(command(), short_limits());
    std::size_t shapes = 0;
    const TrialResult right = worker.verify(trial("right").configuration, {}, shapes);
    EXPECT_TRUE(right.ok()) << right.message;
    EXPECT_GT(shapes, 64U); // 16 remainders of m, four storage forms
    // One element, at one remainder of m: right at every size that was timed.
    EXPECT_TRUE(worker.run(trial("wrong_at_one_remainder")).ok());
    const TrialResult wrong =
        worker.verify(trial("wrong_at_one_remainder").configuration, {}, shapes);
    EXPECT_EQ(wrong.verdict, Verdict::wrong) << wrong.message;
    EXPECT_EQ(worker.starts(), 1);
}

TEST_F(WorkerTest, PartsOfAVerificationMakeUpTheWhole) {
    Worker worker(command(), short_limits());
    std::size_t all = 0;
    ASSERT_TRUE(worker.verify(trial("right").configuration, {}, all).ok());
    std::size_t sum = 0;
    for (int part = 0; part < 3; ++part) {
        std::size_t shapes = 0;
        ASSERT_TRUE(worker.verify(trial("right").configuration, {part, 3}, shapes).ok());
        sum += shapes;
    }
    EXPECT_EQ(sum, all);
}

struct Planted {
    const char* kernel;
    Verdict verdict;
};

class Accident : public WorkerTest, public ::testing::WithParamInterface<Planted> {};

TEST_P(Accident, CostsOneTrial) {
    TimeLimits limits = short_limits();
    limits.build = 15; // CPU devices: the first launch is part of the build
    Worker worker(command(), limits);
    ASSERT_TRUE(worker.run(trial("right")).ok());
    const TrialResult result = worker.run(trial(GetParam().kernel));
    EXPECT_EQ(result.verdict, GetParam().verdict)
        << to_string(result.verdict) << ": " << result.message;
    EXPECT_FALSE(result.message.empty());
    const TrialResult next = worker.run(trial("right"));
    EXPECT_TRUE(next.ok()) << next.message;
    EXPECT_LE(worker.starts(), 2);
}

INSTANTIATE_TEST_SUITE_P(Planted, Accident,
                         ::testing::Values(Planted{"hangs", Verdict::timeout},
                                           Planted{"ends_the_compiler", Verdict::build_failed},
                                           Planted{"asks_for_too_much_local_memory",
                                                   Verdict::launch_failed},
                                           Planted{"does_not_build", Verdict::build_failed}),
                         [](const auto& test) { return std::string(test.param.kernel); });

TEST_F(WorkerTest, AHangAtOneSizeCostsOneTrialToo) {
    TimeLimits limits = short_limits();
    limits.build = 20; // the first launch for a size is part of it
    Worker worker(command(), limits);
    ASSERT_TRUE(worker.run(trial("hangs_at_one_size")).ok());
    EXPECT_EQ(worker.run(trial("hangs_at_one_size", 33)).verdict, Verdict::timeout);
    EXPECT_TRUE(worker.run(trial("hangs_at_one_size", 34)).ok());
}

TEST_F(WorkerTest, AProcessThatEndsIsReported) {
    Worker worker(command(), short_limits());
    const TrialResult result = worker.run(trial("ends_the_process"));
    EXPECT_FALSE(result.ok());
    EXPECT_NE(result.message.find("signal"), std::string::npos) << result.message;
    EXPECT_TRUE(worker.run(trial("right")).ok());
}

TEST_F(WorkerTest, AnInterruptAbandonsTheTrialAtOnce) {
    std::atomic<bool> interrupted{false};
    TimeLimits limits;
    limits.build = limits.run = 600;
    Worker worker(command(), limits, &interrupted);
    ASSERT_TRUE(worker.run(trial("right")).ok());
    std::thread soon([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        interrupted = true;
    });
    const auto start = std::chrono::steady_clock::now();
    EXPECT_THROW(worker.run(trial("hangs")), Interrupted);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(300))
        << "the limits are 600";
    soon.join();
}

TEST_F(WorkerTest, AWorkerThatCannotStartIsAnError) {
    Worker missing({{"/no/such/program"}}, short_limits());
    EXPECT_THROW(missing.run(trial("right")), libsgemm::Error);
    Worker no_device({{"/proc/self/exe", "worker", "no such device"}}, short_limits());
    EXPECT_THROW(no_device.run(trial("right")), libsgemm::Error);
}

/// The worker's side alone, as a program: what it answers to lines on its standard input.
class ServeTest : public WorkerTest {
protected:
    /// The exit status; standard output and error are in `replies` and `errors`.
    int serve(const std::string& requests) {
        std::ofstream(folder_ / "requests") << requests;
        const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
        const std::string at = folder_.path();
        const int status =
            std::system(("'" + self + "' worker '" + device().handle().selector + "' <" + at +
                         "/requests >" + at + "/replies 2>" + at + "/errors")
                            .c_str());
        std::ifstream output(folder_ / "replies");
        for (std::string line; std::getline(output, line);) {
            replies.push_back(Json::parse(line));
        }
        std::getline(std::ifstream(folder_ / "errors"), errors, '\0');
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

    std::vector<Json> replies;
    std::string errors;

private:
    TemporaryFolder folder_;
};

TEST_F(ServeTest, AnswersUntilItsInputEnds) {
    const Json verify{
        {"verify", json_of(trial("right").configuration)}, {"part", 0}, {"parts", 40}};
    ASSERT_EQ(serve(Json{{"run", json_of(trial("right"))}}.dump() + '\n' + verify.dump() + '\n'), 0)
        << errors;
    ASSERT_GE(replies.size(), 5U);
    EXPECT_EQ(replies.front(), (Json{{"ready", true}}));
    EXPECT_EQ(replies[1], (Json{{"stage", "building"}}));
    std::vector<Json> results;
    for (const Json& reply : replies) {
        if (reply.contains("result")) {
            results.push_back(reply);
        }
    }
    ASSERT_EQ(results.size(), 2U);
    EXPECT_EQ(results[0].at("result").at("verdict"), "ok");
    EXPECT_EQ(results[1].at("result").at("verdict"), "ok");
    EXPECT_GT(results[1].at("shapes"), 0);
}

TEST_F(ServeTest, ARequestThatMakesNoSenseEndsIt) {
    EXPECT_EQ(serve("multiply!\n"), 1);
    EXPECT_NE(errors.find("request"), std::string::npos) << errors;
    ASSERT_EQ(replies.size(), 1U);
    EXPECT_EQ(replies.front(), (Json{{"ready", true}}));
}

} // namespace
} // namespace sgemm_test
