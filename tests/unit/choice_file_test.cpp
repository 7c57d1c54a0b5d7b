// SPDX-License-Identifier: Apache-2.0
// What timing at first use found is kept in a file of its own, for the table that it was found
// with, and nothing else is.
#include "sgemm/error.hpp"
#include "support/atomic_file.hpp"
#include "support/environment_variable.hpp"
#include "support/fake_device.hpp"
#include "support/temporary_folder.hpp"
#include "tables/choices.hpp"

#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace libsgemm::tables {
namespace {

namespace fs = std::filesystem;

class ChoiceFiles : public ::testing::Test {
protected:
    ChoiceFile own(const std::string& table = "key") const {
        return {choices_path(device_), false, table};
    }
    ChoiceFile named(const std::string& table = "key") const {
        return {folder_ / "choices.toml", true, table};
    }
    void save(const ChoiceFile& file, const std::string& problems, const std::string& plan) {
        save_choice(file, {problems, {plan}}, complaint_);
    }
    /// "problems: plan" of each.
    std::vector<std::string> read(const ChoiceFile& file) {
        std::vector<std::string> texts;
        for (const Choice& choice : read_choices(file, complaint_)) {
            texts.push_back(choice.problems + ": " + choice.plan.kernel);
        }
        return texts;
    }
    static std::string text_of(const ChoiceFile& file) {
        return support::read_file(file.path).value_or("");
    }

    const DeviceTraits device_ = sgemm_test::fake_cpu_with_512_bits("intel");
    const sgemm_test::TemporaryFolder folder_;
    const sgemm_test::EnvironmentVariable data_{"XDG_DATA_HOME", folder_.path()};
    std::string complaint_;
};

using Texts = std::vector<std::string>;

TEST_F(ChoiceFiles, LieBesideTheUsersTable) {
    EXPECT_EQ(choices_path(device_),
              folder_.path() + "/sgemm/tables/fake-device-9000.choices.toml");
}

TEST_F(ChoiceFiles, KeepTheLastPlanOfEachClassOfProblems) {
    EXPECT_EQ(read(own()), Texts{});
    save(own(), "NN 1x1x1", "first \"quoted\"");
    save(own(), "NN 2x2x2", "other");
    save(own(), "NN 1x1x1", "second");
    EXPECT_EQ(read(own()), (Texts{"NN 2x2x2: other", "NN 1x1x1: second"}));
    EXPECT_EQ(complaint_, "");
}

TEST_F(ChoiceFiles, TellTablesApart) {
    save(own("one"), "NN", "of one");
    save(own("two"), "NN", "of two");
    EXPECT_EQ(read(own("one")), Texts{"NN: of one"});
    EXPECT_EQ(read(own("two")), Texts{"NN: of two"});
    EXPECT_EQ(read(own("three")), Texts{});
}

TEST_F(ChoiceFiles, HoldNoMachineAndNoRows) {
    save(own(), "NN", "plan");
    const DeviceTable kept = parse_table(text_of(own()), "kept");
    EXPECT_TRUE(kept.rows.empty());
    EXPECT_EQ(kept.rows_from, "");
    EXPECT_DOUBLE_EQ(kept.machine.bandwidth, MachineModel().bandwidth);
    EXPECT_EQ(text_of(own()).find("machine"), std::string::npos);
    ASSERT_EQ(kept.choices.size(), 1U);
    EXPECT_EQ(kept.choices[0].table, "key");
}

TEST_F(ChoiceFiles, KeepAllThatTellsPlansApart) {
    const auto expect_kept = [&](const catalog::PlanKey& plan) {
        save_choice(own(), {"NN", plan}, complaint_);
        const auto choices = read_choices(own(), complaint_);
        ASSERT_EQ(choices.size(), 1U);
        EXPECT_EQ(choices[0].plan, plan) << text_of(own());
    };
    catalog::PlanKey plan{"tiled", catalog::Parameters({{"tile_m", 64}, {"x \"y\"", 0}})};
    expect_kept(plan);
    for (const EdgeStrategy edges : {EdgeStrategy::padding, EdgeStrategy::guarded,
                                     EdgeStrategy::pointer_shift, EdgeStrategy::extension}) {
        plan.variant.edges = edges;
        expect_kept(plan);
    }
    for (const catalog::VariantFlag& flag : catalog::variant_flags) {
        plan.variant.*flag.value = true;
        expect_kept(plan);
    }
    plan.variant.split_k = 1024;
    plan.variant.pre_passes = PrePassStyle::separate;
    plan.variant.parts = {0, 1, 64};
    expect_kept(plan);
    EXPECT_EQ(complaint_, "");
}

TEST_F(ChoiceFiles, KeepWhatWasMeasuredOfOneProblem) {
    Choice choice;
    choice.problem = ExactProblem{true, false, 7, 12769, 4425, {4425, 4425, 8}, {1, 1, 8}};
    choice.plan = {"tiled", catalog::Parameters({{"tile_m", 64}}), {.split_k = 4}};
    choice.source = "0123456789abcdef";
    choice.seconds = 139e-6;
    choice.runner_up = "packed (mr=\"8\")";
    choice.runner_up_seconds = 0.1503;
    const auto kept = parse_table(choice_text(choice), "kept").choices;
    ASSERT_EQ(kept.size(), 1U);
    EXPECT_EQ(kept[0].problem, choice.problem);
    EXPECT_EQ(kept[0].plan, choice.plan);
    EXPECT_EQ(kept[0].source, choice.source);
    EXPECT_NEAR(kept[0].seconds, choice.seconds, 1e-9);
    EXPECT_EQ(kept[0].runner_up, choice.runner_up);
    EXPECT_NEAR(kept[0].runner_up_seconds, choice.runner_up_seconds, 1e-9);
}

/// A sub-device, or a CPU with fewer threads, has the name of the whole.
TEST_F(ChoiceFiles, TellDevicesApartWhereOneProblemWasMeasured) {
    DeviceTraits half = device_;
    half.compute_units /= 2;
    const ChoiceFile whole{named().path, true, "key", device_key(device_)};
    const ChoiceFile part{named().path, true, "another key", device_key(half)};
    Choice choice;
    choice.problem = ExactProblem{false, false, 1, 2, 3, {1, 3, 1}, {1, 1, 1}};
    for (const char* plan : {"older", "newer"}) {
        choice.plan = {plan};
        save_choice(part, choice, complaint_);
    }
    EXPECT_EQ(read(part), Texts{": newer"});
    EXPECT_EQ(read(whole), Texts{});
    choice.plan = {"of the whole"};
    save_choice(whole, choice, complaint_);
    EXPECT_EQ(read(whole), Texts{": of the whole"});
    EXPECT_EQ(read(part), Texts{": newer"});
    EXPECT_EQ(complaint_, "");

    EXPECT_NE(device_key(device_), device_key(half));
    DeviceTraits other = device_;
    other.driver_version += " updated";
    EXPECT_NE(device_key(device_), device_key(other));
    other = device_;
    other.name += " Ti";
    EXPECT_NE(device_key(device_), device_key(other));
}

TEST_F(ChoiceFiles, OfATableCountOnTheDeviceThatTheyName) {
    const auto choices_with = [&](const std::string& device) {
        support::replace_file(named().path, "rows_from = \"cpu-512bit.toml\"\n[[choice]]\n"
                                            "problem = { op = \"NT\", extents = [1, 2, 3] }\n" +
                                                device +
                                                "plan = { kernel = \"k\", edges = \"guarded\" }\n");
        return load_table(named().path, device_, catalog::kernel_catalog(), complaint_)
            .choices.size();
    };
    EXPECT_EQ(choices_with(""), 1U) << "any";
    EXPECT_EQ(choices_with("device = \"" + device_key(device_) + "\"\n"), 1U);
    EXPECT_EQ(choices_with("device = \"another\"\n"), 0U);
    EXPECT_EQ(complaint_, "");
}

TEST_F(ChoiceFiles, LoseWhatHasChangedWhenTheyAreWritten) {
    Choice choice{"NN", {std::string(catalog::kernel_catalog().naive().name)}};
    choice.source = catalog::kernel_catalog().short_source_hash(choice.plan.kernel);
    support::replace_file(named().path, choice_text(choice));
    choice.problems = "NT";
    choice.source = "0000000000000000";
    support::replace_file(named().path, text_of(named()) + choice_text(choice));
    EXPECT_EQ(read(named()).size(), 2U);
    save(named(), "TT", "new");
    EXPECT_EQ(read(named()), (Texts{"NN: " + choice.plan.kernel, "TT: new"}));
    EXPECT_EQ(text_of(named()).find("0000000000000000"), std::string::npos);
}

TEST_F(ChoiceFiles, SayWhereAProblemMakesNoSense) {
    const auto parse = [](const std::string& problem) {
        return parse_table("[[choice]]\nproblem = { " + problem +
                               " }\nplan = { kernel = \"k\", edges = \"guarded\" }\n",
                           "t.toml");
    };
    EXPECT_EQ(parse("op = \"NT\", extents = [1, 2, 3]").choices.size(), 1U);
    EXPECT_THROW(parse("op = \"XX\", extents = [1, 2, 3]"), ConfigurationError);
    EXPECT_THROW(parse("op = \"NT\", extents = [1, 2]"), ConfigurationError);
    EXPECT_THROW(parse("op = \"NT\", extents = [1, 2, -3]"), ConfigurationError);
    EXPECT_THROW(parse("op = \"NT\", extents = [1, 2, 3], colour = 1"), ConfigurationError);
}

TEST_F(ChoiceFiles, LoseWhatWasMeasuredWithAnotherSource) {
    const auto& catalog = catalog::kernel_catalog();
    const std::string kernel(catalog.naive().name);
    std::vector<Choice> choices;
    const auto drop = [&] {
        return drop_stale_choices(choices, "mine.toml", "the remedy", catalog);
    };
    Choice choice{"NN", {kernel}};
    choices.push_back(choice); // of any
    choice.source = catalog.short_source_hash(kernel);
    choices.push_back(choice);
    EXPECT_EQ(drop(), "");
    EXPECT_EQ(choices.size(), 2U);
    choice.source = "0000000000000000";
    choices.push_back(choice);
    choices.push_back({"NN", {"a kernel of old"}, {}, {}, "0123456789abcdef"});
    const std::string words = drop();
    EXPECT_EQ(choices.size(), 2U);
    EXPECT_NE(words.find("mine.toml: " + kernel), std::string::npos) << words;
    EXPECT_NE(words.find("a kernel of old"), std::string::npos) << words;
    EXPECT_NE(words.find("the remedy measures again"), std::string::npos) << words;
}

TEST_F(ChoiceFiles, OfEarlierVersionsLoseTheirMachineAndWhatNamesAPlanInWords) {
    support::replace_file(named().path, "description = \"X, this machine's own\"\n"
                                        "rows_from = \"cpu-512bit.toml\"\n"
                                        "[[choice]]\nproblems = \"NN\"\nplan = \"in words\"\n"
                                        "[machine]\nbandwidth_gbs = 4.4\n"
                                        "[[choice]]\nproblems = \"NT\"\n"
                                        "plan = { kernel = \"kept\", edges = \"guarded\" }\n");
    EXPECT_EQ(read(named()), Texts{"NT: kept"});
    save(named(), "NN", "new");
    EXPECT_EQ(read(named()), (Texts{"NT: kept", "NN: new"}));
    EXPECT_EQ(text_of(named()).find("machine]"), std::string::npos);
    EXPECT_EQ(complaint_, "");
}

TEST_F(ChoiceFiles, ThatAreTablesStay) {
    for (const char* text : {"[[kernel]]\nname = \"packed\"\n", "[provenance]\ndate = \"x\"\n",
                             "[[disabled]]\nkernel = \"packed\"\nreason = \"r\"\n"}) {
        support::replace_file(named().path, text);
        EXPECT_THROW(save(named(), "NN", "plan"), ConfigurationError);
        EXPECT_EQ(text_of(named()), text);
    }
}

TEST_F(ChoiceFiles, ThatAreDamagedAreMovedAsideAndMadeAgain) {
    fs::create_directories(fs::path(own().path).parent_path());
    support::replace_file(own().path, "ld_period = 1.024,5");
    EXPECT_EQ(read(own()), Texts{});
    EXPECT_NE(complaint_.find(own().path + ":1:"), std::string::npos) << complaint_;
    EXPECT_NE(complaint_.find(own().path + ".damaged"), std::string::npos) << complaint_;
    EXPECT_EQ(support::read_file(own().path + ".damaged"), "ld_period = 1.024,5");
    complaint_.clear();
    EXPECT_EQ(read(own()), Texts{});
    EXPECT_EQ(complaint_, "") << "no error for ever";

    support::replace_file(own().path, "damaged again");
    save(own(), "NN", "plan");
    EXPECT_NE(complaint_.find(own().path + ".damaged"), std::string::npos) << complaint_;
    EXPECT_EQ(support::read_file(own().path + ".damaged"), "damaged again");
    EXPECT_EQ(read(own()), Texts{"NN: plan"});
}

TEST_F(ChoiceFiles, ThatAProgramNamedAreReportedAndStay) {
    support::replace_file(named().path, "a text of somebody's");
    EXPECT_EQ(read(named()), Texts{});
    EXPECT_NE(complaint_.find(named().path + ":1:"), std::string::npos) << complaint_;
    EXPECT_THROW(save(named(), "NN", "plan"), ConfigurationError);
    EXPECT_EQ(text_of(named()), "a text of somebody's");
}

TEST_F(ChoiceFiles, DoNotGrowForEver) {
    std::string many;
    for (int i = 0; i < 4096; ++i) {
        many += "[[choice]]\nproblems = \"" + std::to_string(i) +
                "\"\nplan = { kernel = \"p\", edges = \"padding\" }\n";
    }
    support::replace_file(named().path, many);
    save(named(), "NN", "plan");
    const Texts kept = read(named());
    EXPECT_EQ(kept.size(), 4096U);
    EXPECT_EQ(kept.front(), "1: p") << "the oldest goes";
    EXPECT_EQ(kept.back(), "NN: plan");
}

TEST_F(ChoiceFiles, KeysAreOfAllThatPlansDependOn) {
    const auto& catalog = catalog::kernel_catalog();
    const DeviceTable table = built_in_table(device_);
    const std::string key = table_key(table, device_, catalog);
    EXPECT_EQ(table_key(built_in_table(device_), device_, catalog), key);
    DeviceTable other = table;
    other.machine.bandwidth *= 1.1;
    EXPECT_NE(table_key(other, device_, catalog), key);
    other = table;
    other.rows.pop_back();
    EXPECT_NE(table_key(other, device_, catalog), key);
    other = table;
    other.rows[0].model.efficiency *= 1.1;
    EXPECT_NE(table_key(other, device_, catalog), key);
    DeviceTraits updated = device_;
    updated.driver_version += " updated";
    EXPECT_NE(table_key(table, updated, catalog), key);
    EXPECT_NE(table_key(table, device_, catalog::KernelCatalog({catalog.naive()})), key)
        << "other kernels";
}

} // namespace
} // namespace libsgemm::tables
