// SPDX-License-Identifier: Apache-2.0
// What planner, tuner, bench and tests take for granted of every catalogue entry.
#include "catalog/kernel_catalog.hpp"
#include "catalog/passes.hpp"
#include "catalog/sources.hpp"
#include "compile/ptx/source.hpp"
#include "sgemm/error.hpp"
#include "sgemm/kernels.hpp"
#include "support/fake_device.hpp"
#include "support/kernel_variants.hpp"

#include <algorithm>
#include <cctype>
#include <gtest/gtest.h>
#include <set>
#include <string>

namespace libsgemm::catalog {
namespace {

using sgemm_test::fake_device;

/// Whether a source says `word`, not merely as part of a longer one.
bool mentions(std::string_view text, std::string_view word) {
    const auto is_word = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    };
    for (std::size_t at = text.find(word); at != std::string_view::npos;
         at = text.find(word, at + 1)) {
        const bool starts = at == 0 || !is_word(text[at - 1]);
        const bool ends = at + word.size() == text.size() || !is_word(text[at + word.size()]);
        if (starts && ends) {
            return true;
        }
    }
    return false;
}

TEST(KernelCatalog, StartsWithAKernelForAnySizeAndStorage) {
    const KernelEntry& naive = kernel_catalog().naive();
    EXPECT_EQ(&naive, &kernel_catalog().entries().front());
    EXPECT_EQ(naive.edges, Edges::any_size);
    EXPECT_EQ(naive.a, Accepts::either);
    EXPECT_EQ(naive.b, Accepts::either);
    EXPECT_TRUE(naive.needs.empty());
    EXPECT_EQ(naive.tile(naive.defaults()).local_memory_bytes, 0);
}

TEST(KernelCatalog, NaiveRunsOnTheSmallestDevices) {
    DeviceTraits tiny; // one work-item, no local memory
    const KernelEntry& naive = kernel_catalog().naive();
    Parameters parameters = naive.defaults();
    for (const ParameterSpec& spec : naive.parameters) {
        parameters.set(spec.name, spec.values.front());
    }
    EXPECT_EQ(obstacles(naive, parameters, tiny), std::vector<std::string>{});
}

TEST(KernelCatalog, NamesAreUniqueAndFindable) {
    std::set<std::string_view> names;
    for (const KernelEntry& entry : kernel_catalog().entries()) {
        EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
        EXPECT_EQ(kernel_catalog().find(entry.name), &entry);
    }
    EXPECT_EQ(kernel_catalog().find("no such kernel"), nullptr);
    EXPECT_EQ(kernel_catalog().find(""), nullptr);
}

TEST(KernelCatalog, HoldsTheTenStepsOfTheProgression) {
    EXPECT_EQ(progression_entries().size(), 10U);
    for (const KernelEntry& step : progression_entries()) {
        EXPECT_NE(kernel_catalog().find(step.name), nullptr) << step.name;
    }
}

TEST(KernelCatalog, PtxNeedsAnNvidiaDeviceOfItsTarget) {
    ASSERT_EQ(ptx_entries().size(), 6U);
    DeviceTraits older = sgemm_test::fake_nvidia_device();
    older.compute_capability = 61;
    for (const KernelEntry& step : ptx_entries()) {
        EXPECT_NE(kernel_catalog().find(step.name), nullptr) << step.name;
        for (const DeviceTraits& device : {fake_device(), older}) {
            const auto found = obstacles(step, step.defaults(), device);
            ASSERT_EQ(found.size(), 1U) << step.name;
            EXPECT_NE(found.front().find("compute capability 7.0"), std::string::npos);
        }
    }
}

TEST(KernelCatalog, PublicListingMatches) {
    const std::vector<KernelInfo> infos = kernels();
    std::vector<KernelEntry> entries = kernel_catalog().entries();
    entries.insert(entries.end(), kernel_catalog().schemes().begin(),
                   kernel_catalog().schemes().end());
    ASSERT_EQ(infos.size(), entries.size());
    for (std::size_t i = 0; i < infos.size(); ++i) {
        EXPECT_EQ(infos[i].name, entries[i].name);
        EXPECT_EQ(infos[i].parameters.size(), entries[i].parameters.size());
        EXPECT_EQ(infos[i].constraints.size(), entries[i].constraints.size());
        EXPECT_EQ(infos[i].source_hash.size(), 64U) << "SHA-256 in hexadecimal";
        EXPECT_FALSE(infos[i].summary.empty());
    }
}

/// Kernels in PTX need a device that loads it.
DeviceTraits suitable_device(const KernelEntry& entry) {
    return compile::is_ptx(entry.source) ? sgemm_test::fake_nvidia_device() : fake_device();
}

class EveryKernel : public ::testing::TestWithParam<std::size_t> {
protected:
    const KernelEntry& entry() const { return kernel_catalog().entries()[GetParam()]; }
    std::string_view source() const {
        const auto* found = catalog::find_source(entry().source);
        return found == nullptr ? std::string_view() : found->text;
    }
    /// One that has what the kernel needs.
    DeviceTraits suitable_device() const { return libsgemm::catalog::suitable_device(entry()); }
};

TEST_P(EveryKernel, SourceIsEmbeddedAndDefinesTheFunction) {
    ASSERT_FALSE(source().empty()) << entry().source;
    EXPECT_TRUE(mentions(source(), entry().function)) << entry().function;
}

TEST_P(EveryKernel, SourceUsesAndChecksEveryDefine) {
    for (const ParameterSpec& spec : entry().parameters) {
        if (spec.define.empty()) {
            continue; // not the program's
        }
        EXPECT_TRUE(mentions(source(), spec.define)) << spec.define;
        EXPECT_NE(source().find("!defined(" + std::string(spec.define) + ")"),
                  std::string_view::npos)
            << "a missing " << spec.define << " must be an #error";
    }
}

TEST_P(EveryKernel, DefaultsKeepTheirOwnConstraints) {
    const Parameters defaults = entry().defaults();
    for (const Constraint& constraint : entry().constraints) {
        EXPECT_TRUE(constraint.holds(defaults)) << constraint.reason;
        EXPECT_FALSE(constraint.reason.empty());
    }
    EXPECT_EQ(obstacles(entry(), defaults, suitable_device()), std::vector<std::string>{});
}

TEST_P(EveryKernel, ParametersAreDescribedAndUnique) {
    std::set<std::string_view> names;
    std::set<std::string_view> defines;
    for (const ParameterSpec& spec : entry().parameters) {
        EXPECT_TRUE(names.insert(spec.name).second) << spec.name;
        EXPECT_TRUE(spec.define.empty() || defines.insert(spec.define).second) << spec.define;
        EXPECT_FALSE(spec.meaning.empty()) << spec.name;
        EXPECT_FALSE(spec.values.empty()) << spec.name;
        EXPECT_EQ(entry().find_parameter(spec.name), &spec);
    }
    EXPECT_EQ(entry().find_parameter("no_such_parameter"), nullptr);
}

TEST_P(EveryKernel, SearchValuesHoldSetsThatRun) {
    const auto sets = sgemm_test::draw_parameters(entry(), suitable_device(), 3, 7);
    EXPECT_FALSE(sets.empty());
    for (const Parameters& set : sets) {
        const TileShape tile = entry().tile(set);
        EXPECT_GT(tile.work_items(), 0) << set.to_string();
        EXPECT_LE(tile.work_items(), suitable_device().max_work_group_size) << set.to_string();
        EXPECT_LE(tile.local_memory_bytes, suitable_device().local_memory_bytes) << set.to_string();
        EXPECT_GE(std::min({tile.m, tile.n, tile.k}), 1) << set.to_string();
        EXPECT_GE(std::min({tile.alignment_a, tile.alignment_b, tile.alignment_c}), 1);
    }
}

TEST_P(EveryKernel, ImpossibleValuesAreObstaclesNotCrashes) {
    for (const ParameterSpec& spec : entry().parameters) {
        for (const int value : {-1, 0, 7, 1 << 20, std::numeric_limits<int>::max(),
                                std::numeric_limits<int>::min()}) {
            Parameters parameters = entry().defaults();
            parameters.set(spec.name, value);
            const auto found = obstacles(entry(), parameters, suitable_device());
            EXPECT_TRUE(value == 0 || value == 7 || !found.empty())
                << spec.name << '=' << value << " passed";
        }
    }
}

TEST_P(EveryKernel, MissingAndUnknownParametersAreObstacles) {
    Parameters extra = entry().defaults();
    extra.set("no_such_parameter", 1);
    EXPECT_FALSE(obstacles(entry(), extra, suitable_device()).empty());
    if (!entry().parameters.empty()) {
        EXPECT_FALSE(obstacles(entry(), Parameters(), suitable_device()).empty());
    }
}

TEST_P(EveryKernel, DeviceLimitsAreObstacles) {
    const TileShape tile = entry().tile(entry().defaults());
    DeviceTraits device = suitable_device();
    device.max_work_group_size = tile.work_items() - 1;
    EXPECT_FALSE(obstacles(entry(), entry().defaults(), device).empty());
    device = suitable_device();
    device.max_work_item_sizes[0] = tile.local[0] - 1;
    EXPECT_FALSE(obstacles(entry(), entry().defaults(), device).empty());
    device = suitable_device();
    device.local_memory_bytes = tile.local_memory_bytes / 2;
    EXPECT_EQ(obstacles(entry(), entry().defaults(), device).empty(), tile.local_memory_bytes == 0);
}

TEST_P(EveryKernel, DefinesHoldParametersAndStorage) {
    const Parameters defaults = entry().defaults();
    const Defines defines =
        main_kernel_defines(entry(), defaults, validate::Major::mn, validate::Major::k);
    const auto has = [&](std::string_view name, const std::string& value) {
        return std::any_of(defines.begin(), defines.end(), [&](const auto& define) {
            return define.first == name && define.second == value;
        });
    };
    std::size_t expected = entry().constants.size() + 2;
    for (const ParameterSpec& spec : entry().parameters) {
        EXPECT_EQ(has(spec.define, std::to_string(defaults[spec.name])), !spec.define.empty())
            << spec.name;
        expected += spec.define.empty() ? 0U : 1U;
    }
    EXPECT_TRUE(has("A_K_MAJOR", "0"));
    EXPECT_TRUE(has("B_K_MAJOR", "1"));
    const bool selectable = entry().edges == Edges::selectable;
    EXPECT_EQ(has("EDGES", "0"), selectable);
    const bool split_k = entry().split_k == SplitK::at_build;
    EXPECT_EQ(has("SPLIT_K", "1"), split_k);
    const auto* packed = std::get_if<Packed>(&entry().family);
    const bool by_choice = packed != nullptr && packed->a_by_choice;
    EXPECT_EQ(has("A_PACKED", "0"), by_choice);
    const bool has_steps = is_of<Flat>(entry());
    EXPECT_EQ(has("EXACT_K", "1"), has_steps);
    EXPECT_EQ(has("CHUNK", std::to_string(entry().tile(defaults).k)), has_steps);
    const Tiled* tiled = tiled_of(entry());
    const bool sums = tiled != nullptr && tiled->sums_in_launch != nullptr;
    EXPECT_EQ(has("SUM_IN_LAUNCH", "0"), sums);
    EXPECT_TRUE(!sums || entry().split_k != SplitK::none);
    const bool extensible = tiled != nullptr && tiled->extension_bytes != nullptr;
    EXPECT_EQ(has("EXTEND_M", "0") && has("EXTEND_N", "0"), extensible);
    EXPECT_EQ(defines.size(), expected + (selectable ? 1U : 0U) + (extensible ? 2U : 0U) +
                                  (split_k ? 1U : 0U) + (sums ? 1U : 0U) + (by_choice ? 1U : 0U) +
                                  (has_steps ? 2U : 0U));
}

INSTANTIATE_TEST_SUITE_P(Kernels, EveryKernel,
                         ::testing::Range(std::size_t{0}, kernel_catalog().entries().size()),
                         [](const auto& test) {
                             return std::string(kernel_catalog().entries()[test.param].name);
                         });

TEST(Passes, SuitEveryKindOfDevice) {
    std::vector<DeviceTraits> devices = {fake_device(DeviceType::cpu), fake_device(), {}};
    devices.push_back(fake_device());
    devices.back().max_work_group_size = 64;
    devices.back().max_work_item_sizes[0] = 16;
    devices.back().local_memory_bytes = 1024;
    for (const DeviceTraits& device : devices) {
        std::set<std::string_view> names;
        for (const PassEntry& pass : passes(device)) {
            EXPECT_TRUE(names.insert(pass.name).second);
            EXPECT_LE(pass.work_items(), device.max_work_group_size) << pass.name;
            EXPECT_LE(pass.local[0], device.max_work_item_sizes[0]) << pass.name;
            EXPECT_LE(pass.local[1], device.max_work_item_sizes[1]) << pass.name;
            EXPECT_LE(pass.local_memory_bytes, std::max<std::int64_t>(8, device.local_memory_bytes))
                << pass.name;
        }
    }
}

TEST(Passes, SourcesAreEmbeddedWithTheirDefines) {
    for (const PassEntry& pass : passes(fake_device())) {
        const auto* source = catalog::find_source(pass.source);
        ASSERT_NE(source, nullptr) << pass.source;
        EXPECT_TRUE(mentions(source->text, pass.function)) << pass.function;
        for (const auto& [name, value] : pass.defines) {
            EXPECT_TRUE(mentions(source->text, name)) << name;
        }
    }
}

TEST(Sources, AreOrderedHashedAndNameTheirFile) {
    const auto sources = catalog::embedded_sources();
    ASSERT_FALSE(sources.empty());
    EXPECT_TRUE(std::is_sorted(sources.begin(), sources.end(),
                               [](const auto& x, const auto& y) { return x.path < y.path; }));
    std::set<std::string_view> hashes;
    for (const auto& source : sources) {
        EXPECT_TRUE(hashes.insert(source.hash).second) << source.path;
        EXPECT_NE(source.text.find("#line"), std::string_view::npos) << source.path;
        EXPECT_NE(source.text.find(source.path), std::string_view::npos) << source.path;
    }
}

TEST(KernelObstacles, ArePublicWithReasons) {
    DeviceTraits device = fake_device();
    device.max_work_group_size = 0;
    const auto roomy = [](DeviceTraits traits) { // as GPUs of compute capability 9.0 are
        traits.local_memory_bytes = std::int64_t{227} * 1024;
        return traits;
    };
    for (const KernelInfo& info : kernels()) {
        EXPECT_EQ(kernel_obstacles(info.name, roomy(fake_device())).empty(),
                  !compile::is_ptx(info.source))
            << info.name;
        EXPECT_TRUE(kernel_obstacles(info.name, roomy(sgemm_test::fake_nvidia_device())).empty())
            << info.name;
    }
    EXPECT_FALSE(kernel_obstacles(kernels().back().name, device).empty());
    EXPECT_THROW(kernel_obstacles("no such kernel", device), ArgumentError);
}

} // namespace
} // namespace libsgemm::catalog
