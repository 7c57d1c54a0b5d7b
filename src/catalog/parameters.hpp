// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <map>
#include <string>
#include <string_view>

namespace libsgemm::catalog {

/// A kernel's parameters by name ("tile_m"). Ordered, so that equal sets print and hash alike.
class Parameters {
public:
    Parameters() = default;
    explicit Parameters(std::map<std::string, int, std::less<>> values)
        : values_(std::move(values)) {}

    /// The value of a parameter that must be there (std::out_of_range else: a catalogue bug).
    int operator[](std::string_view name) const;
    int get_or(std::string_view name, int fallback) const;
    bool contains(std::string_view name) const { return values_.find(name) != values_.end(); }
    void set(std::string_view name, int value) {
        values_.insert_or_assign(std::string(name), value);
    }

    auto begin() const { return values_.begin(); }
    auto end() const { return values_.end(); }
    bool empty() const { return values_.empty(); }
    auto operator<=>(const Parameters&) const = default; // NOLINT(modernize-use-nullptr)

    /// "tile_k=16 tile_m=64"
    std::string to_string() const;

private:
    std::map<std::string, int, std::less<>> values_;
};

} // namespace libsgemm::catalog
