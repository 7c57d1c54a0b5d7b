// SPDX-License-Identifier: Apache-2.0
#include "support/ptx_store_count.hpp"

#include <regex>

namespace sgemm_test {
namespace {

/// "st.global.v2.f32 [%c+8], {...};" becomes "red.global.add.u32 [%c+8], 1;" and one for "[%c+12]".
std::string counters_of(const std::smatch& store) {
    const int width = store[2].matched ? std::stoi(store[2]) : 1;
    const int first = store[4].matched ? std::stoi(store[4]) : 0;
    std::string text;
    for (int i = 0; i < width; ++i) {
        text += store[1].str() + "red.global.add.u32 [" + store[3].str() + "+" +
                std::to_string(first + 4 * i) + "], 1;\n";
    }
    return text;
}

} // namespace

std::string with_store_counters(std::string_view ptx) {
    static const std::regex store(
        R"((@\S+ )?st\.global(?:\.v([24]))?\.f32 \[(%\w+)(?:\+(\d+))?\],[^\n]*\n)");
    std::string rest(ptx);
    std::string result;
    std::smatch found;
    while (std::regex_search(rest, found, store)) {
        result += found.prefix().str() + counters_of(found);
        rest = found.suffix().str();
    }
    return result + rest;
}

} // namespace sgemm_test
