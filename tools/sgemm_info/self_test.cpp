// SPDX-License-Identifier: Apache-2.0
#include "tune/selftest/self_test.hpp"

#include "print.hpp"
#include "sgemm/error.hpp"
#include "sgemm/version.hpp"
#include "support/atomic_file.hpp"
#include "tables/disabled_kernels.hpp"

#include <filesystem>
#include <iostream>
#include <ostream>
#include <string>
#include <vector>

namespace info {
namespace {

using libsgemm::DeviceHandle;
namespace tables = libsgemm::tables;

std::string comment_for(const DeviceHandle& device) {
    return "Kernels that sgemm-info --self-test found wrong on this machine. libsgemm does not use "
           "them.\n"
           "Run the self-test again after an update of the driver; or remove this file.\n"
           "device: " +
           device.traits.name + "\ndriver: " + device.traits.driver_version +
           "\nlibsgemm: " + libsgemm::version();
}

/// A file that cannot be understood was complained of when the table was loaded; it is moved aside
/// and written anew. One that cannot even be read is an error.
std::vector<tables::DisabledKernel>
disabled_before(const std::string& file, const libsgemm::catalog::KernelCatalog& catalog) {
    if (!file.empty())
        libsgemm::support::read_file(file);
    try {
        return tables::read_disabled_kernels(file, catalog);
    } catch (const libsgemm::ConfigurationError&) {
        return {};
    }
}

} // namespace

bool run_self_test(const Options& options, std::ostream& out) {
    const DeviceHandle device = libsgemm::select_device(options.device);
    libsgemm::tune::SelfTestSetup setup;
    std::string complaint;
    setup.device = device.traits;
    setup.table = tables::usual_table(device.traits, complaint);
    setup.worker = {{"/proc/self/exe", "--worker", "--device", device.selector}};
    setup.seconds = options.seconds;
    setup.progress = [](const std::string& text) { std::cerr << "sgemm-info: " << text << '\n'; };
    out << device.traits.name << " (" << device.selector << "), driver "
        << device.traits.driver_version << ", table " << setup.table.origin << std::endl;
    if (!complaint.empty())
        out << complaint << '\n';

    const std::string file = tables::disabled_kernels_path(device.traits);
    setup.table.disabled = disabled_before(file, *setup.kernels); // not what a table says itself
    const libsgemm::tune::SelfTestReport report = libsgemm::tune::run_self_test(setup);
    const bool changes = !report.disabled.empty() || std::filesystem::exists(file);
    if (!file.empty() && changes)
        tables::write_disabled_kernels(file, report.disabled, comment_for(device));
    out << libsgemm::tune::self_test_text(report, file);
    return report.all_right();
}

int serve_self_test(const Options& options) {
    return libsgemm::tune::serve(libsgemm::select_device(options.device));
}

} // namespace info
