// SPDX-License-Identifier: Apache-2.0
#include "tune/self_test.hpp"

#include "print.hpp"
#include "sgemm/error.hpp"
#include "sgemm/version.hpp"
#include "support/atomic_file.hpp"
#include "support/text.hpp"
#include "tables/disabled_kernels.hpp"

#include <filesystem>
#include <iostream>
#include <ostream>
#include <string>
#include <vector>

namespace info {
namespace {

using sgemm::DeviceHandle;
namespace tables = sgemm::tables;

std::string comment_for(const DeviceHandle& device) {
    return "Kernels that sgemm-info --self-test found wrong on this machine. libsgemm does not use "
           "them.\n"
           "Run the self-test again after an update of the driver; or remove this file.\n"
           "device: " +
           device.traits.name + "\ndriver: " + device.traits.driver_version +
           "\nlibsgemm: " + sgemm::version();
}

/// A file that cannot be understood was complained of when the table was loaded; it is moved aside
/// and written anew. One that cannot even be read is an error.
std::vector<tables::DisabledKernel> disabled_before(const std::string& file,
                                                    const sgemm::catalog::KernelCatalog& catalog) {
    if (!file.empty())
        sgemm::support::read_file(file);
    try {
        return tables::read_disabled_kernels(file, catalog);
    } catch (const sgemm::ConfigurationError&) {
        return {};
    }
}

} // namespace

bool run_self_test(const Options& options, std::ostream& out) {
    const DeviceHandle device = sgemm::select_device(options.device);
    sgemm::tune::SelfTestSetup setup;
    std::string complaint;
    setup.device = device.traits;
    setup.table = tables::load_table(sgemm::support::environment("SGEMM_TABLE"), device.traits,
                                     *setup.kernels.catalog, complaint);
    setup.worker = {{"/proc/self/exe", "--worker", "--device", device.selector}};
    setup.seconds = options.seconds;
    setup.progress = [](const std::string& text) { std::cerr << "sgemm-info: " << text << '\n'; };
    out << device.traits.name << " (" << device.selector << "), driver "
        << device.traits.driver_version << ", table " << setup.table.origin << std::endl;
    if (!complaint.empty())
        out << complaint << '\n';

    const std::string file = tables::disabled_kernels_path(device.traits);
    setup.table.disabled =
        disabled_before(file, *setup.kernels.catalog); // not what a table says itself
    const sgemm::tune::SelfTestReport report = sgemm::tune::run_self_test(setup);
    const bool changes = !report.disabled.empty() || std::filesystem::exists(file);
    if (!file.empty() && changes)
        tables::write_disabled_kernels(file, report.disabled, comment_for(device));
    out << sgemm::tune::self_test_text(report, file);
    return report.all_right();
}

int serve_self_test(const Options& options) {
    return sgemm::tune::serve(sgemm::select_device(options.device));
}

} // namespace info
