// SPDX-License-Identifier: Apache-2.0
//
// The transposition pass of CPUs, by itself: any width of vectors, around the caches or not, where
// its output lies in whole cache lines and where it does not.
#include "catalog/passes.hpp"
#include "compile/program_cache.hpp"
#include "execute/executor.hpp"
#include "plan/passes.hpp"
#include "support/device_matrix.hpp"

#include <vector>

namespace sgemm_test {
namespace {

using Kind = libsgemm::planning::Argument::Kind;

struct Block {
    std::int64_t rows, columns; ///< of what is read; its columns are rows of what is written
    std::int64_t offset_out, gap_out;
};

class PackedTranspose : public DeviceTest {
protected:
    static constexpr std::int64_t batch = 2;
    static constexpr std::int64_t offset_in = 5;

    libsgemm::catalog::PassEntry entry(int width, bool streamed) const {
        libsgemm::DeviceTraits cpu = device().handle().traits;
        cpu.type = libsgemm::DeviceType::cpu;
        cpu.native_vector_width = width;
        return libsgemm::catalog::transpose_pass(cpu, streamed);
    }

    void expect_transposed(const libsgemm::catalog::PassEntry& pass, const Block& block) {
        const std::int64_t ld_in = block.columns + 3;
        const std::int64_t ld_out = block.rows + block.gap_out;
        const std::int64_t stride_in = ld_in * block.rows;
        const std::int64_t stride_out = ld_out * block.columns;
        std::vector<float> in(static_cast<std::size_t>(offset_in + batch * stride_in));
        for (std::size_t i = 0; i < in.size(); ++i) {
            in[i] = static_cast<float>(i);
        }
        std::vector<float> expected(
            static_cast<std::size_t>(block.offset_out + batch * stride_out + 64), guard_value);
        std::vector<float> out = expected;
        for (std::int64_t product = 0; product < batch; ++product) {
            for (std::int64_t i = 0; i < block.rows; ++i) {
                for (std::int64_t j = 0; j < block.columns; ++j) {
                    expected[static_cast<std::size_t>(block.offset_out + product * stride_out +
                                                      j * ld_out + i)] =
                        in[static_cast<std::size_t>(offset_in + product * stride_in + i * ld_in +
                                                    j)];
                }
            }
        }
        const Owned<cl_mem> from = upload(device(), in);
        const Owned<cl_mem> to = upload(device(), out);
        run(libsgemm::planning::copy_step(
                {device().handle().traits, machine_}, pass, "B",
                {Kind::buffer_b, {Kind::integer, offset_in}, ld_in, stride_in},
                {block.columns, block.rows},
                {Kind::buffer_c, {Kind::integer, block.offset_out}, ld_out, stride_out},
                {block.rows, block.columns}, batch),
            from.get(), to.get());
        check_status(clEnqueueReadBuffer(queue(), to.get(), CL_TRUE, 0, out.size() * sizeof(float),
                                         out.data(), 0, nullptr, nullptr),
                     "clEnqueueReadBuffer");
        for (std::size_t i = 0; i < out.size(); ++i) {
            ASSERT_TRUE(same_bits(out[i], expected[i])) << i;
        }
    }

private:
    void run(const libsgemm::planning::Step& step, cl_mem from, cl_mem to) {
        libsgemm::planning::PlanValue plan;
        plan.steps = {step};
        const std::vector<cl_event> none;
        libsgemm::execute::WorkspacePool pool(
            libsgemm::device::ContextHandle::retained(device().context()));
        libsgemm::execute::execute(plan, {programs_.get(step.build)},
                                   {queue(), 1.0F, 0.0F, {{from, 0}, {from, 0}, {to, 0}}, none},
                                   pool);
    }

    const libsgemm::tables::MachineModel machine_{};
    const libsgemm::support::Log log_{{}, false};
    libsgemm::compile::ProgramCache programs_{
        libsgemm::device::ContextHandle::retained(device().context()), device().handle().device,
        device().handle().traits, log_, libsgemm::catalog::find_source};
};

TEST_F(PackedTranspose, WritesTheTransposeAndNothingElse) {
    // Whole lines; an output that begins within one; columns that do; less than a line or a square;
    // more than a work-group's columns.
    constexpr Block blocks[] = {{48, 32, 16, 32}, {45, 33, 0, 3}, {45, 33, 1, 3},   {32, 20, 0, 5},
                                {15, 16, 16, 1},  {3, 7, 0, 13},  {20, 1030, 0, 28}};
    for (const int width : {4, 8, 16}) {
        for (const bool streamed : {false, true}) {
            const libsgemm::catalog::PassEntry pass = entry(width, streamed);
            for (const Block& block : blocks) {
                SCOPED_TRACE(testing::Message() << block.rows << " x " << block.columns << " by "
                                                << width << (streamed ? ", streamed" : ""));
                ASSERT_NO_FATAL_FAILURE(expect_transposed(pass, block));
            }
        }
    }
}

} // namespace
} // namespace sgemm_test
