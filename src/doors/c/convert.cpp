// SPDX-License-Identifier: Apache-2.0
#include "doors/c/convert.hpp"

#include "doors/c/objects.hpp"
#include "support/text.hpp"
#include "support/text_stream.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

namespace libsgemm::c_api {
namespace {

/// What a later version has a meaning for.
void check_reserved(const char* argument, std::int32_t reserved) {
    if (reserved != 0) {
        throw ArgumentError(std::string(argument) + ".reserved", std::to_string(reserved),
                            "must be 0");
    }
}

/// The structure of a program that was compiled against this version of the library or an earlier
/// one: what that did not have keeps its default.
template <class Structure>
Structure completed(const char* argument, const Structure& given, Structure defaults) {
    check_struct_bytes(argument, given.struct_bytes, released_sizes<Structure>);
    std::memcpy(&defaults, &given, given.struct_bytes);
    return defaults;
}

std::string text_of(const char* text) {
    return text == nullptr ? std::string() : std::string(text);
}

/// An enumerator of `Value` that has the number of one from `first` to `last`; the assertions below
/// hold both alike.
template <class Value, class Given>
Value numbered_alike(const char* argument, const char* type, Given given, Given first, Given last) {
    if (given < first || given > last) {
        throw ArgumentError(argument, std::to_string(static_cast<int>(given)),
                            std::string("must be a value of ") + type);
    }
    return static_cast<Value>(given);
}

Precision precision_of(sgemm_precision precision) {
    return numbered_alike<Precision>("precision", "sgemm_precision", precision,
                                     SGEMM_PRECISION_AUTOMATIC, SGEMM_STRICT);
}
static_assert(static_cast<int>(Precision::automatic) == SGEMM_PRECISION_AUTOMATIC);
static_assert(static_cast<int>(Precision::strict) == SGEMM_STRICT);
static_assert(static_cast<int>(Precision::emulated) == SGEMM_EMULATED);
static_assert(static_cast<int>(Precision::fp16x2) == SGEMM_FP16X2);
static_assert(static_cast<int>(Precision::tf32x3) == SGEMM_TF32X3);
static_assert(static_cast<int>(Precision::bf16x3) == SGEMM_BF16X3);

EdgeStrategy edges_of(sgemm_edges edges) {
    return numbered_alike<EdgeStrategy>("options.edges", "sgemm_edges", edges,
                                        SGEMM_EDGES_AUTOMATIC, SGEMM_EDGES_EXTENSION);
}
static_assert(static_cast<int>(EdgeStrategy::automatic) == SGEMM_EDGES_AUTOMATIC);
static_assert(static_cast<int>(EdgeStrategy::none) == SGEMM_EDGES_NONE);
static_assert(static_cast<int>(EdgeStrategy::padding) == SGEMM_EDGES_PADDING);
static_assert(static_cast<int>(EdgeStrategy::guarded) == SGEMM_EDGES_GUARDED);
static_assert(static_cast<int>(EdgeStrategy::pointer_shift) == SGEMM_EDGES_POINTER_SHIFT);
static_assert(static_cast<int>(EdgeStrategy::extension) == SGEMM_EDGES_EXTENSION);
static_assert(tight == SGEMM_TIGHT);

Peeling peel_of(sgemm_peel peel) {
    return numbered_alike<Peeling>("options.peel", "sgemm_peel", peel, SGEMM_PEEL_AUTOMATIC,
                                   SGEMM_PEEL_ALWAYS);
}
static_assert(static_cast<int>(Peeling::automatic) == SGEMM_PEEL_AUTOMATIC);
static_assert(static_cast<int>(Peeling::never) == SGEMM_PEEL_NEVER);
static_assert(static_cast<int>(Peeling::always) == SGEMM_PEEL_ALWAYS);

/// "tile_m=64 tile_k=8"
std::map<std::string, int> parameters_of(const char* text) {
    std::map<std::string, int> parameters;
    support::TextReader words(text_of(text));
    for (std::string word; words >> word;) {
        const auto setting = support::parse_setting(word);
        if (!setting) {
            throw ArgumentError("options.parameters", word, "must be NAME=NUMBER");
        }
        parameters[setting->first] = setting->second;
    }
    return parameters;
}

/// sgemm_context_options::disk_cache: what SGEMM_CACHE says.
constexpr std::int32_t by_environment = 1;

LogCallback log_of(const sgemm_context_options& options) {
    if (options.log == nullptr) {
        return {};
    }
    return [log = options.log, data = options.log_data](LogLevel level, const std::string& text) {
        log(static_cast<sgemm_log_level>(level), text.c_str(), data);
    };
}
static_assert(static_cast<int>(LogLevel::warning) == SGEMM_LOG_WARNING);
static_assert(static_cast<int>(LogLevel::info) == SGEMM_LOG_INFO);
static_assert(static_cast<int>(LogLevel::trace) == SGEMM_LOG_TRACE);

} // namespace

void check_struct_bytes(const char* argument, std::size_t given,
                        std::span<const std::size_t> released) {
    if (std::find(released.begin(), released.end(), given) != released.end()) {
        return;
    }
    const bool is_later = given > released.back();
    throw ArgumentError(std::string(argument) + ".struct_bytes", std::to_string(given),
                        "must be the structure's size, as its initialiser sets it, " +
                            std::to_string(released.back()) + " in this version" +
                            (is_later ? "; was the program compiled for a later one?" : ""));
}

Layout layout_of(sgemm_layout layout) {
    switch (layout) {
    case SGEMM_ROW_MAJOR:
        return Layout::row_major;
    case SGEMM_COLUMN_MAJOR:
        return Layout::column_major;
    }
    throw ArgumentError("layout", std::to_string(static_cast<int>(layout)),
                        "must be SGEMM_ROW_MAJOR or SGEMM_COLUMN_MAJOR");
}

Transpose transpose_of(const char* name, sgemm_transpose transpose) {
    switch (transpose) {
    case SGEMM_NO_TRANSPOSE:
        return Transpose::no;
    case SGEMM_TRANSPOSE:
    case SGEMM_CONJUGATE_TRANSPOSE:
        return Transpose::yes;
    }
    throw ArgumentError(name, std::to_string(static_cast<int>(transpose)),
                        "must be SGEMM_NO_TRANSPOSE, SGEMM_TRANSPOSE or SGEMM_CONJUGATE_TRANSPOSE");
}

Problem problem_of(const sgemm_problem* given) {
    require("problem", given);
    const sgemm_problem problem = completed("problem", *given, SGEMM_PROBLEM_INIT);
    check_reserved("problem", problem.reserved);
    Problem result(problem.m, problem.n, problem.k);
    result.layout = layout_of(problem.layout);
    result.transpose_a = transpose_of("transpose_a", problem.transpose_a);
    result.transpose_b = transpose_of("transpose_b", problem.transpose_b);
    result.lda = problem.lda;
    result.ldb = problem.ldb;
    result.ldc = problem.ldc;
    result.batch_count = problem.batch_count;
    result.batch_stride_a = problem.batch_stride_a;
    result.batch_stride_b = problem.batch_stride_b;
    result.batch_stride_c = problem.batch_stride_c;
    result.precision = precision_of(problem.precision);
    return result;
}

ContextOptions context_options_of(const sgemm_context_options* options) {
    const sgemm_context_options defaults = SGEMM_CONTEXT_OPTIONS_INIT;
    const sgemm_context_options given =
        options == nullptr ? defaults : completed("options", *options, defaults);
    ContextOptions result;
    result.log = log_of(given);
    result.table_file = text_of(given.table_file);
    result.plan.kernel = text_of(given.kernel);
    result.max_workspace_bytes = given.max_workspace_bytes;
    result.first_use.plans = given.first_use_plans;
    if (given.disk_cache != by_environment) {
        result.disk_cache.enabled = given.disk_cache != 0;
    }
    result.disk_cache.folder = text_of(given.cache_folder);
    result.disk_cache.max_bytes = given.cache_max_bytes;
    return result;
}

ExpertPlanOptions plan_options_of(const sgemm_plan_options& options) {
    const sgemm_plan_options given = completed("options", options, SGEMM_PLAN_OPTIONS_INIT);
    check_reserved("options", given.reserved);
    ExpertPlanOptions result;
    result.kernel = text_of(given.kernel);
    result.parameters = parameters_of(given.parameters);
    result.edges = edges_of(given.edges);
    result.split_k = given.split_k;
    result.offset_alignment = given.offset_alignment;
    result.peeling = peel_of(given.peel);
    return result;
}

std::vector<cl_event> wait_list_of(cl_uint count, const cl_event* list) {
    if (count > 0) {
        require("wait_list", list);
    }
    return values_of("wait_count", list, count);
}

} // namespace libsgemm::c_api
