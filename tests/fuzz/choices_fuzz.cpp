// SPDX-License-Identifier: Apache-2.0
// Whatever a file of choices holds, it is read, or moved aside with a complaint; and a choice that
// is kept then is found.
#include "fuzz/bytes.hpp"
#include "sgemm/error.hpp"
#include "support/atomic_file.hpp"
#include "support/temporary_folder.hpp"
#include "tables/choices.hpp"
#include "tables/disabled_kernels.hpp"

#include <filesystem>
#include <fstream>
#include <string>

namespace {

using sgemm_fuzz::require;

void write(const std::string& file, std::string_view bytes) { // to the disk takes longer
    std::ofstream(file, std::ios::binary) << bytes;
}

void keep_a_choice(const libsgemm::tables::ChoiceFile& file, std::string_view bytes) {
    write(file.path, bytes);
    std::string complaint;
    libsgemm::tables::read_choices(file, complaint);
    const bool is_there = std::filesystem::exists(file.path);
    require(is_there == complaint.empty());
    require(is_there || libsgemm::support::read_file(file.path + ".damaged") == bytes);
    libsgemm::tables::save_choice(file, {"NN", {"plan"}}, complaint);
    const auto choices = libsgemm::tables::read_choices(file, complaint);
    require(!choices.empty() && choices.back().problems == "NN" &&
            choices.back().plan.kernel == "plan");
}

/// What a file of these bytes becomes when a choice is kept in it.
std::string kept_text(const libsgemm::tables::ChoiceFile& file, std::string_view bytes) {
    write(file.path, bytes);
    std::string complaint;
    libsgemm::tables::save_choice(file, {"NN", {"plan"}}, complaint);
    return complaint + libsgemm::support::read_file(file.path).value_or("");
}

void read_disabled(const std::string& file, std::string_view bytes) {
    write(file, bytes);
    try {
        libsgemm::tables::read_disabled_kernels(file, libsgemm::catalog::kernel_catalog());
    } catch (const libsgemm::ConfigurationError& error) {
        require(std::string_view(error.what()).substr(0, file.size()) == file);
    }
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const sgemm_test::TemporaryFolder folder;
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const libsgemm::tables::ChoiceFile file{folder / "choices.toml", false, "key"};
    keep_a_choice(file, bytes);
    sgemm_fuzz::require_same_in_any_locale([&] { return kept_text(file, bytes); });
    read_disabled(folder / "disabled.toml", bytes);
    return 0;
}
