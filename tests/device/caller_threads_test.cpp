// SPDX-License-Identifier: Apache-2.0
// Threads that compute beside the calling one: PoCL's device for that, where POCL_DEVICES asks for
// it.
#include "cpu_threads/cores.hpp"
#include "support/calling_thread.hpp"
#include "support/case_data.hpp"
#include "support/environment_variable.hpp"
#include "support/kernel_variants.hpp"
#include "support/temporary_file.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>

namespace sgemm_test {
namespace {

constexpr int pool_threads = 3; // more than there may be cores

class CallerThreads : public CallingThreadTest {
protected:
    void SetUp() override {
        CallingThreadTest::SetUp();
        if (!IsSkipped() && !HasFatalFailure()) {
            group_.emplace(make_group(pool_threads));
        }
    }
    std::uint64_t kernels() const { return kernels_of(calling_thread); }
    static int threads_for(const libsgemm::MultiDevice& group, const libsgemm::Problem& problem) {
        return group.shares(problem)[calling_thread].threads;
    }
    /// Runs a case that is to be shared: as many threads as are said to compute it, each a piece.
    void expect_shared(const Case& c,
                       libsgemm::Completion completion = libsgemm::Completion::event) const {
        const int threads = threads_for(*group_, c.problem);
        EXPECT_GT(threads, 1) << "by this table it pays: " << c;
        const std::uint64_t before = kernels();
        EXPECT_FALSE(runner_->run(*group_, c, completion)) << c;
        EXPECT_EQ(kernels() - before, static_cast<std::uint64_t>(threads)) << c;
    }
};

TEST_F(CallerThreads, SharesProductsOfEveryForm) {
    for (const Form& form : all_forms()) {
        Case c = plain_case(131, 97, 103);
        set_form(c, form);
        c.beta = 0.5F;
        expect_shared(c);
        spread(c.problem, {3, 5, 4});
        c.offset_a = 5;
        c.offset_b = 11;
        c.offset_c = 7;
        c.beta = 0;
        expect_shared(c, libsgemm::Completion::in_queue);
        c.problem.m = 61;
        c.problem.batch_count = 4;
        spread(c.problem, {3, 5, 4}, 11);
        expect_shared(c);
    }
    EXPECT_EQ(kernels_of(0), 0U);
}

TEST_F(CallerThreads, TellsHowManyThreadsShare) {
    const auto threads_of_square = [](const libsgemm::MultiDevice& group, std::int64_t n) {
        return threads_for(group, plain_case(n, n, n).problem);
    };
    EXPECT_EQ(threads_of_square(*group_, 8), 1);
    EXPECT_EQ(threads_of_square(*group_, 128), pool_threads);
    EXPECT_EQ(threads_of_square(*group_, 4000), 1) << "others compute it";
    EXPECT_EQ(threads_of_square(make_group(1), 128), 1);
}

TEST_F(CallerThreads, SharesProductsOfEveryShape) {
    const std::int64_t shapes[][3] = {{1, 1500, 700}, {1500, 1, 700}, {3000, 16, 32},
                                      {16, 3000, 32}, {17, 33, 3000}, {160, 160, 160},
                                      {256, 1, 2000}, {64, 300, 77}};
    for (const auto& [m, n, k] : shapes) {
        for (const bool swapped : {false, true}) {
            Case c = plain_case(m, n, k);
            if (swapped) {
                c.problem.transpose_a = libsgemm::Transpose::yes;
                c.problem.transpose_b = libsgemm::Transpose::yes;
                c.problem.layout = libsgemm::Layout::row_major;
            }
            spread(c.problem, {3, 5, 4});
            expect_shared(c);
        }
    }
}

TEST_F(CallerThreads, ProductsOfABatchMayHaveOneOperand) {
    for (const bool a_is_shared : {false, true}) {
        Case c = plain_case(70, 66, 90);
        c.problem.batch_count = 5;
        spread(c.problem, {3, 5, 4}, 11);
        (a_is_shared ? c.problem.batch_stride_a : c.problem.batch_stride_b) = 0;
        expect_shared(c);
    }
}

/// By its own predictions, whatever they are: what it says of a product is what becomes of it.
TEST_F(CallerThreads, KeepsToWhatTheDevicesOwnTableSays) {
    libsgemm::ContextOptions options;
    options.caller_threads = pool_threads;
    group_.emplace(runner_->context(), devices_, options);
    for (const std::int64_t n : {20, 60, 100, 180, 320}) {
        for (const Form& form : {all_forms()[0], all_forms()[6]}) {
            Case c = plain_case(n, n + 1, n - 1);
            set_form(c, form);
            const libsgemm::DeviceShare share = group_->shares(c.problem)[calling_thread];
            const std::uint64_t before = kernels();
            EXPECT_FALSE(runner_->run(*group_, c)) << c;
            const std::uint64_t launches = kernels() - before;
            EXPECT_GE(launches, share.count > 0 ? static_cast<std::uint64_t>(share.threads) : 0)
                << c;
            EXPECT_EQ(launches > 0, share.count > 0) << c;
        }
    }
}

/// Kernel options that a piece is too small for are no reason to refuse the whole.
TEST_F(CallerThreads, ForcedPlansAreKept) {
    const TemporaryFile table("tiled.toml", slow_units() + row_of("tiled"));
    for (const libsgemm::EdgeStrategy edges :
         {libsgemm::EdgeStrategy::pointer_shift, libsgemm::EdgeStrategy::extension}) {
        libsgemm::ContextOptions options = options_with(16);
        options.table_file = table.path();
        libsgemm::ExpertPlanOptions forced;
        forced.kernel = "tiled";
        forced.edges = edges;
        options.expert = std::make_shared<libsgemm::ExpertPlanOptions>(forced);
        const libsgemm::MultiDevice group(runner_->context(), devices_, options);
        for (const std::int64_t n : {130, 136}) {
            EXPECT_FALSE(runner_->run(group, plain_case(n, n, 64)));
        }
    }
}

/// Pieces by plans of several launches, with workspace.
TEST_F(CallerThreads, PiecesMayHaveWorkspace) {
    const TemporaryFile table("padded.toml",
                              slow_units(/*pass_us=*/1) + row_of("06_register_tiles_2d"));
    libsgemm::ContextOptions options = options_with(6);
    options.table_file = table.path();
    libsgemm::ExpertPlanOptions padded;
    padded.kernel = "06_register_tiles_2d";
    padded.edges = libsgemm::EdgeStrategy::padding;
    padded.pre_passes = libsgemm::PrePassStyle::separate;
    options.expert = std::make_shared<libsgemm::ExpertPlanOptions>(padded);
    const libsgemm::MultiDevice group(runner_->context(), devices_, options);
    for (int call = 0; call < 5; ++call) {
        Case c = plain_case(150, 131, 77);
        c.problem.transpose_a = libsgemm::Transpose::yes;
        EXPECT_GT(threads_for(group, c.problem), 1);
        EXPECT_FALSE(runner_->run(group, c));
    }
    EXPECT_GT(group.statistics(calling_thread).workspace_allocations, 1U) << "none had any";
}

TEST_F(CallerThreads, TheCallersQueueMayBeOutOfOrder) {
    cl_int status = CL_SUCCESS;
    const Owned<cl_command_queue> queue(
        clCreateCommandQueue(runner_->context(), devices_[calling_thread],
                             CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &status));
    if (status == CL_INVALID_QUEUE_PROPERTIES) {
        GTEST_SKIP() << "the device has no such queues";
    }
    check_status(status, "clCreateCommandQueue");
    const Ones ones(*runner_, 130);
    const std::vector<cl_command_queue> queues{runner_->queues()[0], queue.get()};
    for (int call = 0; call < 5; ++call) {
        const libsgemm::Event done = group_->gemm(queues, ones.problem, 1, {ones.a.get()},
                                                  {ones.b.get()}, 0, {ones.c.get()});
        EXPECT_EQ(status_of(done.get()), CL_COMPLETE);
        EXPECT_EQ(ones.result(*runner_), ones.expected());
    }
    EXPECT_EQ(kernels(), 5U * pool_threads);
}

TEST_F(CallerThreads, MatricesMayBeSubBuffersOrSharedVirtualMemory) {
    constexpr std::int64_t n = 128;
    constexpr std::size_t size = n * n;
    const Ones ones(*runner_, n);
    const Owned<cl_mem> parent = upload(runner_->context(), std::vector<float>(4 * size, 1.0F));
    const Owned<cl_mem> a = make_part(parent.get(), 0, size);
    const Owned<cl_mem> c = make_part(parent.get(), 2 * size, size);
    group_->gemm(runner_->queues(), ones.problem, 1, {a.get()}, {ones.b.get()}, 0, {c.get()});
    std::vector<float> result(size);
    check_status(clEnqueueReadBuffer(runner_->queues()[0], c.get(), CL_TRUE, 0,
                                     size * sizeof(float), result.data(), 0, nullptr, nullptr),
                 "clEnqueueReadBuffer");
    EXPECT_EQ(result, ones.expected());
    EXPECT_EQ(kernels(), pool_threads);
    auto* const memory = static_cast<float*>(
        clSVMAlloc(runner_->context(), CL_MEM_READ_WRITE, size * sizeof(float), 0));
    if (memory == nullptr) {
        GTEST_SKIP() << "the context has no shared virtual memory";
    }
    const std::uint64_t before = kernels();
    group_->gemm(runner_->queues(), ones.problem, 1, {ones.a.get()}, {ones.b.get()}, 0,
                 libsgemm::svm_matrix(memory));
    EXPECT_EQ(kernels(), before + pool_threads);
    cl_command_queue queue = runner_->queues()[calling_thread];
    check_status(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, memory, size * sizeof(float), 0,
                                 nullptr, nullptr),
                 "clEnqueueSVMMap");
    EXPECT_EQ(std::vector<float>(memory, memory + size), ones.expected());
    check_status(clEnqueueSVMUnmap(queue, memory, 0, nullptr, nullptr), "clEnqueueSVMUnmap");
    check_status(clFinish(queue), "clFinish");
    clSVMFree(runner_->context(), memory);
}

TEST_F(CallerThreads, HasNothingToMultiply) {
    Case c = plain_case(200, 150, 120);
    c.alpha = 0;
    c.beta = -1.5F;
    EXPECT_FALSE(runner_->run(*group_, c));
    c.alpha = 1;
    c.problem.k = 0;
    EXPECT_FALSE(runner_->run(*group_, c));
}

TEST_F(CallerThreads, ThereAreAsManyThreadsAsCores) {
    const EnvironmentVariable variable("SGEMM_CALLER_THREADS", std::nullopt);
    const libsgemm::MultiDevice group = make_group(0);
    const auto allowed =
        static_cast<std::int64_t>(libsgemm::detail::Cores::of_this_thread().count());
    const std::int64_t units = device().handle().traits.compute_units;
    const std::int64_t cores = allowed > 0 ? std::min(units, allowed) : units;
    std::int64_t pieces = 0;
    for (const std::int64_t n : {8, 60, 100, 150}) {
        const Case c = plain_case(n, n, n);
        const int threads = threads_for(group, c.problem);
        EXPECT_EQ(threads > 1, n > 8 && cores > 1) << n;
        EXPECT_LE(threads, cores);
        EXPECT_FALSE(runner_->run(group, c));
        pieces += threads;
    }
    EXPECT_EQ(group.statistics(calling_thread).kernels_enqueued,
              static_cast<std::uint64_t>(pieces));
}

TEST_F(CallerThreads, TheCallerMayComputeAlone) {
    const libsgemm::MultiDevice alone = make_group(1);
    EXPECT_FALSE(runner_->run(alone, plain_case(100, 100, 100)));
    EXPECT_EQ(alone.statistics(calling_thread).kernels_enqueued, 1U);
    const EnvironmentVariable variable("SGEMM_CALLER_THREADS", "1");
    const libsgemm::MultiDevice told = make_group(0);
    EXPECT_FALSE(runner_->run(told, plain_case(100, 100, 100)));
    EXPECT_EQ(told.statistics(calling_thread).kernels_enqueued, 1U);
}

TEST_F(CallerThreads, TheNumberOfThreadsIsChecked) {
    EXPECT_THROW(make_group(-1), libsgemm::ArgumentError);
    EXPECT_THROW(make_group(100000), libsgemm::ArgumentError);
    for (const char* const bad : {"0", "-2", "two", "1e9"}) {
        const EnvironmentVariable variable("SGEMM_CALLER_THREADS", bad);
        EXPECT_THROW(make_group(0), libsgemm::ArgumentError) << bad;
    }
}

TEST_F(CallerThreads, HasComputedWhenTheCallReturns) {
    const Ones ones(*runner_, 128);
    for (int call = 0; call < 200; ++call) {
        check_status(clEnqueueFillBuffer(runner_->queues()[0], ones.c.get(), &call, sizeof call, 0,
                                         ones.expected().size() * sizeof(float), 0, nullptr,
                                         nullptr),
                     "clEnqueueFillBuffer");
        check_status(clFinish(runner_->queues()[0]), "clFinish");
        const libsgemm::Event done = ones.multiply(*runner_, *group_);
        EXPECT_EQ(status_of(done.get()), CL_COMPLETE);
        ASSERT_EQ(ones.result(*runner_), ones.expected());
        if (call % 20 == 0) { // the others fall asleep
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
    }
    EXPECT_EQ(kernels(), 200U * pool_threads);
}

TEST_F(CallerThreads, ManyThreadsMayCall) {
    constexpr int callers = 4;
    constexpr int calls = 50;
    std::uint64_t before = 0;
    for (const bool own_queues : {false, true}) {
        before = kernels();
        std::vector<std::thread> running;
        std::vector<int> right(callers);
        for (int t = 0; t < callers; ++t) {
            running.emplace_back([&, t] {
                std::vector<cl_command_queue> queues = runner_->queues();
                cl_int status = CL_SUCCESS;
                const Owned<cl_command_queue> own(
                    clCreateCommandQueue(runner_->context(), devices_[calling_thread], 0, &status));
                check_status(status, "clCreateCommandQueue");
                if (own_queues) {
                    queues[calling_thread] = own.get();
                }
                const Ones ones(*runner_, 100 + 3 * t);
                for (int call = 0; call < calls; ++call) {
                    group_
                        ->gemm(queues, ones.problem, 1, {ones.a.get()}, {ones.b.get()}, 0,
                               {ones.c.get()})
                        .wait();
                    right[static_cast<std::size_t>(t)] +=
                        ones.result(*runner_) == ones.expected() ? 1 : 0;
                }
            });
        }
        for (std::thread& thread : running) {
            thread.join();
        }
        EXPECT_EQ(right, std::vector<int>(callers, calls));
    }
    // Whoever comes first has the thread pool, and in a queue of its own nothing is before it.
    EXPECT_GT(kernels() - before, static_cast<std::uint64_t>(callers * calls)) << "none was shared";
    expect_shared(plain_case(100, 100, 100)); // all have given it back
}

/// What others of the pool compute would not be behind it.
TEST_F(CallerThreads, LeavesAQueueAloneThatIsNotDone) {
    if (locks_itself_out()) {
        GTEST_SKIP() << "PoCL 3 locks itself out when what a command of this device waits for ends";
    }
    const Ones ones(*runner_, 128);
    const Owned<cl_event> user = make_user_event(runner_->context());
    const std::vector<Owned<cl_event>> before = block_queue(user);
    const libsgemm::Event done = ones.multiply(*runner_, *group_);
    EXPECT_EQ(kernels(), 1U);
    EXPECT_NE(status_of(done.get()), CL_COMPLETE);
    complete(user);
    EXPECT_EQ(ones.result(*runner_), ones.expected());
}

TEST_F(CallerThreads, SharesNothingForWrongArguments) {
    const Ones ones(*runner_, 128);
    const libsgemm::Matrix a{ones.a.get()};
    const libsgemm::Matrix b{ones.b.get()};
    const auto refuses = [&](const libsgemm::Matrix& x, const libsgemm::Matrix& y,
                             const libsgemm::Matrix& z) {
        EXPECT_THROW(group_->gemm(runner_->queues(), ones.problem, 1, x, y, 0, z),
                     libsgemm::ArgumentError);
    };
    for (int time = 0; time < 2; ++time) {
        refuses({}, b, {ones.c.get()});
        refuses(a, {}, {ones.c.get()});
        refuses(a, b, {});
        refuses({ones.a.get(), 1}, b, {ones.c.get()}); // the last piece would end behind the buffer
        refuses(a, b, {ones.c.get(), 1});
        refuses(a, b, a);
    }
    EXPECT_EQ(kernels(), 0U);
    EXPECT_EQ(ones.result(*runner_), std::vector<float>(ones.expected().size(), 1.0F));
}

/// Where no piece overlaps its own operands, but those of another one.
TEST_F(CallerThreads, OverlappingMatricesAreRefused) {
    constexpr std::int64_t n = 128;
    constexpr std::int64_t size = n * n;
    const Owned<cl_mem> all =
        upload(runner_->context(), std::vector<float>(static_cast<std::size_t>(8 * size), 1.0F));
    libsgemm::Problem problem = plain_case(n, n, n).problem;
    const auto refuses = [&](std::int64_t a, std::int64_t b, std::int64_t c) {
        EXPECT_THROW(group_->gemm(runner_->queues(), problem, 1, {all.get(), a}, {all.get(), b}, 0,
                                  {all.get(), c}),
                     libsgemm::ArgumentError);
    };
    for (const auto layout : {libsgemm::Layout::column_major, libsgemm::Layout::row_major}) {
        problem.layout = layout;
        for (const std::int64_t part : {n / 2, size / 2, size / 4, size - 1}) {
            refuses(4 * size, 0, part);
            refuses(0, 4 * size, part);
            refuses(4 * size, part, 0);
            refuses(part, 4 * size, 0);
        }
    }
    problem.batch_count = 2;
    refuses(5 * size, 0, size);
    refuses(0, 5 * size, size);
    EXPECT_EQ(kernels(), 0U);
}

} // namespace
} // namespace sgemm_test
