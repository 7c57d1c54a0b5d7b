// SPDX-License-Identifier: Apache-2.0
#include "catalog/parameters.hpp"

#include <stdexcept>

namespace libsgemm::catalog {

int Parameters::operator[](std::string_view name) const {
    const auto found = values_.find(name);
    if (found == values_.end())
        throw std::out_of_range("kernel parameter \"" + std::string(name) + "\" is not set");
    return found->second;
}

int Parameters::get_or(std::string_view name, int fallback) const {
    const auto found = values_.find(name);
    return found == values_.end() ? fallback : found->second;
}

std::string Parameters::to_string() const {
    std::string text;
    for (const auto& [name, value] : values_) {
        if (!text.empty())
            text += ' ';
        text += name + '=' + std::to_string(value);
    }
    return text;
}

} // namespace libsgemm::catalog
