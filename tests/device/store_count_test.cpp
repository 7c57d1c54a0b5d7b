// SPDX-License-Identifier: Apache-2.0
// Each element of C is stored exactly once, whatever becomes of the edges. The kernels are built
// from their real sources with a counter in place of every store (STORE and STORE_WIDE of
// common.clh): C is seen as integers that start at zero and must all be one at the end. A store
// that went past the counter would leave the bits of a number there. In PTX it is the store
// instructions that are replaced.
#include "catalog/sources.hpp"
#include "compile/program_binary.hpp"
#include "compile/program_cache.hpp"
#include "compile/ptx/source.hpp"
#include "compile/retarget.hpp"
#include "device/kernel_fixture.hpp"
#include "execute/executor.hpp"
#include "plan/planner.hpp"
#include "problem/problem.hpp"
#include "support/ptx_store_count.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

namespace sgemm_test {
namespace {

using libsgemm::EdgeStrategy;
using libsgemm::catalog::Edges;
using libsgemm::planning::PlanValue;
using libsgemm::planning::Step;

constexpr const char* counters = R"(
void sgemm_count(volatile global int* first, int elements) {
    for (int i = 0; i < elements; ++i)
        atomic_inc(first + i);
}
#undef STORE
#undef STORE_WIDE
#undef STORE_UNALIGNED
#define STORE(pointer, value) ((void)(value), sgemm_count((volatile global int*)(pointer), 1))
#define STORE_WIDE(width, pointer, value) \
    ((void)(value), sgemm_count((volatile global int*)(pointer), width))
#define STORE_UNALIGNED(width, pointer, value) STORE_WIDE(width, pointer, value)
)";

/// A kernel's source with the counters between what it shares with all others and its own.
std::string counting_source(const std::string& path) {
    const auto* source = libsgemm::catalog::find_source(path);
    if (source == nullptr) {
        throw std::runtime_error("no embedded source " + path);
    }
    std::string text(source->text);
    const std::size_t own = text.find("#line 1 \"" + path + "\"");
    if (own == std::string::npos) {
        throw std::runtime_error("no #line in front of " + path);
    }
    return text.insert(own, counters);
}

Owned<cl_mem> make_buffer(const TestDevice& device, std::size_t bytes) {
    cl_int status = CL_SUCCESS;
    Owned<cl_mem> buffer(
        clCreateBuffer(device.context(), CL_MEM_READ_WRITE, bytes, nullptr, &status));
    check_status(status, "clCreateBuffer");
    return buffer;
}

/// One problem: column-major, C as given, A and B tight.
struct Counted {
    Extents extents;
    Form form;
    std::int64_t offset_c = 0;
    std::int64_t ldc = 0;
    std::int64_t batch = 1;
    EdgeStrategy edges = EdgeStrategy::automatic;
    float beta = 0;
    libsgemm::Peeling peel = libsgemm::Peeling::never;
};

std::ostream& operator<<(std::ostream& out, const Counted& c) {
    return out << c.extents.m << 'x' << c.extents.n << 'x' << c.extents.k << ", offset of C "
               << c.offset_c << ", ldc " << c.ldc << ", batch " << c.batch << ", edges "
               << static_cast<int>(c.edges) << ", beta " << c.beta;
}

/// Whether nothing else stores to C.
bool only_multiplies(const PlanValue& plan) {
    return std::ranges::all_of(plan.steps, [](const Step& step) {
        return step.kind == libsgemm::planning::PassKind::main_kernel;
    });
}

class StoreCount : public KernelTest {
protected:
    StoreCount() { table_.origin = "store_count_test"; }

    /// The ways in which the kernel meets edges.
    std::vector<EdgeStrategy> edge_strategies() const {
        if (has_selectable_edges(entry())) {
            std::vector<EdgeStrategy> all{EdgeStrategy::padding, EdgeStrategy::guarded};
            if (takes(entry(), EdgeStrategy::pointer_shift)) {
                all.push_back(EdgeStrategy::pointer_shift);
            }
            return all;
        }
        return {EdgeStrategy::automatic};
    }
    /// Whether the kernel runs the extents in place.
    bool fits(const Extents& e, EdgeStrategy edges, const libsgemm::catalog::TileShape& t) const {
        if (entry().edges == Edges::whole_tiles || edges == EdgeStrategy::padding) {
            return e.m % t.m == 0 && e.n % t.n == 0 && e.k % t.k == 0;
        }
        return edges != EdgeStrategy::pointer_shift ||
               (takes(entry(), edges) && e.m >= t.m && e.n >= t.n);
    }

    PlanValue plan_of(const Counted& c, const libsgemm::catalog::Parameters& parameters) const {
        libsgemm::Problem problem;
        problem.m = c.extents.m;
        problem.n = c.extents.n;
        problem.k = entry().tile(parameters).some_k(c.extents.k);
        problem.transpose_a = c.form.a;
        problem.transpose_b = c.form.b;
        problem.ldc = c.ldc;
        problem.batch_count = c.batch;
        auto canonical = libsgemm::validate::check_problem(problem).canonical;
        canonical.a.offset_alignment = canonical.b.offset_alignment = 16;
        canonical.c.offset_alignment = libsgemm::validate::alignment_of(c.offset_c);
        libsgemm::ExpertPlanOptions options = forced(entry(), parameters);
        options.edges = c.edges;
        options.split_k = 1;
        options.peeling = c.peel;
        const auto plans = libsgemm::planning::rank_plans(canonical, options,
                                                          {device().handle().traits, table_,
                                                           libsgemm::catalog::kernel_catalog()})
                               .plans;
        // Narrow loads read in place what may be faster with a copy.
        const auto in_place = std::ranges::find_if(plans, only_multiplies);
        return in_place != plans.end() ? *in_place : plans.front();
    }

    /// Runs the kernel on whatever A and B hold. False if that takes passes too: stores to C are
    /// then not the kernel's alone.
    bool count(const Counted& c, const libsgemm::catalog::Parameters& parameters) {
        const PlanValue plan = plan_of(c, parameters);
        if (!only_multiplies(plan)) {
            return false;
        }
        std::vector<std::shared_ptr<const libsgemm::compile::Program>> programs;
        for (const Step& step : plan.steps) {
            programs.push_back(program_of(step.build));
        }
        const std::size_t elements =
            static_cast<std::size_t>(c.offset_c + c.batch * c.ldc * c.extents.n + margin);
        reserve(c, elements);
        const cl_int zero = 0;
        check_status(clEnqueueFillBuffer(queue(), c_.get(), &zero, sizeof zero, 0,
                                         elements * sizeof zero, 0, nullptr, nullptr),
                     "clEnqueueFillBuffer");
        const std::vector<cl_event> no_events;
        libsgemm::execute::WorkspacePool none(
            libsgemm::device::ContextHandle::retained(device().context()));
        libsgemm::execute::execute(plan, programs,
                                   {queue(),
                                    1,
                                    c.beta,
                                    {{ab_.get(), 0}, {ab_.get(), 0}, {c_.get(), c.offset_c}},
                                    no_events},
                                   none);
        std::vector<cl_int> counts(elements);
        check_status(clEnqueueReadBuffer(queue(), c_.get(), CL_TRUE, 0, elements * sizeof zero,
                                         counts.data(), 0, nullptr, nullptr),
                     "clEnqueueReadBuffer");
        expect_once(c, counts);
        return true;
    }

private:
    static constexpr std::int64_t margin = 64;

    void reserve(const Counted& c, std::size_t elements) {
        const auto& e = c.extents;
        const auto operands = static_cast<std::size_t>(c.batch * e.k * std::max(e.m, e.n));
        if (operands > ab_elements_) {
            const std::vector<float> ones(operands, 1.0F);
            ab_ = make_buffer(device(), operands * sizeof(float));
            ab_elements_ = operands;
            check_status(clEnqueueWriteBuffer(queue(), ab_.get(), CL_TRUE, 0,
                                              operands * sizeof(float), ones.data(), 0, nullptr,
                                              nullptr),
                         "clEnqueueWriteBuffer");
        }
        if (elements > c_elements_) {
            c_ = make_buffer(device(), elements * sizeof(cl_int));
            c_elements_ = elements;
        }
    }

    void expect_once(const Counted& c, const std::vector<cl_int>& counts) const {
        for (std::int64_t at = 0; at < static_cast<std::int64_t>(counts.size()); ++at) {
            const std::int64_t inside = at - c.offset_c;
            const bool in_c = inside >= 0 && inside < c.batch * c.ldc * c.extents.n &&
                              inside % c.ldc < c.extents.m;
            ASSERT_EQ(counts[static_cast<std::size_t>(at)], in_c ? 1 : 0)
                << "stores to element " << inside << " of C (row " << inside % c.ldc << ", column "
                << inside / c.ldc << "): " << c;
        }
    }

    std::shared_ptr<const libsgemm::compile::Program>
    program_of(const libsgemm::planning::KernelBuild& build) {
        const std::string options =
            libsgemm::compile::build_options(build, device().handle().traits);
        auto& known = programs_[options];
        if (known == nullptr) {
            auto program = libsgemm::compile::is_ptx(build.source)
                               ? build_ptx(build)
                               : build_program(build, counting_source(build.source), options);
            known = std::make_shared<const libsgemm::compile::Program>(
                std::move(program), build.function, 0,
                device().handle().traits.computes_in_calling_thread);
        }
        return known;
    }

    libsgemm::device::ProgramHandle build_ptx(const libsgemm::planning::KernelBuild& build) const {
        const auto* source = libsgemm::catalog::find_source(build.source);
        if (source == nullptr) {
            throw std::runtime_error("no embedded source " + build.source);
        }
        const std::string counting =
            with_store_counters(libsgemm::compile::expand_ptx(source->text, build.defines));
        auto program =
            libsgemm::compile::program_from_binary(device().context(), device().handle().device,
                                                   libsgemm::compile::ptx_binary(counting), "");
        if (!program) {
            throw std::runtime_error("the platform refuses " + build.source + " with counters");
        }
        return program;
    }

    libsgemm::device::ProgramHandle build_program(const libsgemm::planning::KernelBuild& build,
                                                  const std::string& text,
                                                  const std::string& options) const {
        const char* pointer = text.data();
        const std::size_t length = text.size();
        cl_int status = CL_SUCCESS;
        libsgemm::device::ProgramHandle program(
            clCreateProgramWithSource(device().context(), 1, &pointer, &length, &status));
        check_status(status, "clCreateProgramWithSource");
        const cl_device_id id = device().handle().device;
        const cl_int built =
            clBuildProgram(program.get(), 1, &id, options.c_str(), nullptr, nullptr);
        if (!build.architecture_specific) {
            check_status(built, "clBuildProgram");
            return program;
        }
        // The driver's assembler refuses what the PTX holds until it says sm_90a.
        const auto ptx =
            libsgemm::compile::retarget_to_sm_90a(libsgemm::compile::binary_of(program.get(), id));
        libsgemm::device::ProgramHandle retargeted;
        if (ptx) {
            retargeted =
                libsgemm::compile::program_from_binary(device().context(), id, *ptx, options);
        }
        if (!retargeted) {
            throw std::runtime_error("no program for sm_90a of " + build.source + " with counters");
        }
        return retargeted;
    }

    libsgemm::tables::DeviceTable table_; // no rows: what is forced is all there is
    std::map<std::string, std::shared_ptr<const libsgemm::compile::Program>> programs_;
    Owned<cl_mem> ab_, c_;
    std::size_t ab_elements_ = 0;
    std::size_t c_elements_ = 0;
};

class StoreCountOfEdges : public StoreCount {};
class StoreCountOfExtensions : public StoreCount {};

constexpr std::int64_t large_tile = 16;

bool is_large(const libsgemm::catalog::TileShape& tile) {
    return tile.m > large_tile && tile.n > large_tile;
}

/// All extents of up to three tiles: every remainder class with one, two and three work-groups.
/// Where that are many, those around whole tiles.
std::vector<std::int64_t> all_extents(std::int64_t tile) {
    std::vector<std::int64_t> extents;
    for (std::int64_t extent = 1; extent <= 3 * tile; ++extent) {
        const std::int64_t rest = extent % tile;
        if (tile <= large_tile || rest <= 1 || rest == tile / 2 || rest == tile - 1) {
            extents.push_back(extent);
        }
    }
    return extents;
}

/// C's offset, leading dimension and batch alternate, so that vectors fit at times.
Counted vary_c(const Extents& extents, const Form& form, EdgeStrategy edges, int turn) {
    Counted c{extents, form};
    c.edges = edges;
    c.offset_c = turn % 3 == 1 ? 1 : 0;
    c.ldc = turn % 4 < 2 ? (extents.m + 15) / 16 * 16 : extents.m + 1;
    c.batch = turn % 5 == 0 ? 2 : 1;
    c.beta = turn % 7 == 0 ? 1.0F : 0.0F;
    return c;
}

TEST_P(StoreCount, IsOneForEveryRemainder) {
    if (refused()) {
        return;
    }
    const auto t = tile();
    const std::vector<std::int64_t> rows = all_extents(t.m);
    const std::vector<std::int64_t> columns = all_extents(t.n);
    const std::size_t parts = is_slow() ? 6 : is_large(t) ? 3 : 1; // of the pairs, one in each form
    int turn = 0;
    for (const EdgeStrategy edges : edge_strategies()) {
        int counted = 0;
        for (std::size_t form = 0; form < 4; ++form) { // the column-major ones
            for (std::size_t i = 0; i < rows.size(); ++i) {
                for (std::size_t j = 0; j < columns.size(); ++j) {
                    const Extents extents{rows[i], columns[j], t.k * (1 + turn % 2)};
                    if ((i + j) % parts != form % parts || !fits(extents, edges, t)) {
                        continue;
                    }
                    const Counted c = vary_c(extents, all_forms()[form], edges, turn++);
                    counted += count(c, parameters()) ? 1 : 0;
                    ASSERT_FALSE(HasFatalFailure()) << counted;
                }
            }
        }
        EXPECT_GT(counted, 0) << "edges " << static_cast<int>(edges);
    }
}

/// The main block and the strips together.
TEST_P(StoreCount, IsOneWhereLastRowsAndColumnsArePeeled) {
    if (refused()) {
        return;
    }
    const auto t = tile();
    int turn = 0;
    for (std::int64_t rest = 1; rest <= 3 && rest < std::min(t.m, t.n); ++rest) {
        for (std::size_t form = 0; form < 4; ++form) {
            const Extents extents{2 * t.m + rest, t.n + turn % 3, t.k};
            Counted c = vary_c(extents, all_forms()[form], EdgeStrategy::automatic, turn++);
            c.peel = libsgemm::Peeling::always;
            count(c, parameters());
            ASSERT_FALSE(HasFatalFailure()) << c;
        }
    }
}

TEST_P(StoreCountOfEdges, IsOneWhateverTheParameters) {
    if (refused()) {
        return;
    }
    int turn = 0;
    for (const auto& drawn :
         draw_parameters(entry(), device().handle().traits, 4, base_seed() + 21)) {
        const auto t = entry().tile(drawn);
        for (const EdgeStrategy edges : {EdgeStrategy::guarded, EdgeStrategy::pointer_shift}) {
            for (const Extents& extents : tile_extents(t)) {
                if (fits(extents, edges, t)) {
                    ASSERT_TRUE(count(vary_c(extents, all_forms()[1], edges, turn++), drawn));
                    ASSERT_FALSE(HasFatalFailure());
                }
            }
        }
    }
}

TEST_P(StoreCountOfExtensions, IsOneForRemaindersUpToEight) {
    ASSERT_FALSE(refused());
    const libsgemm::catalog::Parameters wide = extensible(entry(), parameters());
    const auto t = entry().tile(wide);
    int turn = 0;
    for (std::int64_t m = 0; m <= 8; ++m) {
        const std::int64_t n = m * 4 % 9;
        const Extents extents{t.m * (1 + turn % 2) + m, t.n + n, t.k};
        const Counted c = vary_c(extents, all_forms()[1], EdgeStrategy::extension, turn++);
        ASSERT_TRUE(count(c, wide)) << c;
        ASSERT_FALSE(HasFatalFailure());
    }
}

SGEMM_FOR_EVERY_KERNEL(StoreCount);
SGEMM_FOR_KERNELS_WITH(can_extend_tiles, StoreCountOfExtensions);
SGEMM_FOR_KERNELS_WITH(has_selectable_edges, StoreCountOfEdges);

} // namespace
} // namespace sgemm_test
