// SPDX-License-Identifier: Apache-2.0
#include "tune/fit/earlier_plans.hpp"

#include "catalog/kernel_catalog.hpp"
#include "support/text.hpp"
#include "support/text_stream.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <regex>
#include <string_view>

namespace libsgemm::tune {
namespace {

using catalog::KernelEntry;
using catalog::Parameters;
using catalog::Variant;

struct EarlierEdges {
    std::string_view words;
    EdgeStrategy edges;
};
constexpr std::array earlier_edges{EarlierEdges{"guarded", EdgeStrategy::guarded},
                                   EarlierEdges{"pointer shift", EdgeStrategy::pointer_shift},
                                   EarlierEdges{"extended tiles", EdgeStrategy::extension}};

/// A choice that is on where the words are there.
struct EarlierFlag {
    std::string_view words;
    bool Variant::*value;
    bool Variant::*second = nullptr;
};
constexpr std::array earlier_flags{
    EarlierFlag{"summed in the launch", &Variant::fused_reduction},
    EarlierFlag{"narrow loads of A", &Variant::narrow_a},
    EarlierFlag{"narrow loads of B", &Variant::narrow_b},
    EarlierFlag{"narrow loads of AB", &Variant::narrow_a, &Variant::narrow_b},
    EarlierFlag{"re-laid A", &Variant::repack_a},
    EarlierFlag{"re-laid B", &Variant::repack_b},
    EarlierFlag{"re-laid AB", &Variant::repack_a, &Variant::repack_b},
    EarlierFlag{"A packed", &Variant::pack_a},
    EarlierFlag{"B turned", &Variant::transpose_b},
    EarlierFlag{"last rows apart", &Variant::peeled},
    EarlierFlag{"last columns apart", &Variant::peeled},
    EarlierFlag{"last rows and columns apart", &Variant::peeled}};

/// What the kernel decides, and the text leaves out.
Variant usual_variant(const KernelEntry& kernel) {
    Variant variant;
    if (kernel.edges == catalog::Edges::any_size && !catalog::is_of<catalog::Emulated>(kernel)) {
        variant.edges = EdgeStrategy::guarded;
    }
    if (catalog::is_of<catalog::Packed>(kernel)) {
        variant.parts = {0, 0, 0}; // as many as it takes
    }
    return variant;
}

/// "tile_k=16 tile_m=64"
std::optional<Parameters> parameters_from(const std::string& text) {
    Parameters parameters;
    support::TextReader words(text);
    for (std::string word; words >> word;) {
        const auto setting = support::parse_setting(word);
        if (!setting) {
            return std::nullopt;
        }
        parameters.set(setting->first, setting->second);
    }
    return parameters;
}

/// Whether the words say something of a variant, which has it then.
bool apply_words(const std::string& words, Variant& variant) {
    static const std::regex ranges(R"(k in (\d+) slices)");
    static const std::regex parts(R"(parts (\d+)x(\d+)x(\d+))");
    std::smatch found;
    const auto number = [&](std::size_t i) {
        return support::parse_number<int>(found.str(i)).value_or(1);
    };
    const auto* edges = std::ranges::find(earlier_edges, words, &EarlierEdges::words);
    const auto* flag = std::ranges::find(earlier_flags, words, &EarlierFlag::words);
    if (edges != earlier_edges.end()) {
        variant.edges = edges->edges;
    } else if (flag != earlier_flags.end()) {
        variant.*flag->value = true;
        variant.*(flag->second != nullptr ? flag->second : flag->value) = true;
    } else if (words == "last tiles dealt out") {
        variant.split_k = 2;
    } else if (std::regex_match(words, found, ranges)) {
        variant.split_k = number(1);
    } else if (std::regex_match(words, found, parts)) {
        variant.parts = {number(1), number(2), number(3)};
    } else {
        return false;
    }
    return true;
}

std::optional<catalog::PlanKey> parse_plan(const std::string& text) {
    static const std::regex form("([^ ,]+)(?: \\(([^)]*)\\))?((?:, [^,]+)*)");
    std::smatch found;
    if (!std::regex_match(text, found, form)) {
        return std::nullopt;
    }
    const auto* kernel = catalog::kernel_catalog().find(found.str(1));
    const auto parameters = parameters_from(found.str(2));
    if (kernel == nullptr || !parameters) {
        return std::nullopt;
    }
    catalog::PlanKey plan{found.str(1), *parameters, usual_variant(*kernel)};
    static const std::regex words("[^ ,][^,]*");
    const std::string choices = found.str(3);
    for (auto at = std::sregex_iterator(choices.begin(), choices.end(), words);
         at != std::sregex_iterator(); ++at) {
        if (!apply_words(at->str(), plan.variant)) {
            return std::nullopt;
        }
    }
    return plan;
}

} // namespace

catalog::PlanKey plan_of_earlier_text(const std::string& text) {
    return parse_plan(text).value_or(catalog::PlanKey{text});
}

} // namespace libsgemm::tune
