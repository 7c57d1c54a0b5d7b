// SPDX-License-Identifier: Apache-2.0
#include "support/compare.hpp"

#include <iomanip>
#include <sstream>

namespace sgemm_test {
namespace {

/// Keeps the first few lines and counts the rest.
class Listing {
public:
    template <typename Write>
    void add(const Write& write) {
        if (++count_ <= shown) {
            write(lines_);
            lines_ << '\n';
        }
    }
    std::string text() const {
        if (count_ <= shown) {
            return lines_.str();
        }
        return lines_.str() + "  ... and " + std::to_string(count_ - shown) + " more\n";
    }

private:
    static constexpr std::int64_t shown = 6;
    std::int64_t count_ = 0;
    std::ostringstream lines_;
};

bool right(float result, const Expected& expected, std::int64_t k, Exactness exactness) {
    return exactness == Exactness::exact ? static_cast<double>(result) == expected.value
                                         : acceptable(result, expected, k);
}

void list_changes(Listing& listing, const std::string& name, const HostMatrix& host,
                  const std::vector<float>& image, const std::vector<bool>& ignored) {
    for (std::size_t i = 0; i < image.size(); ++i) {
        if (!ignored[i] && !same_bits(image[i], host.image()[i])) {
            listing.add([&](std::ostream& out) {
                out << "  " << name << "'s buffer changed at element " << i << " (offset "
                    << host.offset() << "): " << host.image()[i] << " -> " << image[i];
            });
        }
    }
}

std::string changes(const std::string& name, const HostMatrix& host, const DeviceMatrix& downloaded,
                    const std::vector<bool>& ignored) {
    Listing listing;
    if (!downloaded.guards_intact()) {
        listing.add(
            [&](std::ostream& out) { out << "  write outside of " << name << "'s buffer"; });
    }
    list_changes(listing, name, host, downloaded.image(), ignored);
    return listing.text();
}

} // namespace

std::string difference_from_reference(const Reference& reference, std::int64_t k,
                                      const HostMatrix& c, const std::vector<float>& image,
                                      Exactness exactness) {
    Listing listing;
    const Storage& storage = c.storage();
    for (std::int64_t matrix = 0; matrix < storage.batch; ++matrix) {
        for (std::int64_t row = 0; row < storage.rows; ++row) {
            for (std::int64_t column = 0; column < storage.columns; ++column) {
                const Expected& expected = reference.at(matrix, row, column);
                const float result = c.in(image, matrix, row, column);
                if (right(result, expected, k, exactness)) {
                    continue;
                }
                listing.add([&](std::ostream& out) {
                    out << std::setprecision(9) << "  C[" << matrix << "](" << row << ", " << column
                        << ") = " << result << ", reference " << expected.value << " +- "
                        << (exactness == Exactness::exact ? 0.0
                                                          : error_bound(k, expected.magnitude));
                });
            }
        }
    }
    return listing.text();
}

std::string difference_outside(const std::string& name, const HostMatrix& host,
                               const DeviceMatrix& downloaded) {
    return changes(name, host, downloaded, host.element_mask());
}

std::string difference_anywhere(const std::string& name, const HostMatrix& host,
                                const DeviceMatrix& downloaded) {
    return changes(name, host, downloaded, std::vector<bool>(host.image().size(), false));
}

} // namespace sgemm_test
