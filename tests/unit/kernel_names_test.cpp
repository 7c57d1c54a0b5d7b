// SPDX-License-Identifier: Apache-2.0
// The catalogue alone knows kernels by name, and folders of kernels/: who adds a kernel has nothing
// to change elsewhere in src/.
#include "catalog/kernel_catalog.hpp"
#include "catalog/passes.hpp"
#include "support/fake_device.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <string>

namespace libsgemm::catalog {
namespace {

namespace fs = std::filesystem;

class KernelNames : public ::testing::Test {
protected:
    KernelNames() {
        for (const auto* entries : {&kernel_catalog().entries(), &kernel_catalog().schemes()}) {
            for (const KernelEntry& entry : *entries) {
                forbidden_.insert('"' + std::string(entry.name) + '"');
                forbid_folder(entry.source);
            }
        }
        for (const PassEntry& pass : passes(sgemm_test::fake_device())) {
            forbid_folder(pass.source);
        }
    }

    /// What literals of paths in it begin with.
    void forbid_folder(std::string_view source) {
        forbidden_.insert('"' + std::string(source.substr(0, source.find('/') + 1)));
    }
    std::string found_in(const fs::path& file) const {
        std::ifstream stream(file);
        std::string found;
        for (std::string line; std::getline(stream, line);) {
            const bool is_code = !line.starts_with("#include");
            for (const std::string& literal : forbidden_) {
                if (is_code && line.find(literal) != std::string::npos) {
                    found += literal + ' ';
                }
            }
        }
        return found;
    }

    std::set<std::string> forbidden_;
};

TEST_F(KernelNames, AreTheCataloguesAlone) {
    ASSERT_TRUE(forbidden_.contains("\"01_naive\""));
    ASSERT_TRUE(forbidden_.contains("\"progression/"));
    const fs::path root = SGEMM_SOURCE_DIR;
    EXPECT_NE(found_in(root / "catalog" / "tiled.cpp"), "") << "the search finds what there is";
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
        const std::string path = fs::relative(entry.path(), root).generic_string();
        const bool is_source = path.ends_with(".cpp") || path.ends_with(".hpp");
        // An argument of the C interface happens to be called `packed`.
        if (is_source && !path.starts_with("catalog/") && path != "doors/c/packed_matrix.cpp") {
            EXPECT_EQ(found_in(entry.path()), "") << path;
        }
    }
}

} // namespace
} // namespace libsgemm::catalog
