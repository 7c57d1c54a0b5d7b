// SPDX-License-Identifier: Apache-2.0
// NVIDIA's assembler takes every kernel of kernels/ptx/, without a device. Only built where there
// is ptxas.
#include "catalog/kernel_catalog.hpp"
#include "catalog/sources.hpp"
#include "compile/ptx/source.hpp"
#include "support/fake_device.hpp"
#include "support/kernel_variants.hpp"
#include "support/ptx_store_count.hpp"
#include "support/temporary_folder.hpp"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

namespace libsgemm::compile {
namespace {

using catalog::KernelEntry;
using catalog::Parameters;
using validate::Major;

class PtxAssembly : public ::testing::TestWithParam<std::size_t> {
protected:
    KernelEntry entry() const { return catalog::ptx_entries()[GetParam()]; }

    /// The text for each storage form that the kernel takes.
    std::vector<std::string> texts(const Parameters& parameters) const {
        const KernelEntry kernel = entry();
        std::vector<std::string> all;
        for (const Major a : {Major::mn, Major::k}) {
            for (const Major b : {Major::mn, Major::k}) {
                if (accepts(kernel.a, a) && accepts(kernel.b, b)) {
                    all.push_back(expand_ptx(catalog::find_source(kernel.source)->text,
                                             main_kernel_defines(kernel, parameters, a, b)));
                }
            }
        }
        return all;
    }

    /// What ptxas reports.
    std::string assemble(const std::string& text) {
        const std::string source = folder_.path() + "/kernel.ptx";
        const std::string report = folder_.path() + "/report";
        std::string binary = ptx_binary(text);
        binary.pop_back(); // a file needs no zero
        std::ofstream(source) << binary;
        const std::string command = std::string(SGEMM_PTXAS " -arch=sm_90 -v -o /dev/null '") +
                                    source + "' >'" + report + "' 2>&1";
        const int status =
            std::system(command.c_str()); // NOLINT(cert-env33-c): a test's own command
        std::ostringstream said;
        said << std::ifstream(report).rdbuf();
        EXPECT_EQ(status, 0) << said.str() << text;
        return said.str();
    }

private:
    sgemm_test::TemporaryFolder folder_;
};

TEST_P(PtxAssembly, DefaultsFitInRegisters) {
    for (const std::string& text : texts(entry().defaults())) {
        const std::string report = assemble(text);
        EXPECT_NE(report.find(" 0 bytes spill stores, 0 bytes spill loads"), std::string::npos)
            << report;
    }
}

TEST_P(PtxAssembly, OtherParameters) {
    const auto device = sgemm_test::fake_nvidia_device();
    const auto sets = sgemm_test::draw_parameters(entry(), device, 8, 3);
    ASSERT_GE(sets.size(), 3U);
    for (const Parameters& parameters : sets) {
        SCOPED_TRACE(parameters.to_string());
        const std::string report = assemble(texts(parameters).back());
        const std::int64_t bytes = entry().tile(parameters).local_memory_bytes;
        EXPECT_EQ(report.find(std::to_string(bytes) + " bytes smem") != std::string::npos,
                  bytes > 0)
            << "the catalogue says " << bytes << ": " << report;
    }
}

TEST_P(PtxAssembly, WithCountersInPlaceOfStores) {
    const auto parameters = sgemm_test::small_parameters(entry(), sgemm_test::fake_nvidia_device());
    for (const std::string& text : texts(parameters)) {
        const std::string counting = sgemm_test::with_store_counters(text);
        EXPECT_EQ(counting.find("st.global"), std::string::npos);
        EXPECT_NE(counting.find("red.global.add.u32"), std::string::npos);
        assemble(counting);
    }
}

INSTANTIATE_TEST_SUITE_P(Kernels, PtxAssembly,
                         ::testing::Range(std::size_t{0}, catalog::ptx_entries().size()),
                         [](const auto& test) {
                             return std::string(catalog::ptx_entries()[test.param].name);
                         });

} // namespace
} // namespace libsgemm::compile
