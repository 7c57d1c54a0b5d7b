// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include "sgemm/version.hpp"

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <vector>

namespace info {
namespace {

constexpr auto description =
    "Shows what libsgemm sees and would do: devices, its kernels, the plan for a problem.";

constexpr auto examples = R"(Examples:
  sgemm-info                                      platforms, devices and their traits
  sgemm-info --kernels --device gpu               the kernels, and which of them that device can run
  sgemm-info --plan NT 1000 1000 1000             A as it is, B transposed, column-major, tight
  sgemm-info --plan NN 64 64 64 100 100 100       with lda, ldb and ldc
  sgemm-info --plan NN 1000 1000 1000 --kernel 06_register_tiles_2d --set tile_m=64

Exit status: 0, 1 for a failure, 2 for arguments that make no sense.)";

template <typename Integer>
Integer to_integer(const std::string& text, const std::string& what) {
    Integer value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stop != end)
        throw UsageError(what + ": \"" + text + "\" is not an integer in range");
    return value;
}

sgemm::Transpose to_transpose(const std::string& letters, std::size_t index) {
    if (letters.size() != 2 || (letters[index] != 'N' && letters[index] != 'T'))
        throw UsageError("--plan: transposes are NN, NT, TN or TT, not \"" + letters + "\"");
    return letters[index] == 'T' ? sgemm::Transpose::yes : sgemm::Transpose::no;
}

/// "NT 1000 1000 1000 [lda [ldb [ldc]]]"
void read_problem(const std::vector<std::string>& words, sgemm::Problem& problem) {
    problem.transpose_a = to_transpose(words[0], 0);
    problem.transpose_b = to_transpose(words[0], 1);
    std::int64_t* const fields[] = {&problem.m,   &problem.n,   &problem.k,
                                    &problem.lda, &problem.ldb, &problem.ldc};
    for (std::size_t i = 1; i < words.size(); ++i)
        *fields[i - 1] = to_integer<std::int64_t>(words[i], "--plan");
}

/// "tile_m=64"
void read_parameter(const std::string& assignment, std::map<std::string, int>& parameters) {
    const std::size_t equals = assignment.find('=');
    if (equals == 0 || equals == std::string::npos)
        throw UsageError("--set: NAME=VALUE, not \"" + assignment + "\"");
    const std::string name = assignment.substr(0, equals);
    parameters[name] = to_integer<int>(assignment.substr(equals + 1), "--set " + name);
}

template <typename Value>
CLI::Validator one_of(std::map<std::string, Value> names) {
    return CLI::CheckedTransformer(std::move(names), CLI::ignore_case).description("");
}

} // namespace

Options parse(int argc, char** argv) {
    using sgemm::EdgeStrategy;
    using sgemm::PrePassStyle;

    Options options;
    bool list_kernels = false;
    bool row_major = false;
    std::vector<std::string> plan_words;
    std::vector<std::string> assignments;

    CLI::App app(description, "sgemm-info");
    app.footer(examples);
    app.get_formatter()->column_width(40);
    app.set_version_flag("--version", std::string("sgemm-info ") + sgemm::version(),
                         "Print the version and exit");

    auto* device = app.add_option("--device", options.device,
                                  "P:D, P, gpu, cpu or part of a name; default: $SGEMM_DEVICE,\n"
                                  "or the first GPU, or the first device");
    device->type_name("SELECTOR");
    app.add_flag("--kernels", list_kernels,
                 "List the kernels; with --device, what stops each there");
    app.add_option("--plan", plan_words,
                   "Print the plan: transposes of A and B (NN, NT, TN, TT), sizes,\n"
                   "and leading dimensions where they are not tight")
        ->expected(4, 7)
        ->option_text("OPS M N K [LDA LDB LDC]");
    app.add_option("--kernel", options.choice.kernel, "Plan with this kernel; list only this one")
        ->type_name("NAME");

    auto* group = app.add_option_group("Details of --plan");
    group->add_flag("--row-major", row_major, "Matrices are stored by rows");
    group
        ->add_option("--batch", options.problem.batch_count,
                     "Number of products; strides are tight")
        ->type_name("COUNT");
    group->add_option("--set", assignments, "Kernel parameter, e.g. tile_m=64; needs --kernel")
        ->expected(1)
        ->take_all()
        ->type_name("NAME=VALUE");
    group->add_option("--edges", options.choice.edges, "automatic, none or padding")
        ->transform(one_of<EdgeStrategy>({{"automatic", EdgeStrategy::automatic},
                                          {"none", EdgeStrategy::none},
                                          {"padding", EdgeStrategy::padding}}))
        ->type_name("STRATEGY");
    group->add_option("--pre-passes", options.choice.pre_passes, "automatic, fused or separate")
        ->transform(one_of<PrePassStyle>({{"automatic", PrePassStyle::automatic},
                                          {"fused", PrePassStyle::fused},
                                          {"separate", PrePassStyle::separate}}))
        ->type_name("STYLE");

    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        throw Exit{app.exit(error) == 0 ? 0 : 2};
    }

    if (list_kernels && !plan_words.empty())
        throw UsageError("--kernels and --plan are two questions: ask one at a time");
    options.device_given = device->count() != 0;
    if (row_major)
        options.problem.layout = sgemm::Layout::row_major;
    for (const std::string& assignment : assignments)
        read_parameter(assignment, options.choice.parameters);
    if (!plan_words.empty()) {
        options.action = Options::Action::plan;
        read_problem(plan_words, options.problem);
    } else if (list_kernels) {
        options.action = Options::Action::kernels;
    }
    return options;
}

} // namespace info
