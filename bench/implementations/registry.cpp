// SPDX-License-Identifier: Apache-2.0
#include "implementations/registry.hpp"

#include "implementations/makers.hpp"
#include "sgemm/kernels.hpp"

#include <functional>
#include <string_view>

namespace libsgemm::bench {
namespace {

constexpr const char* calling_thread = "auto:calling_thread";
constexpr std::string_view cblas_file = "cblas:";

/// Devices beside which a peer is measured where "peers" are asked for.
enum class Beside { any, cpu, gpu };

struct Peer {
    std::string name;
    Beside beside;
    std::string summary;
    std::function<Implementations(Environment&)> make;
};

const std::vector<Peer>& peers() {
    static const std::vector<Peer> list{
        {"clblast", Beside::any, "CLBlast on the same device, with the parameters it ships",
         make_clblast},
        {"clblast-tuned", Beside::any,
         "the same with what its tuners found (--clblast-tuning FOLDER)", make_clblast_tuned},
        {"openblas", Beside::cpu, "OpenBLAS on all CPU cores, through CBLAS", make_openblas},
        {"blis", Beside::cpu, "BLIS on all CPU cores, through CBLAS", make_blis},
        {"fma-peak", Beside::cpu,
         "no product: as many fused multiply-adds, the device's peak and launch overhead",
         make_fma_peak},
        {"cublas", Beside::gpu, "cuBLAS in strict fp32 on an NVIDIA GPU", make_cublas},
    };
    return list;
}

/// CLBlast, and what a device of the kind under test is compared with: CPU libraries and the
/// peak on a CPU, cuBLAS elsewhere. What is not here is left out.
Implementations make_peers(Environment& environment) {
    const auto device =
        !environment.opencl || environment.opencl->device().traits.type == DeviceType::cpu
            ? Beside::cpu
            : Beside::gpu;
    Implementations made;
    for (const Peer& peer : peers()) {
        if (peer.beside != Beside::any && peer.beside != device) {
            continue;
        }
        try {
            for (auto& implementation : peer.make(environment)) {
                made.push_back(std::move(implementation));
            }
        } catch (const Unavailable&) {
            continue;
        }
    }
    return made;
}

std::string obstacle_of(const std::function<Implementations()>& make) {
    try {
        make();
        return {};
    } catch (const Unavailable& reason) {
        return reason.what();
    } catch (const UsageError& reason) { // --clblast-tuning of another device, say
        return reason.what();
    }
}

} // namespace

Implementations make_implementations(const std::string& spec, Environment& environment) {
    if (spec == "peers") {
        return make_peers(environment);
    }
    for (const Peer& peer : peers()) {
        if (peer.name == spec) {
            return peer.make(environment);
        }
    }
    if (spec.starts_with(cblas_file)) {
        return make_cblas_file(spec.substr(cblas_file.size()), environment);
    }
    if (spec == calling_thread) {
        return make_calling_thread(environment);
    }
    return make_libsgemm(spec, environment);
}

std::vector<ListedImplementation> list_implementations(Environment& environment) {
    std::vector<ListedImplementation> list;
    const auto add = [&](const std::string& spec, const std::string& summary) {
        list.push_back(
            {spec, summary, obstacle_of([&] { return make_implementations(spec, environment); })});
    };
    add("auto", "libsgemm as a program calls it: the planner chooses");
    add(calling_thread,
        "the same, small products by the device that computes in the calling thread");
    for (const KernelInfo& kernel : kernels()) {
        add("kernel:" + kernel.name, kernel.summary);
    }
    for (const Peer& peer : peers()) {
        add(peer.name, peer.summary);
    }
    list.push_back({"cblas:FILE[:SYMBOL]", "any shared library with cblas_sgemm", ""});
    return list;
}

} // namespace libsgemm::bench
