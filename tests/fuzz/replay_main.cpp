// SPDX-License-Identifier: Apache-2.0
// What a fuzz target's main() is where there is no fuzzer: runs the corpus, and for each of its
// files a fixed number of simple mutations.
#include "fuzz/bytes.hpp"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

namespace {

void run(const std::string& bytes) {
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

std::string mutated(std::string bytes, std::mt19937_64& random) {
    const std::size_t changes = 1 + random() % 4;
    for (std::size_t i = 0; i < changes && !bytes.empty(); ++i) {
        const std::size_t place = random() % bytes.size();
        switch (random() % 3) {
        case 0:
            bytes[place] = static_cast<char>(random());
            break;
        case 1:
            bytes.erase(place, 1 + random() % 8);
            break;
        default:
            bytes.insert(place, bytes.substr(random() % bytes.size(), 1 + random() % 16));
        }
    }
    return bytes;
}

} // namespace

int main(int argc, char** argv) {
    constexpr int mutations = 200;
    std::size_t files = 0;
    std::mt19937_64 random(1);
    for (int i = 1; i < argc; ++i) {
        for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
            std::ifstream stream(entry.path(), std::ios::binary);
            const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
            run(bytes);
            for (int j = 0; j < mutations; ++j) {
                run(mutated(bytes, random));
            }
            ++files;
        }
    }
    std::cout << files << " files\n";
    return files == 0 ? 1 : 0;
}
