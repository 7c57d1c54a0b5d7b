// SPDX-License-Identifier: Apache-2.0
#include "support/case.hpp"

#include <cstdlib>
#include <gtest/gtest.h>
#include <ostream>

namespace sgemm_test {
namespace {

char letter(libsgemm::Transpose transpose) {
    return transpose == libsgemm::Transpose::no ? 'N' : 'T';
}

/// A leading dimension or stride.
struct Step {
    std::int64_t value;
};
std::ostream& operator<<(std::ostream& out, Step step) {
    return step.value == libsgemm::tight ? out << "tight" : out << step.value;
}

void print_problem(std::ostream& out, const libsgemm::Problem& p) {
    out << (p.layout == libsgemm::Layout::column_major ? "column-major " : "row-major ")
        << letter(p.transpose_a) << letter(p.transpose_b) << ' ' << p.m << 'x' << p.n << 'x' << p.k
        << ", ld " << Step{p.lda} << ',' << Step{p.ldb} << ',' << Step{p.ldc};
    if (p.batch_count != 1) {
        out << ", batch " << p.batch_count << " strides " << Step{p.batch_stride_a} << ','
            << Step{p.batch_stride_b} << ',' << Step{p.batch_stride_c};
    }
}

const char* name_of(libsgemm::EdgeStrategy edges) {
    switch (edges) {
    case libsgemm::EdgeStrategy::automatic:
        return "automatic";
    case libsgemm::EdgeStrategy::none:
        return "none";
    case libsgemm::EdgeStrategy::padding:
        return "padding";
    case libsgemm::EdgeStrategy::guarded:
        return "guarded";
    case libsgemm::EdgeStrategy::pointer_shift:
        return "pointer shift";
    case libsgemm::EdgeStrategy::extension:
        return "extension";
    }
    return "?";
}

const char* name_of(libsgemm::Repack repack) {
    switch (repack) {
    case libsgemm::Repack::automatic:
        return "automatically";
    case libsgemm::Repack::never:
        return "never";
    case libsgemm::Repack::always:
        return "always";
    case libsgemm::Repack::only_a:
        return "only A";
    case libsgemm::Repack::only_b:
        return "only B";
    }
    return "?";
}

/// Only what differs from the default, which leaves the choice to the planner.
void print_options(std::ostream& out, const libsgemm::ExpertPlanOptions& options) {
    out << ", kernel " << (options.kernel.empty() ? "auto" : options.kernel);
    for (const auto& [name, value] : options.parameters) {
        out << ' ' << name << '=' << value;
    }
    if (options.edges != libsgemm::EdgeStrategy::automatic) {
        out << ", edges " << name_of(options.edges);
    }
    if (options.pre_passes != libsgemm::PrePassStyle::automatic) {
        out << (options.pre_passes == libsgemm::PrePassStyle::fused ? ", fused" : ", separate")
            << " passes";
    }
    if (options.split_k != 0) {
        out << ", split k " << options.split_k;
    }
    if (options.parts_m != 0 || options.parts_n != 0 || options.parts_k != 0) {
        out << ", parts " << options.parts_m << 'x' << options.parts_n << 'x' << options.parts_k;
    }
    if (options.peeling != libsgemm::Peeling::automatic) {
        out << (options.peeling == libsgemm::Peeling::always ? ", peeled" : ", not peeled");
    }
    if (options.repack != libsgemm::Repack::automatic) {
        out << ", " << name_of(options.repack) << " repacked";
    }
}

} // namespace

std::ostream& operator<<(std::ostream& out, const Case& c) {
    print_problem(out, c.problem);
    out << ", alpha " << c.alpha << ", beta " << c.beta << ", offsets " << c.offset_a << ','
        << c.offset_b << ',' << c.offset_c << ", values " << c.values << " seed " << c.seed;
    print_options(out, c.options);
    return out;
}

std::string repro_line() {
    std::string line = "SGEMM_TEST_SEED=" + std::to_string(base_seed()) + " sgemm_device_tests";
    if (const auto* test = ::testing::UnitTest::GetInstance()->current_test_info()) {
        line +=
            std::string(" --gtest_filter='") + test->test_suite_name() + "." + test->name() + "'";
    }
    return line;
}

std::uint64_t base_seed() {
    const char* text = std::getenv("SGEMM_TEST_SEED");
    return text == nullptr ? 0 : std::strtoull(text, nullptr, 10);
}

std::int64_t offset_alignment(const Case& c) {
    const std::int64_t bits = c.offset_a | c.offset_b | c.offset_c | 64;
    return bits & -bits; // the lowest set bit
}

Case plain_case(std::int64_t m, std::int64_t n, std::int64_t k) {
    Case result;
    result.problem.m = m;
    result.problem.n = n;
    result.problem.k = k;
    return result;
}

} // namespace sgemm_test
