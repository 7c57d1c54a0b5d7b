// SPDX-License-Identifier: Apache-2.0
#include "clblast_tuning.hpp"

#include "judge/shape.hpp"
#include "support/text.hpp"
#include "support/text_stream.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace libsgemm::bench {
namespace {

using judge::UsageError;

/// CLBlast's name of a kernel by what its tuners call it, less the number of the search
/// ("xgemm_2").
const std::map<std::string, std::string>& kernels_by_family() {
    static const std::map<std::string, std::string> names{{"copy", "Copy"},
                                                          {"gemm_routine", "GemmRoutine"},
                                                          {"pad", "Pad"},
                                                          {"padtranspose", "Padtranspose"},
                                                          {"transpose", "Transpose"},
                                                          {"xgemm", "Xgemm"},
                                                          {"xgemm_direct", "XgemmDirect"}};
    return names;
}

std::string without_number(std::string family) {
    const auto end = family.find_last_not_of("0123456789");
    if (end != std::string::npos && family[end] == '_') {
        family.resize(end);
    }
    return family;
}

using ParameterValues = ClblastParameters::mapped_type;

/// "KWG=32 KWI=2"
ParameterValues parse_values(const std::string& text) {
    ParameterValues values;
    support::TextReader words(text);
    for (std::string word; words >> word;) {
        const auto equals = word.find('=');
        const auto value =
            equals == std::string::npos || equals == 0
                ? std::nullopt
                : support::parse_number<std::size_t>(std::string_view(word).substr(equals + 1));
        if (!value) {
            throw UsageError("'" + word + "' is not NAME=NUMBER");
        }
        values[word.substr(0, equals)] = *value;
    }
    return values;
}

struct Tuned {
    double milliseconds = 0;
    ParameterValues values;
};

/// Keeps the faster of what `found` has for the file's kernel and what the file says.
void read_file(const std::filesystem::path& path, const std::string& device,
               std::map<std::string, Tuned>& found) {
    try {
        const auto json = nlohmann::json::parse(std::ifstream(path));
        const auto kernel =
            kernels_by_family().find(without_number(json.at("kernel_family").get<std::string>()));
        if (kernel == kernels_by_family().end() || json.at("precision") != "32") {
            return;
        }
        if (const auto tuned_on = json.at("device").get<std::string>(); tuned_on != device) {
            throw UsageError("it is for " + tuned_on + ", not for " + device);
        }
        const auto time = support::parse_number<double>(json.at("best_time").get<std::string>());
        if (!time) {
            throw UsageError("its best_time is no number");
        }
        const auto [known, is_new] = found.try_emplace(kernel->second);
        if (is_new || *time < known->second.milliseconds) {
            known->second = {*time, parse_values(json.at("best_parameters").get<std::string>())};
        }
    } catch (const std::exception& reason) {
        throw UsageError(path.string() +
                         ": not written by a tuner of CLBlast for this device: " + reason.what());
    }
}

/// The tuners' files by name: among equal times the first counts.
std::vector<std::filesystem::path> files_of(const std::string& folder) {
    if (!std::filesystem::is_directory(folder)) {
        throw UsageError("'" + folder + "' is not a folder");
    }
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        if (name.rfind("clblast_", 0) == 0 && entry.path().extension() == ".json") {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

/// Throws UsageError unless `values` have all names of `base`.
void require_names(const std::string& kernel, const ParameterValues& base,
                   const ParameterValues& values) {
    const auto missing = std::find_if(base.begin(), base.end(), [&](const auto& parameter) {
        return values.find(parameter.first) == values.end();
    });
    if (missing != base.end()) {
        throw UsageError("tuning of CLBlast's " + kernel + ": " + missing->first + " is missing");
    }
}

} // namespace

std::vector<std::string> clblast_gemm_kernels() {
    std::vector<std::string> kernels;
    for (const auto& [family, kernel] : kernels_by_family()) {
        kernels.push_back(kernel);
    }
    return kernels;
}

ClblastParameters read_clblast_tuning(const std::string& folder, const std::string& device) {
    std::map<std::string, Tuned> found;
    for (const auto& file : files_of(folder)) {
        read_file(file, device, found);
    }
    if (found.empty()) {
        throw UsageError("'" + folder + "' has no clblast_*.json of CLBlast's tuners for SGEMM");
    }
    ClblastParameters parameters;
    for (const auto& [kernel, tuned] : found) {
        parameters[kernel] = tuned.values;
    }
    return parameters;
}

ClblastParameters with_tuned(ClblastParameters base, const ClblastParameters& tuned) {
    for (const auto& [kernel, values] : tuned) {
        require_names(kernel, base[kernel], values);
        base[kernel] = values;
    }
    return base;
}

std::string to_string(const ClblastParameters& parameters) {
    std::string text;
    for (const auto& [kernel, values] : parameters) {
        text += (text.empty() ? "" : ", ") + kernel;
        for (const auto& [name, value] :
             std::map<std::string, std::size_t>(values.begin(), values.end())) {
            text += ' ' + name + '=' + std::to_string(value);
        }
    }
    return text;
}

} // namespace libsgemm::bench
