// SPDX-License-Identifier: Apache-2.0
#include "tune/search/shape_classes.hpp"

#include <array>
#include <cstdint>

namespace libsgemm::tune {
namespace {

constexpr std::array<const char*, 4> ops{"NN", "NT", "TN", "TT"};

Shape spaced(const char* op, std::int64_t n, std::int64_t ld) {
    return judge::with_leading_dimensions(judge::make_shape(op, n, n, n), ld, ld, ld);
}

// The shapes of a class have one form (but for the skinny ones): they share builds.
std::vector<ShapeClass> cpu_classes() {
    const auto shape = judge::make_shape;
    return {
        {"square",
         {shape("NN", 512, 512, 512), shape("NN", 384, 384, 384), shape("NN", 768, 768, 768)}},
        {"skinny",
         {shape("NN", 1024, 1, 1024), shape("NN", 1, 1024, 1024), shape("TN", 1024, 16, 1024),
          shape("NN", 16, 1024, 1024), shape("NN", 1152, 4, 896), shape("NN", 16384, 32, 32)}},
        {"small", {shape("NN", 96, 96, 96), shape("NN", 33, 40, 50), shape("NN", 160, 150, 140)}},
        {"odd",
         {shape("NN", 257, 251, 263), shape("NN", 509, 521, 523), shape("NN", 129, 127, 131)}},
        {"llm",
         {shape("TN", 768, 128, 768), shape("TN", 2304, 64, 768), shape("TN", 384, 64, 1536)}},
        {"deep",
         {shape("NN", 64, 64, 8192), shape("NN", 128, 128, 4096), shape("NN", 32, 32, 16384)}},
        {"conv",
         {shape("NN", 784, 128, 576), shape("NN", 3136, 64, 147), shape("NN", 49, 512, 1024),
          shape("TN", 288, 48, 1568)}}, // the last: a gradient of weights
        {"ld1024", {spaced("NT", 512, 1024), spaced("NT", 384, 2048)}}};
}

std::vector<ShapeClass> gpu_classes() {
    const auto shape = judge::make_shape;
    return {
        {"square",
         {shape("NN", 4096, 4096, 4096), shape("NN", 2048, 2048, 2048),
          shape("NN", 1024, 1024, 1024), shape("NN", 512, 512, 512)}},
        {"skinny",
         {shape("NN", 4096, 1, 4096), shape("NN", 1, 4096, 4096), shape("TN", 4096, 16, 4096),
          shape("NN", 16, 4096, 4096), shape("NN", 65536, 64, 64)}},
        {"small",
         {shape("NN", 128, 128, 128), shape("NN", 63, 80, 100), shape("NN", 300, 280, 260)}},
        {"odd",
         {shape("NN", 1021, 1033, 1031), shape("NN", 2039, 2053, 2063),
          shape("NN", 515, 509, 523)}},
        {"llm",
         {shape("TN", 4096, 512, 4096), shape("TN", 12288, 128, 4096),
          shape("TN", 4096, 64, 11008)}},
        {"deep",
         {shape("NN", 256, 256, 65536), shape("NN", 128, 128, 131072),
          shape("NN", 64, 64, 131072)}},
        {"conv",
         {shape("NN", 12544, 128, 576), shape("NN", 50176, 64, 147), shape("NN", 784, 512, 1152)}},
        {"ld1024", {spaced("NT", 3072, 4096), spaced("NT", 2048, 8192)}}};
}

/// Leading dimensions with gaps stay as they are: such shapes are square.
Shape in_op(const Shape& shape, const char* op) {
    const Shape dense = judge::make_shape(op, shape.m, shape.n, shape.k);
    return shape.lda == shape.rows_a()
               ? dense
               : judge::with_leading_dimensions(dense, shape.lda, shape.ldb, shape.ldc);
}

/// Products of so few rows, and of so few columns, in all combinations of transposes.
void add_thin(std::vector<Shape>& shapes, std::int64_t thin, std::int64_t wide, std::int64_t k) {
    for (const char* op : ops) {
        shapes.push_back(judge::make_shape(op, wide, thin, k));
        shapes.push_back(judge::make_shape(op, thin, wide, k));
    }
}

} // namespace

std::vector<ShapeClass> default_classes(const DeviceTraits& device) {
    return device.type == DeviceType::cpu ? cpu_classes() : gpu_classes();
}

std::vector<Shape> related_shapes(const DeviceTraits& device) {
    const bool on_cpu = device.type == DeviceType::cpu;
    std::vector<Shape> shapes;
    for (const std::int64_t size : {32, 64, 128}) {
        shapes.push_back(judge::make_shape("NN", size, size, size));
        shapes.push_back(judge::make_shape("TT", size + 1, size + 1, size + 1));
    }
    for (const std::int64_t thin : {2, 4, 8}) {
        add_thin(shapes, thin, on_cpu ? 1280 : 3072, on_cpu ? 768 : 5120);
    }
    add_thin(shapes, 6, on_cpu ? 640 : 1280, on_cpu ? 640 : 1280);
    // Leading dimensions that crowd cache sets and memory channels.
    add_thin(shapes, 3, on_cpu ? 2048 : 4096, on_cpu ? 1024 : 4096);
    for (const ShapeClass& shape_class : default_classes(device)) {
        for (const Shape& shape : shape_class.shapes) {
            for (const char* op : ops) {
                shapes.push_back(in_op(shape, op));
            }
        }
    }
    return shapes;
}

} // namespace libsgemm::tune
