// SPDX-License-Identifier: Apache-2.0
// A bad argument is an error that names argument, value and rule; nothing is enqueued and C keeps
// what it holds.
#include "device/kernel_fixture.hpp"
#include "support/case_data.hpp"

#include <functional>
#include <limits>

namespace sgemm_test {
namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

/// A correct call that a test then spoils.
struct Call {
    cl_command_queue queue;
    libsgemm::Problem problem;
    libsgemm::Matrix a, b, c;
    std::vector<cl_event> wait_list;
};

struct BadCall {
    std::string name;
    std::string argument; ///< that the error must name
    std::string value;    ///< that it must quote
    std::function<void(Call&)> spoil;
};

const std::vector<BadCall>& bad_calls() {
    static const std::vector<BadCall> calls = {
        {"NegativeM", "m", "-1", [](Call& call) { call.problem.m = -1; }},
        {"NegativeN", "n", "-2", [](Call& call) { call.problem.n = -2; }},
        {"NegativeK", "k", "-3", [](Call& call) { call.problem.k = -3; }},
        {"NegativeBatch", "batch_count", "-1", [](Call& call) { call.problem.batch_count = -1; }},
        {"LdaTooSmall", "lda", "19", [](Call& call) { call.problem.lda = 19; }},
        {"LdbTooSmall", "ldb", "23", [](Call& call) { call.problem.ldb = 23; }},
        {"LdcTooSmall", "ldc", "19", [](Call& call) { call.problem.ldc = 19; }},
        {"LdaZero", "lda", "0", [](Call& call) { call.problem.lda = 0; }},
        {"LdaNegative", "lda", "-20", [](Call& call) { call.problem.lda = -20; }},
        {"NegativeOffsetOfA", "A.offset", "-1", [](Call& call) { call.a.offset = -1; }},
        {"NegativeOffsetOfB", "B.offset", "-1", [](Call& call) { call.b.offset = -1; }},
        {"NegativeOffsetOfC", "C.offset", "-1", [](Call& call) { call.c.offset = -1; }},
        {"AEndsPastItsBuffer", "A.offset", "1", [](Call& call) { call.a.offset = 1; }},
        {"BEndsPastItsBuffer", "B.offset", "1", [](Call& call) { call.b.offset = 1; }},
        {"CEndsPastItsBuffer", "C.offset", "1", [](Call& call) { call.c.offset = 1; }},
        {"LdcMakesCTooLong", "C.buffer", "bytes", [](Call& call) { call.problem.ldc = 21; }},
        {"HugeOffset", "C.offset", std::to_string(most), [](Call& call) { call.c.offset = most; }},
        {"HugeM", "A", "", [](Call& call) { call.problem.m = most; }},
        {"HugeLda", "A", "", [](Call& call) { call.problem.lda = most; }},
        {"HugeLdcTimesN", "C", "", [](Call& call) { call.problem.ldc = most / 8; }},
        {"HugeBatch", "C", "",
         [](Call& call) {
             call.problem.batch_count = most;
             call.problem.batch_stride_a = 0;
             call.problem.batch_stride_b = 0;
             call.problem.batch_stride_c = 1000;
         }},
        {"NegativeStrideOfA", "batch_stride_a", "-1",
         [](Call& call) {
             call.problem.batch_count = 2;
             call.problem.batch_stride_a = -1;
         }},
        {"MatricesOfTheBatchOverlapInC", "batch_stride_c", "1",
         [](Call& call) {
             call.problem.batch_count = 2;
             call.problem.batch_stride_a = 0;
             call.problem.batch_stride_b = 0;
             call.problem.batch_stride_c = 1;
         }},
        {"SharedCInABatch", "batch_stride_c", "0",
         [](Call& call) {
             call.problem.batch_count = 2;
             call.problem.batch_stride_a = 0;
             call.problem.batch_stride_b = 0;
             call.problem.batch_stride_c = 0;
         }},
        {"NullA", "A.buffer", "null", [](Call& call) { call.a.buffer = nullptr; }},
        {"NullB", "B.buffer", "null", [](Call& call) { call.b.buffer = nullptr; }},
        {"NullC", "C.buffer", "null", [](Call& call) { call.c.buffer = nullptr; }},
        {"NullQueue", "queue", "null", [](Call& call) { call.queue = nullptr; }},
        {"NullEvent", "wait_list", "null", [](Call& call) { call.wait_list.push_back(nullptr); }},
        {"CIsA", "C", "A", [](Call& call) { call.c = call.a; }},
        {"CIsB", "C", "B", [](Call& call) { call.c.buffer = call.b.buffer; }},
    };
    return calls;
}

/// Buffers are exactly as large as the matrices; C would fit in A's and in B's.
class BadInput : public DeviceTest {
protected:
    void SetUp() override {
        DeviceTest::SetUp();
        if (IsSkipped() || HasFatalFailure()) {
            return;
        }
        Case c = plain_case(20, 18, 24);
        c.beta = 1.0F;
        data_ = std::make_unique<CaseData>(device(), c);
        enqueued_ = library().statistics().kernels_enqueued;
    }

    Call good_call() const {
        return {queue(), data_->test_case().problem, data_->a(), data_->b(), data_->c(), {}};
    }
    void run(const Call& call) const {
        library().gemm(call.queue, call.problem, 1.0F, call.a, call.b, 1.0F, call.c,
                       call.wait_list);
    }
    void expect_nothing_happened() {
        EXPECT_EQ(library().statistics().kernels_enqueued, enqueued_);
        EXPECT_TRUE(data_->untouched(queue()));
    }
    CaseData& data() { return *data_; }

    /// The error must name this argument and quote this value, in its fields and in its text.
    void expect_argument_error(const Call& call, const std::string& argument,
                               const std::string& value) {
        try {
            run(call);
            ADD_FAILURE() << "no error";
        } catch (const libsgemm::ArgumentError& error) {
            EXPECT_EQ(error.argument(), argument) << error.what();
            EXPECT_NE(error.value().find(value), std::string::npos) << error.what();
            EXPECT_FALSE(error.rule().empty()) << error.what();
            const std::string text = error.what();
            EXPECT_NE(text.find(error.argument()), std::string::npos) << text;
            EXPECT_NE(text.find(error.value()), std::string::npos) << text;
            EXPECT_NE(text.find(error.rule()), std::string::npos) << text;
        }
        expect_nothing_happened();
    }

private:
    std::unique_ptr<CaseData> data_;
    std::uint64_t enqueued_ = 0;
};

class BadCalls : public BadInput, public ::testing::WithParamInterface<BadCall> {};

TEST_P(BadCalls, NameArgumentValueAndRule) {
    Call call = good_call();
    GetParam().spoil(call);
    expect_argument_error(call, GetParam().argument, GetParam().value);
}

INSTANTIATE_TEST_SUITE_P(All, BadCalls, ::testing::ValuesIn(bad_calls()),
                         [](const auto& test) { return test.param.name; });

TEST_F(BadInput, TheUnspoiltCallIsGood) {
    EXPECT_NO_THROW(run(good_call()));
    EXPECT_TRUE(data().verify(queue()));
}

TEST_F(BadInput, QueueOfAnotherContext) {
    const Owned<cl_context> other = device().make_context();
    cl_int status = CL_SUCCESS;
    const Owned<cl_command_queue> foreign(
        clCreateCommandQueue(other.get(), device().handle().device, 0, &status));
    check_status(status, "clCreateCommandQueue");
    Call call = good_call();
    call.queue = foreign.get();
    expect_argument_error(call, "queue", "");
}

TEST_F(BadInput, BufferOfAnotherContext) {
    const Owned<cl_context> other = device().make_context();
    cl_int status = CL_SUCCESS;
    const Owned<cl_mem> foreign(
        clCreateBuffer(other.get(), CL_MEM_READ_WRITE, 4096, nullptr, &status));
    check_status(status, "clCreateBuffer");
    const std::pair<const char*, libsgemm::Matrix Call::*> operands[] = {
        {"A.buffer", &Call::a}, {"B.buffer", &Call::b}, {"C.buffer", &Call::c}};
    for (const auto& [name, operand] : operands) {
        Call call = good_call();
        (call.*operand).buffer = foreign.get();
        expect_argument_error(call, name, "");
    }
}

TEST_F(BadInput, EventOfAnotherContext) {
    const Owned<cl_context> other = device().make_context();
    const Owned<cl_event> foreign = make_user_event(other.get());
    Call call = good_call();
    call.wait_list = {foreign.get()};
    expect_argument_error(call, "wait_list", "");
    clSetUserEventStatus(foreign.get(), CL_COMPLETE); // nothing may hang on it
}

TEST_F(BadInput, BufferThatKernelsMayNotUse) {
    const auto make = [&](cl_mem_flags flags) {
        cl_int status = CL_SUCCESS;
        Owned<cl_mem> buffer(clCreateBuffer(device().context(), flags, 4096, nullptr, &status));
        check_status(status, "clCreateBuffer");
        return buffer;
    };
    const Owned<cl_mem> read_only = make(CL_MEM_READ_ONLY);
    const Owned<cl_mem> write_only = make(CL_MEM_WRITE_ONLY);
    Call call = good_call();
    call.c.buffer = read_only.get();
    expect_argument_error(call, "C.buffer", "");
    call = good_call();
    call.a.buffer = write_only.get();
    expect_argument_error(call, "A.buffer", "");
    call = good_call();
    call.b.buffer = write_only.get();
    expect_argument_error(call, "B.buffer", "");
}

TEST_F(BadInput, OverlapThroughSubBuffers) {
    // Different handles, common memory.
    cl_int status = CL_SUCCESS;
    const Owned<cl_mem> whole(
        clCreateBuffer(device().context(), CL_MEM_READ_WRITE, 8192, nullptr, &status));
    check_status(status, "clCreateBuffer");
    const Owned<cl_mem> first = make_part(whole.get(), 0, 1024);
    const Owned<cl_mem> second = make_part(whole.get(), 512, 1024);
    Call call = good_call();
    call.a = {first.get(), 32}; // 480 elements: up to where C begins
    call.c.buffer = second.get();
    EXPECT_NO_THROW(run(call));
    call.a.offset = 33;
    EXPECT_THROW(run(call), libsgemm::ArgumentError);
    call = good_call();
    call.b.buffer = second.get();
    call.c = {whole.get(), 152}; // 360 elements: up to where B begins
    EXPECT_NO_THROW(run(call));
    call.c.offset = 153;
    EXPECT_THROW(run(call), libsgemm::ArgumentError);
}

TEST_F(BadInput, BadProblemsCannotBePlannedEither) {
    libsgemm::Problem problem = data().test_case().problem;
    problem.m = -1;
    EXPECT_THROW(library().plan(problem), libsgemm::ArgumentError);
    problem = data().test_case().problem;
    problem.ldb = 3;
    EXPECT_THROW(library().plan(problem), libsgemm::ArgumentError);
}

TEST_F(BadInput, PlansCheckTheirArgumentsToo) {
    const libsgemm::Plan plan = library().plan(data().test_case().problem);
    const libsgemm::Matrix past_the_end{data().c().buffer, 1};
    EXPECT_THROW(plan.enqueue(queue(), 1.0F, data().a(), data().b(), 0.0F, past_the_end),
                 libsgemm::ArgumentError);
    EXPECT_THROW(plan.enqueue(queue(), 1.0F, data().a(), {}, 0.0F, data().c()),
                 libsgemm::ArgumentError);
    EXPECT_THROW(plan.enqueue(nullptr, 1.0F, data().a(), data().b(), 0.0F, data().c()),
                 libsgemm::ArgumentError);
    expect_nothing_happened();
}

TEST_F(BadInput, UnknownKernelNameIsQuoted) {
    libsgemm::ExpertPlanOptions options;
    options.kernel = "no_such_kernel";
    try {
        library().plan(data().test_case().problem, options);
        FAIL() << "no error";
    } catch (const libsgemm::ArgumentError& error) {
        EXPECT_EQ(error.argument(), "kernel");
        EXPECT_EQ(error.value(), "no_such_kernel");
    }
    EXPECT_THROW(libsgemm::kernel_obstacles("no_such_kernel", library().traits()),
                 libsgemm::ArgumentError);
}

TEST_F(BadInput, UnknownParameterNameIsQuoted) {
    libsgemm::ExpertPlanOptions options;
    options.kernel = kernel_names().front();
    options.parameters["no_such_parameter"] = 3;
    try {
        library().plan(data().test_case().problem, options);
        FAIL() << "no error";
    } catch (const libsgemm::Error& error) {
        EXPECT_NE(std::string(error.what()).find("no_such_parameter"), std::string::npos);
    }
}

TEST_F(BadInput, ParametersNeedAKernel) {
    libsgemm::ExpertPlanOptions options;
    options.parameters["tile_m"] = 32;
    EXPECT_THROW(library().plan(data().test_case().problem, options), libsgemm::ArgumentError);
}

TEST_F(BadInput, OffsetAlignmentMustBeAPowerOfTwo) {
    for (const std::int64_t alignment : {0, -4, 3}) {
        libsgemm::ExpertPlanOptions options;
        options.offset_alignment = alignment;
        EXPECT_THROW(library().plan(data().test_case().problem, options), libsgemm::ArgumentError);
    }
}

TEST_F(BadInput, NoContextWithoutHandles) {
    EXPECT_THROW(libsgemm::Context(nullptr, device().handle().device), libsgemm::ArgumentError);
    EXPECT_THROW(libsgemm::Context(device().context(), nullptr), libsgemm::ArgumentError);
}

class BadParameters : public KernelTest {};

TEST_P(BadParameters, ThatNoDeviceCanRunAreUnsupported) {
    if (refused()) {
        return;
    }
    for (const auto& parameter : entry().parameters) {
        for (const int impossible : {parameter.minimum - 1, -8, parameter.maximum + 1}) {
            Case c = make_case(ragged(), all_forms()[0]);
            c.options.parameters[std::string(parameter.name)] = impossible;
            EXPECT_THROW(plan_case(library(), c), libsgemm::UnsupportedError)
                << parameter.name << '=' << impossible;
        }
    }
}

SGEMM_FOR_EVERY_KERNEL(BadParameters);

} // namespace
} // namespace sgemm_test
