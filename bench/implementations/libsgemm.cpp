// SPDX-License-Identifier: Apache-2.0
#include "implementations/makers.hpp"
#include "judge/problem.hpp"
#include "sgemm/expert.hpp"
#include "sgemm/sgemm.hpp"
#include "support/text.hpp"
#include "support/text_stream.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

namespace libsgemm::bench {
namespace {

/// Every matrix starts where its buffer starts: any alignment a plan can ask for holds.
constexpr std::int64_t offset_alignment = std::int64_t{1} << 20;

/// How libsgemm is called.
struct Request {
    ExpertPlanOptions options;
    Precision precision = Precision::automatic;
    bool packs_a = false; ///< once, before what is measured
    bool packs_b = false;

    bool is_free = true; ///< nothing but the precision is asked for: as a program calls it
};

Problem to_problem(const Shape& shape, Precision precision) {
    Problem problem = judge::to_problem(shape);
    problem.precision = precision;
    return problem;
}

/// Times what a program would call: Context::gemm() where the planner is free, Plan::enqueue()
/// where the choice is forced.
class LibsgemmRunner : public Runner {
public:
    LibsgemmRunner(Context context, const OpenClSession& session, const Workload& workload,
                   Problem problem, Plan plan, bool forced)
        : context_(std::move(context)), session_(session), workload_(workload), problem_(problem),
          plan_(std::move(plan)), forced_(forced) {}

    void enqueue() override {
        const Matrix a{session_.a(), 0};
        const Matrix b{session_.b(), 0};
        const Matrix c{session_.c(), 0};
        if (forced_) {
            plan_.enqueue(session_.queue(), workload_.alpha, a, b, workload_.beta, c, {},
                          Completion::in_queue);
        } else {
            context_.gemm(session_.queue(), problem_, workload_.alpha, a, b, workload_.beta, c, {},
                          Completion::in_queue);
        }
    }
    void finish() override { session_.finish(); }
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

/// The same of operands that were packed before: as a program multiplies by weights.
class PackedRunner : public Runner {
public:
    PackedRunner(Context context, const OpenClSession& session, const Workload& workload,
                 Problem problem, const Request& request)
        : context_(std::move(context)), session_(session), workload_(workload), problem_(problem) {
        if (request.packs_a) {
            a_.emplace(
                context_.pack(session_.queue(), problem_, Operand::a, Matrix{session_.a(), 0}));
        }
        if (request.packs_b) {
            b_.emplace(
                context_.pack(session_.queue(), problem_, Operand::b, Matrix{session_.b(), 0}));
        }
        session_.finish();
    }

    void enqueue() override {
        const Matrix a{session_.a(), 0};
        const Matrix b{session_.b(), 0};
        if (a_ && b_) {
            multiply(*a_, *b_);
        } else if (a_) {
            multiply(*a_, b);
        } else {
            multiply(a, *b_);
        }
    }
    void finish() override { session_.finish(); }
    void write_c(const std::vector<float>& host) override { session_.write_c(host); }
    void read_c(std::vector<float>& host) override { session_.read_c(host); }
    std::string label() const override {
        std::string text = a_ ? a_->describe() : "";
        if (b_) {
            text += (text.empty() ? "" : "; ") + b_->describe();
        }
        return text;
    }

private:
    template <class A, class B>
    void multiply(const A& a, const B& b) {
        context_.gemm(session_.queue(), problem_, workload_.alpha, a, b, workload_.beta,
                      Matrix{session_.c(), 0}, {}, Completion::in_queue);
    }

    Context context_;
    const OpenClSession& session_;
    Workload workload_;
    Problem problem_;
    std::optional<PackedMatrix> a_;
    std::optional<PackedMatrix> b_;
};

/// All share one Context, and so one pool of workspace: only one is measured at a time.
class Libsgemm : public Implementation {
public:
    Libsgemm(std::string name, Request request, Context context, Environment& environment)
        : Implementation(std::move(name)), request_(std::move(request)),
          context_(std::move(context)), environment_(environment) {
        request_.options.offset_alignment = offset_alignment;
    }

    std::unique_ptr<Runner> prepare(const Workload& workload) override {
        const OpenClSession& session = environment_.opencl_with_operands();
        const Problem problem = to_problem(workload.shape, request_.precision);
        try {
            if (request_.packs_a || request_.packs_b) {
                return std::make_unique<PackedRunner>(context_, session, workload, problem,
                                                      request_);
            }
            return std::make_unique<LibsgemmRunner>(context_, session, workload, problem,
                                                    context_.plan(problem, request_.options),
                                                    !request_.is_free);
        } catch (const UnsupportedError& error) {
            throw Unsupported(error.what());
        }
    }

private:
    Request request_;
    Context context_;
    Environment& environment_;
};

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    support::TextReader stream(text);
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
    const auto number = support::parse_number<int>(value);
    if (!number) {
        throw UsageError("--impl: " + name + " must be a whole number, not '" + value + "'");
    }
    return *number;
}

/// Applies a choice by name, of this version or the one before; false if `name` is none of them.
bool apply_choice(ExpertPlanOptions& options, const std::string& name, const std::string& value) {
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
    } else if (name == "repack" || name == "relay") {
        options.repack = chosen<Repack>(name, value,
                                        {{"automatic", Repack::automatic},
                                         {"never", Repack::never},
                                         {"always", Repack::always},
                                         {"only_a", Repack::only_a},
                                         {"only_b", Repack::only_b}});
    } else if (name == "reduction" || name == "slice_sum") {
        options.reduction = chosen<SplitKReduction>(name, value,
                                                    {{"automatic", SplitKReduction::automatic},
                                                     {"pass", SplitKReduction::pass},
                                                     {"fused", SplitKReduction::fused},
                                                     {"in_launch", SplitKReduction::fused}});
    } else if (name == "peel") {
        options.peeling = chosen<Peeling>(name, value,
                                          {{"automatic", Peeling::automatic},
                                           {"never", Peeling::never},
                                           {"always", Peeling::always}});
    } else {
        return false;
    }
    return true;
}

/// The number that a setting is kept in: a division of the work, or a kernel parameter.
int& number_of(ExpertPlanOptions& options, const std::string& name) {
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

/// The precisions by name.
const std::vector<std::pair<std::string, Precision>>& precisions() {
    static const std::vector<std::pair<std::string, Precision>> list{
        {"strict", Precision::strict},
        {"emulated", Precision::emulated},
        {"fp16x2", Precision::fp16x2},
        {"tf32x3", Precision::tf32x3},
        {"bf16x3", Precision::bf16x3}};
    return list;
}

/// Applies a precision such as "emulated"; false if `setting` names none.
bool apply_precision(Request& request, const std::string& setting) {
    for (const auto& [name, precision] : precisions()) {
        if (name == setting) {
            request.precision = precision;
            return true;
        }
    }
    return false;
}

/// Applies "packed=a", "packed=b" or "packed=ab"; false if `setting` is something else.
bool apply_packed(Request& request, const std::string& setting) {
    constexpr std::string_view name = "packed=";
    if (setting.rfind(name, 0) != 0) {
        return false;
    }
    const std::string which = setting.substr(name.size());
    if (which != "a" && which != "b" && which != "ab") {
        throw UsageError("--impl: packed is one of a, b, ab, not '" + which + "'");
    }
    request.packs_a = which != "b";
    request.packs_b = which != "a";
    return true;
}

/// Applies "edges=padding", "split_k=4", a kernel parameter such as "tile_m=64", a precision or
/// "packed=a".
void apply_setting(Request& request, const std::string& setting) {
    if (apply_precision(request, setting) || apply_packed(request, setting)) {
        return;
    }
    ExpertPlanOptions& options = request.options;
    request.is_free = false;
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos) {
        throw UsageError("--impl: expected NAME=VALUE or a precision after ':', not '" + setting +
                         "'");
    }
    const std::string name = setting.substr(0, equals);
    const std::string value = setting.substr(equals + 1);
    if (!apply_choice(options, name, value)) {
        number_of(options, name) = whole_number(name, value);
    }
}

/// "auto[:SETTING…]", "auto:emulated", "auto:emulated:packed=a" or "kernel:NAME[:SETTING…]";
/// nothing where `spec` is neither.
std::optional<Request> parse_spec(const std::string& spec) {
    const auto parts = split(spec, ':');
    if (parts.empty() || (parts[0] != "auto" && parts[0] != "kernel")) {
        return std::nullopt;
    }
    Request request;
    std::size_t next = 1;
    if (parts[0] == "kernel") {
        if (parts.size() < 2) {
            throw UsageError("--impl: kernel: needs a name, as in kernel:01_naive");
        }
        request.options.kernel = parts[next++];
        request.is_free = false;
    }
    for (; next < parts.size(); ++next) {
        apply_setting(request, parts[next]);
    }
    return request;
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

std::unique_ptr<Implementation> make_one(const std::string& spec, const Request& request,
                                         Environment& environment) {
    const OpenClSession& session = environment.opencl_session();
    if (!request.options.kernel.empty()) {
        require_runnable(request.options.kernel, session.device().traits);
    }
    return std::make_unique<Libsgemm>(spec, request, environment.libsgemm_context(), environment);
}

bool is_in(const KernelInfo& kernel, const std::string& folder) {
    return kernel.source.starts_with(folder + '/');
}

/// All kernels of the catalogue that the device can run; with `folder`, those of a folder of
/// kernels/.
Implementations make_catalogue(const std::string& folder, Environment& environment) {
    Implementations made;
    for (const KernelInfo& info : kernels()) {
        Request request;
        request.options.kernel = info.name;
        request.is_free = false;
        if ((folder.empty() || is_in(info, folder)) &&
            kernel_obstacles(info.name, environment.opencl_session().device().traits).empty()) {
            made.push_back(make_one("kernel:" + info.name, request, environment));
        }
    }
    return made;
}

} // namespace

Implementations make_libsgemm(const std::string& spec, Environment& environment) {
    if (spec == "kernels") {
        return make_catalogue("", environment);
    }
    const auto all = kernels();
    if (std::ranges::any_of(all, [&](const KernelInfo& info) { return is_in(info, spec); })) {
        return make_catalogue(spec, environment);
    }
    const auto request = parse_spec(spec);
    if (!request) {
        throw UsageError(
            "--impl: '" + spec +
            "' is none of auto, kernel:NAME, kernels, a folder of kernels (as progression), "
            "peers, clblast, openblas, blis, cublas, cblas:FILE, fma-peak; --list-impl lists them");
    }
    require_known(request->options);
    if ((request->packs_a || request->packs_b) && !request->is_free) {
        throw UsageError("--impl: packed=... goes with auto and a precision alone");
    }
    Implementations made;
    made.push_back(make_one(spec, *request, environment));
    return made;
}

} // namespace libsgemm::bench
