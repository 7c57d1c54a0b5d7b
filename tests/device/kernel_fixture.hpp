// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/kernel_catalog.hpp"
#include "sgemm/kernels.hpp"
#include "support/case.hpp"
#include "support/kernel_variants.hpp"
#include "support/storage.hpp"
#include "support/test_device.hpp"

#include <gtest/gtest.h>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace sgemm_test {

/// Names of the catalogue's kernels, as the public API lists them, without those before which
/// passes split operands: these have plans of their own (device/emulated_test.cpp).
inline std::vector<std::string> kernel_names() {
    std::vector<std::string> names;
    for (const libsgemm::KernelInfo& kernel : libsgemm::kernels()) {
        const auto* entry = libsgemm::catalog::kernel_catalog().find(kernel.name);
        if (entry == nullptr || !libsgemm::catalog::is_of<libsgemm::catalog::Emulated>(*entry)) {
            names.push_back(kernel.name);
        }
    }
    return names;
}

/// Names of those whose catalogue entry has a feature. A test of the feature runs for them alone.
template <class Has>
std::vector<std::string> kernel_names_with(Has has) {
    std::vector<std::string> names;
    for (const std::string& name : kernel_names()) {
        const auto* entry = libsgemm::catalog::kernel_catalog().find(name);
        if (entry != nullptr && has(*entry)) {
            names.push_back(name);
        }
    }
    return names;
}
inline bool has_selectable_edges(const libsgemm::catalog::KernelEntry& entry) {
    return entry.edges == libsgemm::catalog::Edges::selectable;
}
/// FP32 emulation without tensor cores, which takes long over each product: fewer of them, and
/// smaller ones, must do.
inline bool is_ordinary_code(const libsgemm::catalog::Parameters& parameters) {
    return parameters.get_or("units", 1) == 0;
}
inline bool is_strict(const libsgemm::catalog::KernelEntry& entry) {
    return entry.precision == libsgemm::Precision::strict;
}
inline bool can_split_k(const libsgemm::catalog::KernelEntry& entry) {
    return entry.split_k != libsgemm::catalog::SplitK::none;
}

/// Spreads over cases what matters besides form and extents.
inline void vary(Case& c, std::mt19937_64& engine) {
    const auto pick = [&](const auto& choices) {
        return choices.begin()[engine() % choices.size()];
    };
    const std::initializer_list<std::int64_t> gaps = {0, 1, 4, 8};
    const std::initializer_list<std::int64_t> offsets = {0, 5, 16, 64};
    spread(c.problem, {pick(gaps), pick(gaps), pick(gaps)});
    c.offset_a = pick(offsets);
    c.offset_b = pick(offsets);
    c.offset_c = pick(offsets);
    c.alpha = pick(std::initializer_list<float>{1.0F, -1.0F, 0.75F});
    c.beta = pick(std::initializer_list<float>{0.0F, 1.0F, -1.0F, 1.25F});
    c.seed = engine() % 1000000;
}

/// A test that runs once for each kernel of the catalogue.
class KernelTest : public DeviceTest, public ::testing::WithParamInterface<std::string> {
protected:
    void SetUp() override {
        DeviceTest::SetUp();
        if (IsSkipped() || HasFatalFailure()) {
            return;
        }
        entry_ = libsgemm::catalog::kernel_catalog().find(GetParam());
        ASSERT_NE(entry_, nullptr) << "listed by kernels() but not in the catalogue";
        parameters_ = remembered_small_parameters();
    }

    const libsgemm::catalog::KernelEntry& entry() const { return *entry_; }
    /// The small set of parameters that most tests use.
    const libsgemm::catalog::Parameters& parameters() const { return parameters_; }
    libsgemm::catalog::TileShape tile() const { return entry_->tile(parameters_); }

    /// Extents that take two tiles each way, the second one in part.
    Extents ragged() const {
        const libsgemm::catalog::TileShape t = tile();
        return {t.m + t.m / 2 + 1, t.n + t.n / 2 + 1, t.k + t.k / 2 + 1};
    }
    /// Extents that are whole tiles.
    Extents whole() const {
        const libsgemm::catalog::TileShape t = tile();
        return {2 * t.m, 3 * t.n, 2 * t.k};
    }
    Case make_case(const Extents& extents, const Form& form) const {
        Case result = plain_case(extents.m, extents.n, tile().some_k(extents.k));
        set_form(result, form);
        result.options = forced(entry(), parameters());
        return result;
    }

    bool is_slow() const { return is_ordinary_code(parameters()); }

    /// True for a kernel that this device cannot run: then forcing it must be refused, with
    /// reasons.
    bool refused() const {
        if (libsgemm::kernel_obstacles(GetParam(), device().handle().traits).empty()) {
            return false;
        }
        const Case c = make_case(ragged(), all_forms()[0]);
        EXPECT_THROW(library().plan(c.problem, c.options), libsgemm::UnsupportedError);
        return true;
    }

private:
    /// The search takes longer than many a test.
    const libsgemm::catalog::Parameters& remembered_small_parameters() const {
        static std::map<std::string, libsgemm::catalog::Parameters> known;
        const auto [position, is_new] = known.try_emplace(GetParam());
        if (is_new) {
            position->second = small_parameters(*entry_, device().handle().traits);
        }
        return position->second;
    }

    const libsgemm::catalog::KernelEntry* entry_ = nullptr;
    libsgemm::catalog::Parameters parameters_;
};

inline bool packs_by_choice(const libsgemm::catalog::KernelEntry& entry) {
    const auto* packed = std::get_if<libsgemm::catalog::Packed>(&entry.family);
    return packed != nullptr && packed->a_by_choice;
}
inline bool can_extend_tiles(const libsgemm::catalog::KernelEntry& entry) {
    return takes(entry, libsgemm::EdgeStrategy::extension);
}

/// The small parameters, changed until tiles can be extended by as much as there is.
inline libsgemm::catalog::Parameters extensible(const libsgemm::catalog::KernelEntry& entry,
                                                libsgemm::catalog::Parameters parameters) {
    for (const char* name : {"local_a", "local_b", "unroll_k"}) { // little unrolled: quickly built
        if (entry.find_parameter(name) != nullptr) {
            parameters.set(name, 1);
        }
    }
    while (tiled_of(entry)->extension_bytes(parameters, 8, 8) < 0 && parameters["tile_m"] < 256) {
        parameters.set("tile_m", 2 * parameters["tile_m"]);
    }
    return parameters;
}

/// The kernel's name, and what tests/registration.cmake groups tests by: the devices that the
/// kernel is made for, and whether it emulates.
inline std::string kernel_test_name(const ::testing::TestParamInfo<std::string>& info) {
    const auto* entry = libsgemm::catalog::kernel_catalog().find(info.param);
    if (entry == nullptr) {
        return info.param;
    }
    const auto type = entry->device_type.value_or(libsgemm::DeviceType::other);
    return info.param + (type == libsgemm::DeviceType::cpu   ? "_for_cpus"
                         : type == libsgemm::DeviceType::gpu ? "_for_gpus"
                         : is_strict(*entry)                 ? ""
                                                             : "_by_emulation");
}

} // namespace sgemm_test

/// Instantiates a suite for every kernel there is: a new catalogue entry is tested by being there.
#define SGEMM_FOR_EVERY_KERNEL(suite)                                                              \
    INSTANTIATE_TEST_SUITE_P(Kernels, suite, ::testing::ValuesIn(::sgemm_test::kernel_names()),    \
                             ::sgemm_test::kernel_test_name)
/// The same for the kernels whose entry has a feature: `has` is a predicate of KernelEntry.
#define SGEMM_FOR_KERNELS_WITH(has, suite)                                                         \
    INSTANTIATE_TEST_SUITE_P(Kernels, suite,                                                       \
                             ::testing::ValuesIn(::sgemm_test::kernel_names_with(has)),            \
                             ::sgemm_test::kernel_test_name)
