// SPDX-License-Identifier: Apache-2.0
#include "support/user_folder.hpp"

#include "support/text.hpp"

#include <filesystem>

namespace libsgemm::support {
namespace {

bool is_absolute(const std::string& folder) {
    return std::filesystem::path(folder).is_absolute();
}

} // namespace

std::string user_folder(const char* variable, const std::string& below_home) {
    std::string named = environment(variable);
    if (is_absolute(named)) {
        return named;
    }
    const std::string home = environment("HOME");
    return is_absolute(home) ? home + '/' + below_home : std::string();
}

} // namespace libsgemm::support
