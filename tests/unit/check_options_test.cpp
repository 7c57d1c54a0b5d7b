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
    std::function<void(PlanOptions&)> spoil;
};

TEST(CheckOptions, NamesWhatIsWrong) {
    const BadOption bad[] = {
        {"kernel", "none", [](PlanOptions& o) { o.kernel = "none"; }},
        {"parameters", "tile_m", [](PlanOptions& o) { o.parameters["tile_m"] = 8; }},
        {"parameters", "none",
         [](PlanOptions& o) {
             o.kernel = "tiled";
             o.parameters["none"] = 8;
         }},
        {"edges", "6", [](PlanOptions& o) { o.edges = static_cast<EdgeStrategy>(6); }},
        {"pre_passes", "3", [](PlanOptions& o) { o.pre_passes = static_cast<PrePassStyle>(3); }},
        {"slice_sum", "3", [](PlanOptions& o) { o.slice_sum = static_cast<SliceSum>(3); }},
        {"relay", "5", [](PlanOptions& o) { o.relay = static_cast<Relay>(5); }},
        {"peel", "255", [](PlanOptions& o) { o.peel = static_cast<Peel>(255); }},
        {"split_k", "-1", [](PlanOptions& o) { o.split_k = -1; }},
        {"split_k", "1025", [](PlanOptions& o) { o.split_k = 1025; }},
        {"parts_m", "65", [](PlanOptions& o) { o.parts_m = 65; }},
        {"parts_n", "-2", [](PlanOptions& o) { o.parts_n = -2; }},
        {"parts_k", "65", [](PlanOptions& o) { o.parts_k = 65; }},
        {"offset_alignment", "0", [](PlanOptions& o) { o.offset_alignment = 0; }},
        {"offset_alignment", "12", [](PlanOptions& o) { o.offset_alignment = 12; }},
    };
    for (const BadOption& option : bad) {
        PlanOptions options;
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
    PlanOptions options;
    options.kernel = "tiled";
    options.parameters["tile_m"] = 8;
    options.edges = EdgeStrategy::extension;
    options.pre_passes = PrePassStyle::separate;
    options.slice_sum = SliceSum::in_launch;
    options.relay = Relay::only_b;
    options.peel = Peel::always;
    options.split_k = 1024;
    options.parts_m = options.parts_n = options.parts_k = 64;
    EXPECT_NO_THROW(check_options(options, catalog::kernel_catalog()));
}

} // namespace
} // namespace libsgemm::planning
