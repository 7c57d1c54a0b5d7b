// SPDX-License-Identifier: Apache-2.0
// A long product in blocks of columns: while the device computes one block, the next one is on its
// way to it and the one before on its way back. Two queues, two sets of buffers, events between
// them; the host waits once, at the end.
#define CL_HPP_TARGET_OPENCL_VERSION 200
#define CL_HPP_ENABLE_EXCEPTIONS
#include <CL/opencl.hpp>
#include <chrono>
#include <cmath>
#include <iostream>
#include <sgemm/opencl_hpp.hpp>
#include <vector>

namespace {

constexpr std::size_t m = 512, k = 512, block = 256, blocks = 8;

/// What one block needs on the device, and until when it does.
struct Slot {
    cl::Buffer b, c;
    cl::Event computed;   // B's block has been read
    cl::Event downloaded; // C's block has been read
};

std::vector<cl::Event> list(const cl::Event& event) {
    return event() == nullptr ? std::vector<cl::Event>() : std::vector<cl::Event>{event};
}

/// C = A * B block by block. With one queue for everything nothing overlaps.
double multiply(const libsgemm::Context& context, const cl::Context& opencl,
                const cl::CommandQueue& transfers, const cl::CommandQueue& compute,
                const cl::Buffer& a, const std::vector<float>& b, std::vector<float>& c) {
    std::vector<Slot> slots(2);
    for (Slot& slot : slots) {
        slot.b = cl::Buffer(opencl, CL_MEM_READ_ONLY, sizeof(float) * k * block);
        slot.c = cl::Buffer(opencl, CL_MEM_READ_WRITE, sizeof(float) * m * block);
    }
    const libsgemm::Problem problem(m, block, k);
    const auto start = std::chrono::steady_clock::now();
    cl::Event uploaded;
    std::vector<cl::Event> before = {};
    const auto upload = [&](std::size_t i) {
        Slot& slot = slots[i % 2];
        const auto wait = list(slot.computed); // the block before last has been read
        transfers.enqueueWriteBuffer(slot.b, CL_FALSE, 0, sizeof(float) * k * block,
                                     b.data() + i * k * block, &wait, &uploaded);
        transfers.flush();
    };
    upload(0);
    for (std::size_t i = 0; i < blocks; ++i) {
        Slot& slot = slots[i % 2];
        before = list(uploaded);
        for (const cl::Event& event : list(slot.downloaded)) {
            before.push_back(event);
        }
        slot.computed =
            libsgemm::gemm(context, compute, problem, 1.0F, a, slot.b, 0.0F, slot.c, before);
        compute.flush();
        if (i + 1 < blocks) {
            upload(i + 1); // while the device computes
        }
        const auto wait = list(slot.computed);
        transfers.enqueueReadBuffer(slot.c, CL_FALSE, 0, sizeof(float) * m * block,
                                    c.data() + i * m * block, &wait, &slot.downloaded);
        transfers.flush();
    }
    transfers.finish();
    compute.finish();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

} // namespace

int main() try {
    const cl::Device device(libsgemm::select_device().device, true);
    const cl::Context opencl(device);
    const cl::CommandQueue one(opencl, device), other(opencl, device);
    const libsgemm::Context context = libsgemm::make_context(opencl, device);
    std::vector<float> a_host(m * k), b(k * block * blocks), c(m * block * blocks);
    for (std::size_t i = 0; i < a_host.size(); ++i) {
        a_host[i] = static_cast<float>(i % 7) - 3.0F;
    }
    for (std::size_t i = 0; i < b.size(); ++i) {
        b[i] = static_cast<float>(i % 5) - 2.0F;
    }
    const cl::Buffer a(opencl, a_host.begin(), a_host.end(), true);

    multiply(context, opencl, one, one, a, b, c); // plans and compiles
    const double in_one_queue = multiply(context, opencl, one, one, a, b, c);
    std::fill(c.begin(), c.end(), NAN);
    const double in_two = multiply(context, opencl, other, one, a, b, c);

    for (std::size_t j = 0; j < block * blocks; j += 97) { // small whole numbers: exact
        for (std::size_t i = 0; i < m; i += 31) {
            float sum = 0;
            for (std::size_t p = 0; p < k; ++p) {
                sum += a_host[p * m + i] * b[j * k + p];
            }
            if (c[j * m + i] != sum) {
                std::cerr << "overlap: wrong at (" << i << ", " << j << ")\n";
                return 1;
            }
        }
    }
    std::cout << "one queue " << 1e3 * in_one_queue << " ms, two queues " << 1e3 * in_two
              << " ms\nOK\n";
    return 0;
} catch (const std::exception& error) {
    std::cerr << "overlap: " << error.what() << '\n';
    return 1;
}
