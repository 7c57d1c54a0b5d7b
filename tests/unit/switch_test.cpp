// SPDX-License-Identifier: Apache-2.0
// Variables that turn something on or off all understand the same words.
#include "sgemm/error.hpp"
#include "support/environment_variable.hpp"
#include "support/log.hpp"
#include "support/text.hpp"

#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <utility>

namespace sgemm_test {
namespace {

using libsgemm::support::environment_switch;
using libsgemm::support::parse_switch;

TEST(Switch, KnowsTheWordsOfEitherCase) {
    for (const char* on : {"1", "on", "On", "YES", "true"}) {
        EXPECT_EQ(parse_switch(on), true) << on;
    }
    for (const char* off : {"0", "off", "OFF", "no", "False"}) {
        EXPECT_EQ(parse_switch(off), false) << off;
    }
    for (const char* neither : {"", " ", "2", "01", "offf", "o", "nein", "on "}) {
        EXPECT_EQ(parse_switch(neither), std::nullopt) << neither;
    }
}

TEST(Switch, OfAnEmptyVariableIsTheDefault) {
    using Value = std::optional<std::string>;
    for (const Value& unset : {Value(), Value("")}) {
        const EnvironmentVariable variable("SGEMM_TEST_SWITCH", unset);
        EXPECT_TRUE(environment_switch("SGEMM_TEST_SWITCH", true));
        EXPECT_FALSE(environment_switch("SGEMM_TEST_SWITCH", false));
    }
}

TEST(Switch, OfNonsenseIsAnErrorThatNamesIt) {
    const EnvironmentVariable variable("SGEMM_TEST_SWITCH", "perhaps");
    try {
        environment_switch("SGEMM_TEST_SWITCH", true);
        FAIL() << "no error";
    } catch (const libsgemm::ArgumentError& error) {
        EXPECT_EQ(error.argument(), "SGEMM_TEST_SWITCH");
        EXPECT_EQ(error.value(), "perhaps");
    }
}

TEST(Switch, TurnsTracesOnAndOff) {
    for (const auto& [word, traces] : {std::pair{"1", true},
                                       {"on", true},
                                       {"off", false},
                                       {"no", false},
                                       {"0", false},
                                       {"", false}}) {
        const EnvironmentVariable variable("SGEMM_TRACE", word);
        EXPECT_EQ(libsgemm::support::make_log({}).traces(), traces) << word;
    }
    const EnvironmentVariable variable("SGEMM_TRACE", "loud");
    EXPECT_THROW(libsgemm::support::make_log({}), libsgemm::ArgumentError);
    EXPECT_TRUE(libsgemm::support::make_log({}, true).traces()) << "what is set explicitly wins";
    EXPECT_FALSE(libsgemm::support::make_log({}, false).traces());
}

} // namespace
} // namespace sgemm_test
