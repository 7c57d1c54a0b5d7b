// SPDX-License-Identifier: Apache-2.0
#include "plan/check_options.hpp"
#include "sgemm/error.hpp"

#include <functional>
#include <gtest/gtest.h>

namespace libsgemm::planning {
namespace {

struct BadOption {
    const char* argument;
    const char* value;
    std::function<void(ExpertPlanOptions&)> spoil;
};

TEST(CheckOptions, NamesWhatIsWrong) {
    const BadOption bad[] = {
        {"kernel", "none", [](ExpertPlanOptions& o) { o.kernel = "none"; }},
        {"parameters", "tile_m", [](ExpertPlanOptions& o) { o.parameters["tile_m"] = 8; }},
        {"parameters", "none",
         [](ExpertPlanOptions& o) {
             o.kernel = "tiled";
             o.parameters["none"] = 8;
         }},
        {"edges", "6", [](ExpertPlanOptions& o) { o.edges = static_cast<EdgeStrategy>(6); }},
        {"pre_passes", "3",
         [](ExpertPlanOptions& o) { o.pre_passes = static_cast<PrePassStyle>(3); }},
        {"reduction", "3",
         [](ExpertPlanOptions& o) { o.reduction = static_cast<SplitKReduction>(3); }},
        {"repack", "5", [](ExpertPlanOptions& o) { o.repack = static_cast<Repack>(5); }},
        {"peeling", "255", [](ExpertPlanOptions& o) { o.peeling = static_cast<Peeling>(255); }},
        {"split_k", "-1", [](ExpertPlanOptions& o) { o.split_k = -1; }},
        {"split_k", "1025", [](ExpertPlanOptions& o) { o.split_k = 1025; }},
        {"parts_m", "65", [](ExpertPlanOptions& o) { o.parts_m = 65; }},
        {"parts_n", "-2", [](ExpertPlanOptions& o) { o.parts_n = -2; }},
        {"parts_k", "65", [](ExpertPlanOptions& o) { o.parts_k = 65; }},
        {"offset_alignment", "0", [](ExpertPlanOptions& o) { o.offset_alignment = 0; }},
        {"offset_alignment", "12", [](ExpertPlanOptions& o) { o.offset_alignment = 12; }},
    };
    for (const BadOption& option : bad) {
        ExpertPlanOptions options;
        option.spoil(options);
        try {
            check_options(options, catalog::kernel_catalog());
            ADD_FAILURE() << option.argument << " of " << option.value << " is accepted";
        } catch (const ArgumentError& error) {
            EXPECT_EQ(error.argument(), option.argument);
            EXPECT_EQ(error.value(), option.value);
        }
    }
}

TEST(CheckOptions, TakesTheLastOfEachEnumeration) {
    ExpertPlanOptions options;
    options.kernel = "tiled";
    options.parameters["tile_m"] = 8;
    options.edges = EdgeStrategy::extension;
    options.pre_passes = PrePassStyle::separate;
    options.reduction = SplitKReduction::fused;
    options.repack = Repack::only_b;
    options.peeling = Peeling::always;
    options.split_k = 1024;
    options.parts_m = options.parts_n = options.parts_k = 64;
    EXPECT_NO_THROW(check_options(options, catalog::kernel_catalog()));
}

} // namespace
} // namespace libsgemm::planning
