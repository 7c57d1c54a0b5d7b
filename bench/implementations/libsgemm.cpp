// SPDX-License-Identifier: Apache-2.0
#include "implementations/implementation.hpp"
#include "sgemm/sgemm.hpp"

#include <charconv>
#include <optional>
#include <sstream>

namespace sgemm::bench {
namespace {

/// Every matrix starts where its buffer starts: any alignment a plan can ask for holds.
constexpr std::int64_t offset_alignment = std::int64_t{1} << 20;

Problem to_problem(const Shape& shape) {
    Problem problem;
    problem.layout = Layout::column_major;
    problem.transpose_a = shape.transpose_a ? Transpose::yes : Transpose::no;
    problem.transpose_b = shape.transpose_b ? Transpose::yes : Transpose::no;
    problem.m = shape.m;
    problem.n = shape.n;
    problem.k = shape.k;
    problem.lda = shape.lda;
    problem.ldb = shape.ldb;
    problem.ldc = shape.ldc;
    return problem;
}

/// Times what a program would call: Context::gemm() where the planner is free, Plan::enqueue()
/// where the choice is forced.
class LibsgemmRunner : public Runner {
public:
    LibsgemmRunner(Context context, const OpenClSession& session, const Workload& workload,
                   Plan plan, bool forced)
        : context_(std::move(context)), session_(session), workload_(workload),
          problem_(to_problem(workload.shape)), plan_(std::move(plan)), forced_(forced) {}

    void run() override {
        const Matrix a{session_.a(), 0};
        const Matrix b{session_.b(), 0};
        const Matrix c{session_.c(), 0};
        if (forced_) {
            plan_.enqueue(session_.queue(), workload_.alpha, a, b, workload_.beta, c);
        } else {
            context_.gemm(session_.queue(), problem_, workload_.alpha, a, b, workload_.beta, c);
        }
        session_.finish();
    }
    void write_c(const std::vector<float>& host) override { session_.write_c(host); }
    void read_c(std::vector<float>& host) override { session_.read_c(host); }
    std::string label() const override { return plan_.summary(); }

private:
    Context context_;
    const OpenClSession& session_;
    Workload workload_;
    Problem problem_;
    Plan plan_;
    bool forced_;
};

/// All share one Context, and so one pool of workspace: only one is measured at a time.
class Libsgemm : public Implementation {
public:
    Libsgemm(std::string name, PlanOptions options, Context context, Environment& environment)
        : Implementation(std::move(name)), options_(std::move(options)),
          context_(std::move(context)), environment_(environment) {
        options_.offset_alignment = offset_alignment;
    }

    std::unique_ptr<Runner> prepare(const Workload& workload) override {
        const OpenClSession& session = environment_.opencl_with_operands();
        const bool forced = name() != "auto";
        try {
            return std::make_unique<LibsgemmRunner>(
                context_, session, workload, context_.plan(to_problem(workload.shape), options_),
                forced);
        } catch (const UnsupportedError& error) {
            throw Unsupported(error.what());
        }
    }

private:
    PlanOptions options_;
    Context context_;
    Environment& environment_;
};

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, separator);) {
        parts.push_back(part);
    }
    return parts;
}

template <typename Choice>
Choice chosen(const std::string& setting, const std::string& value,
              const std::vector<std::pair<std::string, Choice>>& choices) {
    std::string names;
    for (const auto& [name, choice] : choices) {
        if (name == value) {
            return choice;
        }
        names += (names.empty() ? "" : ", ") + name;
    }
    throw UsageError("--impl: " + setting + " is one of " + names + ", not '" + value + "'");
}

int whole_number(const std::string& name, const std::string& value) {
    int number = 0;
    const auto result = std::from_chars(value.data(), value.data() + value.size(), number);
    if (result.ec != std::errc{} || result.ptr != value.data() + value.size()) {
        throw UsageError("--impl: " + name + " must be a whole number, not '" + value + "'");
    }
    return number;
}

/// Applies a choice by name; false if `name` is none of them.
bool apply_choice(PlanOptions& options, const std::string& name, const std::string& value) {
    if (name == "edges") {
        options.edges = chosen<EdgeStrategy>(name, value,
                                             {{"automatic", EdgeStrategy::automatic},
                                              {"none", EdgeStrategy::none},
                                              {"padding", EdgeStrategy::padding},
                                              {"guarded", EdgeStrategy::guarded},
                                              {"pointer_shift", EdgeStrategy::pointer_shift},
                                              {"extension", EdgeStrategy::extension}});
    } else if (name == "pre_passes") {
        options.pre_passes = chosen<PrePassStyle>(name, value,
                                                  {{"automatic", PrePassStyle::automatic},
                                                   {"fused", PrePassStyle::fused},
                                                   {"separate", PrePassStyle::separate}});
    } else if (name == "relay") {
        options.relay = chosen<Relay>(name, value,
                                      {{"automatic", Relay::automatic},
                                       {"never", Relay::never},
                                       {"always", Relay::always},
                                       {"only_a", Relay::only_a},
                                       {"only_b", Relay::only_b}});
    } else {
        return false;
    }
    return true;
}

/// The number that a setting is kept in: a division of the work, or a kernel parameter.
int& number_of(PlanOptions& options, const std::string& name) {
    if (name == "split_k") {
        return options.split_k;
    }
    if (name == "parts_m") {
        return options.parts_m;
    }
    if (name == "parts_n") {
        return options.parts_n;
    }
    return name == "parts_k" ? options.parts_k : options.parameters[name];
}

/// Applies "edges=padding", "split_k=4" or a kernel parameter such as "tile_m=64".
void apply_setting(PlanOptions& options, const std::string& setting) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos) {
        throw UsageError("--impl: expected NAME=VALUE after ':', not '" + setting + "'");
    }
    const std::string name = setting.substr(0, equals);
    const std::string value = setting.substr(equals + 1);
    if (!apply_choice(options, name, value)) {
        number_of(options, name) = whole_number(name, value);
    }
}

/// "auto[:SETTING…]" or "kernel:NAME[:SETTING…]"; nothing where `spec` is neither.
std::optional<PlanOptions> parse_spec(const std::string& spec) {
    const auto parts = split(spec, ':');
    if (parts.empty() || (parts[0] != "auto" && parts[0] != "kernel")) {
        return std::nullopt;
    }
    PlanOptions options;
    std::size_t next = 1;
    if (parts[0] == "kernel") {
        if (parts.size() < 2) {
            throw UsageError("--impl: kernel: needs a name, as in kernel:01_naive");
        }
        options.kernel = parts[next++];
    }
    for (; next < parts.size(); ++next) {
        apply_setting(options, parts[next]);
    }
    return options;
}

const KernelInfo& find_kernel(const std::vector<KernelInfo>& all, const std::string& name) {
    std::string names;
    for (const KernelInfo& info : all) {
        if (info.name == name) {
            return info;
        }
        names += "\n  kernel:" + info.name;
    }
    throw UsageError("--impl: no kernel is called '" + name + "'; there are" + names);
}

void require_parameter(const KernelInfo& kernel, const std::string& name) {
    std::string names;
    for (const ParameterInfo& parameter : kernel.parameters) {
        if (parameter.name == name) {
            return;
        }
        names += ' ';
        names += parameter.name;
    }
    throw UsageError("--impl: no parameter '" + name + "'; " + kernel.name + " has" + names);
}

/// The kernel and its parameters exist. (Whether the values can work is the library's to say.)
void require_known(const PlanOptions& options) {
    if (options.kernel.empty() && !options.parameters.empty()) {
        throw UsageError("--impl: parameters need a kernel: kernel:NAME:" +
                         options.parameters.begin()->first + "=...");
    }
    if (options.kernel.empty()) {
        return;
    }
    const auto all = kernels();
    const KernelInfo& kernel = find_kernel(all, options.kernel);
    for (const auto& [name, value] : options.parameters) {
        require_parameter(kernel, name);
    }
}

void require_runnable(const std::string& kernel, const DeviceTraits& device) {
    std::string reasons;
    for (const std::string& reason : kernel_obstacles(kernel, device)) {
        reasons += (reasons.empty() ? "" : "; ") + reason;
    }
    if (!reasons.empty()) {
        throw Unavailable(reasons);
    }
}

std::unique_ptr<Implementation> make_one(const std::string& spec, const PlanOptions& options,
                                         Environment& environment) {
    const OpenClSession& session = environment.opencl_session();
    if (!options.kernel.empty()) {
        require_runnable(options.kernel, session.device().traits);
    }
    return std::make_unique<Libsgemm>(spec, options, environment.libsgemm_context(), environment);
}

/// All kernels of the catalogue below a folder of kernels/ that the device can run.
Implementations make_catalogue(const std::string& folder, Environment& environment) {
    Implementations made;
    for (const KernelInfo& info : kernels()) {
        PlanOptions options;
        options.kernel = info.name;
        if (info.source.rfind(folder, 0) == 0 &&
            kernel_obstacles(info.name, environment.opencl_session().device().traits).empty()) {
            made.push_back(make_one("kernel:" + info.name, options, environment));
        }
    }
    return made;
}

} // namespace

Implementations make_libsgemm(const std::string& spec, Environment& environment) {
    if (spec == "kernels") {
        return make_catalogue("", environment);
    }
    if (spec == "progression") {
        return make_catalogue("progression/", environment);
    }
    const auto options = parse_spec(spec);
    if (!options) {
        throw UsageError("--impl: '" + spec +
                         "' is none of auto, kernel:NAME, kernels, progression, peers, clblast, "
                         "openblas, blis, cublas, fma-peak");
    }
    require_known(*options);
    Implementations made;
    made.push_back(make_one(spec, *options, environment));
    return made;
}

} // namespace sgemm::bench
