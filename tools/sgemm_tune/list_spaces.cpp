// SPDX-License-Identifier: Apache-2.0
//
// sgemm-tune --list: what can be searched.
#include "support/text_stream.hpp"
#include "tune/search/space.hpp"
#include "tune_command.hpp"

#include <algorithm>
#include <iomanip>
#include <iostream>

namespace libsgemm::tune {
namespace {

void print_space(const catalog::KernelEntry& kernel, const DeviceTraits& device,
                 const Restrictions& restrictions, bool with_rules) {
    const Space space = kernel_space(kernel, device, restrictions);
    const Space::Count count = space.count_feasible();
    support::TextWriter left;
    left << (count.exact ? "" : "about ") << std::setprecision(count.exact ? 12 : 3)
         << count.points;
    std::cout << std::left << std::setw(28) << kernel.name << std::right << std::setw(12)
              << std::setprecision(6) << space.size() << std::setw(18) << left.str() << '\n';
    if (!with_rules) {
        return;
    }
    for (const Dimension& dimension : space.dimensions()) {
        std::cout << "    " << dimension.name << ':';
        for (const int value : dimension.values) {
            std::cout << ' ' << value;
        }
        std::cout << '\n';
    }
    for (const RuleShare& rule : rule_shares(kernel, device)) {
        std::cout << "    " << std::fixed << std::setprecision(1) << std::setw(5)
                  << 100 * rule.share << std::defaultfloat << " % break: " << rule.reason << '\n';
    }
}

} // namespace

void list_spaces(const TuneCommand& options, const DeviceTraits& device) {
    std::cout << "search spaces on " << device.name << "\n\n"
              << std::left << std::setw(28) << "kernel" << std::right << std::setw(12) << "points"
              << std::setw(18) << "keep the rules" << '\n';
    const auto restrictions = parse_restrictions(options.restrictions);
    for (const catalog::KernelEntry& kernel : catalog::kernel_catalog().entries()) {
        const bool wanted =
            options.kernels.empty() ||
            std::ranges::find(options.kernels, kernel.name) != options.kernels.end();
        if (wanted) {
            print_space(kernel, device, restrictions, !options.kernels.empty());
        }
    }
    std::cout
        << "\n--list --kernels NAME shows the values, and how many points each rule excludes\n";
}

} // namespace libsgemm::tune
