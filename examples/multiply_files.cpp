// SPDX-License-Identifier: Apache-2.0
// Reads two matrices from text files and writes their product:  multiply_files A.txt B.txt C.txt
//
// A file holds the numbers of rows and columns, then the values row by row, separated by white
// space.
#define CL_HPP_TARGET_OPENCL_VERSION 200
#define CL_HPP_ENABLE_EXCEPTIONS
#include <CL/opencl.hpp>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <limits>
#include <sgemm/opencl_hpp.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct HostMatrix {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::vector<float> values; // row by row
};

std::string shape(const HostMatrix& matrix) {
    return std::to_string(matrix.rows) + " x " + std::to_string(matrix.columns);
}

HostMatrix read_matrix(const std::string& path) {
    std::ifstream file(path);
    if (!file)
        throw std::runtime_error(path + ": cannot be opened");
    HostMatrix matrix;
    if (!(file >> matrix.rows >> matrix.columns) || matrix.rows <= 0 || matrix.columns <= 0)
        throw std::runtime_error(path +
                                 ": does not start with positive numbers of rows and columns");
    // No allocation by what the header says: values are counted as they come.
    for (float value = 0; file >> value;)
        matrix.values.push_back(value);
    if (!file.eof())
        throw std::runtime_error(path + ": value " + std::to_string(matrix.values.size() + 1) +
                                 " is not a number that a float holds");
    const auto count = static_cast<std::int64_t>(matrix.values.size());
    if (count % matrix.rows != 0 || count / matrix.rows != matrix.columns)
        throw std::runtime_error(path + ": holds " + std::to_string(count) + " values, not " +
                                 shape(matrix));
    return matrix;
}

void write_matrix(const std::string& path, const HostMatrix& matrix) {
    std::ofstream file(path);
    file.precision(std::numeric_limits<float>::max_digits10);
    file << matrix.rows << ' ' << matrix.columns << '\n';
    for (std::size_t i = 0; i < matrix.values.size(); ++i) {
        const bool row_ends = (i + 1) % static_cast<std::size_t>(matrix.columns) == 0;
        file << matrix.values[i] << (row_ends ? '\n' : ' ');
    }
    if (!file.flush())
        throw std::runtime_error(path + ": cannot be written");
}

HostMatrix multiply(const HostMatrix& a, const HostMatrix& b) {
    const cl::Device device(libsgemm::select_device().device, true);
    const cl::Context opencl(device);
    const cl::CommandQueue queue(opencl, device);
    const libsgemm::Context context = libsgemm::make_context(opencl, device);

    libsgemm::Problem problem(a.rows, b.columns, a.columns);
    problem.layout = libsgemm::Layout::row_major;

    HostMatrix c{a.rows, b.columns, {}};
    c.values.resize(static_cast<std::size_t>(c.rows * c.columns));
    const cl::Buffer a_buffer(opencl, a.values.begin(), a.values.end(), true);
    const cl::Buffer b_buffer(opencl, b.values.begin(), b.values.end(), true);
    const cl::Buffer c_buffer(opencl, CL_MEM_READ_WRITE, c.values.size() * sizeof(float));

    // In an in-order queue the copy comes after the product; no need to wait in between.
    libsgemm::gemm(context, queue, problem, 1.0F, a_buffer, b_buffer, 0.0F, c_buffer);
    cl::copy(queue, c_buffer, c.values.begin(), c.values.end());
    return c;
}

} // namespace

int main(int argc, char** argv) try {
    if (argc != 4) {
        std::cerr << "usage: multiply_files A.txt B.txt C.txt\n";
        return 2;
    }
    const HostMatrix a = read_matrix(argv[1]);
    const HostMatrix b = read_matrix(argv[2]);
    if (a.columns != b.rows)
        throw std::runtime_error("A (" + shape(a) + ") must have as many columns as B (" +
                                 shape(b) + ") has rows");
    const HostMatrix c = multiply(a, b);
    write_matrix(argv[3], c);
    std::cout << argv[3] << ": " << shape(c) << '\n';
    return 0;
} catch (const std::exception& error) {
    std::cerr << "multiply_files: " << error.what() << '\n';
    return 1;
}
