// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include "sgemm/version.hpp"
#include "support/text.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace info {
namespace {

constexpr auto description =
    "Shows what libsgemm sees and would do: devices, its kernels, the plan for a problem.";

constexpr auto examples = R"(Examples:
  sgemm-info                                      devices, and how well each is known
  sgemm-info --kernels --device gpu               the kernels, and which of them that device can run
  sgemm-info --plan NT 1000 1000 1000             A as it is, B transposed, column-major, tight
  sgemm-info --plan NN 64 64 64 100 100 100       with lda, ldb and ldc
  sgemm-info --plan NN 1000 1000 1000 --kernel 06_register_tiles_2d --set tile_m=64
  sgemm-info --self-test                          are the kernels right on this device? disables those
                                                  that are not, for all programs on this machine

Exit status: 0, 1 for a failure or a finding, 2 for arguments that make no sense.)";

template <typename Integer>
Integer to_integer(const std::string& text, const std::string& what) {
    const auto value = libsgemm::support::parse_number<Integer>(text);
    if (!value)
        throw UsageError(what + ": \"" + text + "\" is not an integer in range");
    return *value;
}

libsgemm::Transpose to_transpose(const std::string& letters, std::size_t index) {
    if (letters.size() != 2 || (letters[index] != 'N' && letters[index] != 'T'))
        throw UsageError("--plan: transposes are NN, NT, TN or TT, not \"" + letters + "\"");
    return letters[index] == 'T' ? libsgemm::Transpose::yes : libsgemm::Transpose::no;
}

/// "NT 1000 1000 1000 [lda [ldb [ldc]]]"
void read_problem(const std::vector<std::string>& words, libsgemm::Problem& problem) {
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

/// The words of the command line, before they are understood.
struct Words {
    std::string device, kernel;
    bool kernels = false, row_major = false, self_test = false, worker = false;
    double seconds = 60;
    std::vector<std::string> plan, parameters;
    std::int64_t batch = 1;
    std::int64_t offset_alignment = 16;
    std::string edges = "automatic", pre_passes = "automatic", peel = "automatic";
};

template <typename Value>
using Names = std::map<std::string, Value>;

const Names<libsgemm::EdgeStrategy>& edge_strategies() {
    using libsgemm::EdgeStrategy;
    static const Names<EdgeStrategy> names = {{"automatic", EdgeStrategy::automatic},
                                              {"none", EdgeStrategy::none},
                                              {"padding", EdgeStrategy::padding},
                                              {"guarded", EdgeStrategy::guarded},
                                              {"pointer_shift", EdgeStrategy::pointer_shift},
                                              {"extension", EdgeStrategy::extension}};
    return names;
}

const Names<libsgemm::Peeling>& peels() {
    using libsgemm::Peeling;
    static const Names<Peeling> names = {
        {"automatic", Peeling::automatic}, {"never", Peeling::never}, {"always", Peeling::always}};
    return names;
}

const Names<libsgemm::PrePassStyle>& pre_pass_styles() {
    using libsgemm::PrePassStyle;
    static const Names<PrePassStyle> names = {{"automatic", PrePassStyle::automatic},
                                              {"fused", PrePassStyle::fused},
                                              {"separate", PrePassStyle::separate}};
    return names;
}

template <typename Value>
CLI::Validator one_of(const Names<Value>& values) {
    std::vector<std::string> names(values.size());
    std::transform(values.begin(), values.end(), names.begin(),
                   [](const auto& entry) { return entry.first; });
    return CLI::IsMember(std::move(names)).description("");
}

void declare(CLI::App& app, Words& words) {
    app.footer(examples);
    app.get_formatter()->column_width(40);
    app.set_version_flag("--version", std::string("sgemm-info ") + libsgemm::version(),
                         "Print the version and exit");
    app.add_option("--device", words.device,
                   "P:D, P, gpu, cpu or part of a name; default: $SGEMM_DEVICE,\n"
                   "or the first GPU, or the first device")
        ->type_name("SELECTOR");
    app.add_flag("--kernels", words.kernels,
                 "List the kernels; with --device, what stops each there");
    app.add_flag("--self-test", words.self_test,
                 "Check every kernel against float64 on the device, for about a\n"
                 "minute; those that are wrong there are disabled");
    app.add_option("--seconds", words.seconds, "Time for --self-test; default: 60")
        ->check(CLI::Range(1.0, 86400.0).description(""))
        ->type_name("SECONDS");
    app.add_flag("--worker", words.worker)->group(""); // hidden: the self-test starts itself so
    app.add_option("--plan", words.plan,
                   "Print the plan. OPS is NN, NT, TN or TT: A and B as they are (N) or\n"
                   "transposed (T). C is M x N, K the length of its sums. Leading\n"
                   "dimensions may be left out where there are no gaps")
        ->expected(4, 7)
        ->option_text("OPS M N K [LDA LDB LDC]");
    app.add_option("--kernel", words.kernel, "Plan with this kernel; list only this one")
        ->type_name("NAME");
}

void declare_plan_details(CLI::App& app, Words& words) {
    auto* group = app.add_option_group("Details of --plan");
    group->add_flag("--row-major", words.row_major, "Matrices are stored by rows");
    group->add_option("--batch", words.batch, "Number of products; strides are tight")
        ->type_name("COUNT");
    group
        ->add_option("--offset-alignment", words.offset_alignment,
                     "Offsets are multiples of this; 16, the default, is what gemm()\n"
                     "sees where matrices start at the start of their buffers")
        ->type_name("ELEMENTS");
    group->add_option("--set", words.parameters, "Kernel parameter, e.g. tile_m=64; needs --kernel")
        ->expected(1)
        ->take_all()
        ->type_name("NAME=VALUE");
    group
        ->add_option("--edges", words.edges,
                     "automatic, none, padding, guarded, pointer_shift or extension")
        ->check(one_of(edge_strategies()))
        ->type_name("STRATEGY");
    group
        ->add_option(
            "--peel", words.peel,
            "Peeling of rows and columns behind the last whole tile: automatic, never, always")
        ->check(one_of(peels()))
        ->type_name("WHEN");
    group->add_option("--pre-passes", words.pre_passes, "automatic, fused or separate")
        ->check(one_of(pre_pass_styles()))
        ->type_name("STYLE");
}

Options understand(const Words& words, bool device_given) {
    if (int{words.kernels} + int{!words.plan.empty()} + int{words.self_test} > 1)
        throw UsageError(
            "--kernels, --plan and --self-test are different questions: ask one at a time");

    Options options;
    options.device_given = device_given;
    options.device = words.device;
    options.choice.kernel = words.kernel;
    options.choice.offset_alignment = words.offset_alignment;
    options.choice.edges = edge_strategies().at(words.edges);
    options.choice.peeling = peels().at(words.peel);
    options.choice.pre_passes = pre_pass_styles().at(words.pre_passes);
    for (const std::string& assignment : words.parameters)
        read_parameter(assignment, options.choice.parameters);

    options.problem.batch_count = words.batch;
    if (words.row_major)
        options.problem.layout = libsgemm::Layout::row_major;
    options.seconds = words.seconds;
    if (words.self_test)
        options.action = Options::Action::self_test;
    if (words.worker)
        options.action = Options::Action::worker;
    if (words.kernels)
        options.action = Options::Action::kernels;
    if (!words.plan.empty()) {
        options.action = Options::Action::plan;
        read_problem(words.plan, options.problem);
    }
    return options;
}

} // namespace

Options parse(int argc, char** argv) {
    Words words;
    CLI::App app(description, "sgemm-info");
    declare(app, words);
    declare_plan_details(app, words);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        throw Exit{app.exit(error) == 0 ? 0 : 2};
    }
    return understand(words, app.count("--device") != 0);
}

} // namespace info
