// SPDX-License-Identifier: Apache-2.0
#include "device/host_cpu.hpp"
#include "support/environment_variable.hpp"
#include "support/test_device.hpp"

#include <algorithm>

namespace sgemm_test {
namespace {

class Device : public DeviceTest {};

TEST_F(Device, IsPresentWhereRequired) { // the fixture fails or skips
    EXPECT_NE(device().handle().device, nullptr);
    EXPECT_FALSE(device().handle().traits.name.empty());
}

TEST_F(Device, IsListedAndFoundByItsSelector) {
    const std::vector<libsgemm::DeviceHandle> all = libsgemm::list_devices();
    for (const libsgemm::DeviceHandle& one : all) {
        EXPECT_EQ(libsgemm::select_device(one.selector).device, one.device) << one.selector;
        EXPECT_EQ(libsgemm::query_traits(one.device).name, one.traits.name);
    }
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const libsgemm::DeviceHandle& one) {
        return one.device == device().handle().device;
    }));
}

TEST_F(Device, IsFoundByPartOfItsNameInAnyCase) {
    std::string part = device().handle().traits.name.substr(0, 6);
    std::transform(part.begin(), part.end(), part.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
    const std::string found = libsgemm::select_device(part).traits.name;
    EXPECT_EQ(found.substr(0, 6), device().handle().traits.name.substr(0, 6));
}

TEST_F(Device, UnknownSelectorIsAnArgumentError) {
    EXPECT_THROW(libsgemm::select_device("no such device"), libsgemm::ArgumentError);
    EXPECT_THROW(libsgemm::select_device("999:0"), libsgemm::ArgumentError);
}

TEST_F(Device, EnvironmentVariableNamesTheDefault) {
    const libsgemm::DeviceHandle last = libsgemm::list_devices().back();
    {
        const EnvironmentVariable variable("SGEMM_DEVICE", last.selector);
        EXPECT_EQ(libsgemm::select_device().device, last.device);
    }
    const EnvironmentVariable variable("SGEMM_DEVICE", "no such device");
    EXPECT_THROW(libsgemm::select_device(), libsgemm::ArgumentError);
    EXPECT_NO_THROW(libsgemm::select_device(last.selector)); // an explicit selector wins
}

TEST_F(Device, TraitsAreThoseOfTheLibraryContext) {
    EXPECT_EQ(library().traits().name, device().handle().traits.name);
    EXPECT_EQ(library().opencl_context(), device().context());
    EXPECT_EQ(library().opencl_device(), device().handle().device);
    EXPECT_GT(library().traits().compute_units, 0);
    EXPECT_GT(library().traits().max_work_group_size, 0);
    EXPECT_GT(library().traits().local_memory_bytes, 0);
}

TEST_F(Device, HasAMicroarchitectureIfItIsTheHostsCpu) {
    const libsgemm::DeviceTraits& traits = device().handle().traits;
    const libsgemm::device::CpuId host = libsgemm::device::host_cpu_id();
    const bool is_host = traits.type == libsgemm::DeviceType::cpu && traits.vendor == host.vendor;
    EXPECT_EQ(traits.microarchitecture,
              is_host ? libsgemm::device::microarchitecture_of(host) : "");
}

} // namespace
} // namespace sgemm_test
