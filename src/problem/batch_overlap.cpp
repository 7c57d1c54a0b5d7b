// SPDX-License-Identifier: Apache-2.0
#include "problem/batch_overlap.hpp"

#include "problem/overlap.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace libsgemm::validate {
namespace {

// --- matrices of one leading dimension ----------------------------------------------------------
//
// An element at x is in line x / ld, at x % ld of it: there a matrix is a rectangle, or two where
// it reaches over the end of a line. Whether rectangles meet is told by a sweep over the lines.

/// [begin, end) of the lines [first, last).
struct Rectangle {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t first = 0;
    std::int64_t last = 0;
    std::int64_t offset = 0; ///< of its matrix
    bool is_other = false;
};

/// Those of the others are not cut where lines end, so that all are as wide as a line of theirs:
/// what hangs over meets nothing, as C's are cut.
void append_rectangles(std::vector<Rectangle>& rectangles, const Scattered& matrices,
                       std::int64_t ld, bool are_others) {
    for (const std::int64_t offset : matrices.offsets) {
        const std::int64_t line = offset / ld;
        const std::int64_t begin = offset % ld;
        const std::int64_t end = begin + matrices.one.line;
        const std::int64_t last = line + matrices.one.lines;
        rectangles.push_back(
            {begin, are_others ? end : std::min(end, ld), line, last, offset, are_others});
        if (end > ld) {
            rectangles.push_back(
                {are_others ? begin - ld : 0, end - ld, line + 1, last + 1, offset, are_others});
        }
    }
}

/// Where the sweep meets the first or has left the last line of a rectangle.
struct Edge {
    std::int64_t line = 0;
    bool is_first = false; ///< at one line all that end come before all that begin
    std::size_t rectangle = 0;

    bool operator<(const Edge& other) const {
        return std::tie(line, is_first, rectangle) <
               std::tie(other.line, other.is_first, other.rectangle);
    }
};

std::vector<Edge> edges_of(const std::vector<Rectangle>& rectangles) {
    std::vector<Edge> edges;
    edges.reserve(2 * rectangles.size());
    for (std::size_t i = 0; i < rectangles.size(); ++i) {
        edges.push_back({rectangles[i].first, true, i});
        edges.push_back({rectangles[i].last, false, i});
    }
    std::sort(edges.begin(), edges.end());
    return edges;
}

/// The rectangles that the sweep is in: C's, which do not meet, and the others', which are equally
/// wide.
class Line {
public:
    explicit Line(std::int64_t width_of_others) : width_of_others_(width_of_others) {}

    /// The offset of the matrix of C that meets what is added.
    std::optional<std::int64_t> add(const Rectangle& rectangle) {
        return rectangle.is_other ? add_other(rectangle) : add_c(rectangle);
    }
    void remove(const Rectangle& rectangle) {
        if (rectangle.is_other) {
            others_.erase(others_.find(rectangle.begin));
        } else {
            c_.erase(rectangle.begin);
        }
    }

private:
    /// C's rectangle that begins last of those before `end`, if it reaches beyond `begin`.
    const Rectangle* find_c(std::int64_t begin, std::int64_t end) const {
        const auto behind = c_.lower_bound(end);
        if (behind == c_.begin()) {
            return nullptr;
        }
        const Rectangle* last = std::prev(behind)->second;
        return last->end > begin ? last : nullptr;
    }
    std::optional<std::int64_t> add_c(const Rectangle& rectangle) {
        const auto other = others_.upper_bound(rectangle.begin - width_of_others_);
        if (find_c(rectangle.begin, rectangle.end) != nullptr ||
            (other != others_.end() && *other < rectangle.end)) {
            return rectangle.offset;
        }
        c_.emplace(rectangle.begin, &rectangle);
        return std::nullopt;
    }
    std::optional<std::int64_t> add_other(const Rectangle& rectangle) {
        if (const Rectangle* met = find_c(rectangle.begin, rectangle.end)) {
            return met->offset;
        }
        others_.insert(rectangle.begin);
        return std::nullopt;
    }

    std::map<std::int64_t, const Rectangle*> c_; ///< by begin
    std::multiset<std::int64_t> others_;         ///< begins
    std::int64_t width_of_others_;
};

std::optional<std::int64_t> sweep(const std::vector<Rectangle>& rectangles,
                                  std::int64_t width_of_others) {
    Line line(width_of_others);
    for (const Edge& edge : edges_of(rectangles)) {
        const Rectangle& rectangle = rectangles[edge.rectangle];
        if (!edge.is_first) {
            line.remove(rectangle);
        } else if (const auto met = line.add(rectangle)) {
            return met;
        }
    }
    return std::nullopt;
}

/// A leading dimension that both have, 0 if there is none: a single line goes with any that is no
/// shorter.
std::int64_t common_ld(const Stored& x, const Stored& y) {
    if (x.lines > 1 && y.lines > 1) {
        return x.ld == y.ld ? x.ld : 0;
    }
    const std::int64_t longest = std::max(x.line, y.line);
    const std::int64_t ld = x.lines > 1 ? x.ld : y.lines > 1 ? y.ld : longest;
    return longest <= ld ? ld : 0;
}

// --- matrices of different leading dimensions ---------------------------------------------------

/// Whether one of the ascending `begins`, of things of that extent, lies over [begin, begin +
/// length).
bool lies_over(const std::vector<std::int64_t>& begins, std::int64_t extent, std::int64_t begin,
               std::int64_t length) {
    const auto found = std::upper_bound(begins.begin(), begins.end(), begin - extent);
    return found != begins.end() && *found < begin + length;
}

/// Those of `matrices` whose extents meet another's.
Scattered within_reach(const Scattered& matrices, const Scattered& others) {
    Scattered result{matrices.one, {}};
    std::copy_if(matrices.offsets.begin(), matrices.offsets.end(),
                 std::back_inserter(result.offsets), [&](std::int64_t offset) {
                     return lies_over(others.offsets, others.one.extent(), offset,
                                      matrices.one.extent());
                 });
    return result;
}

bool exceeds_lines(const Scattered& matrices, std::int64_t most) {
    return static_cast<std::int64_t>(matrices.offsets.size()) > most / matrices.one.lines;
}

/// Matrices of the others that reach into one of C, a pair each; nothing where they are too many.
using Pair = std::pair<std::int64_t, std::int64_t>;
std::optional<std::vector<Pair>> pairs_within_reach(const Scattered& c, const Scattered& others) {
    std::vector<Pair> pairs;
    for (const std::int64_t offset : c.offsets) {
        auto other = std::upper_bound(others.offsets.begin(), others.offsets.end(),
                                      offset - others.one.extent());
        for (; other != others.offsets.end() && *other < offset + c.one.extent(); ++other) {
            if (static_cast<std::int64_t>(pairs.size()) >= most_pairs_compared) {
                return std::nullopt;
            }
            pairs.emplace_back(offset, *other);
        }
    }
    return pairs;
}

std::optional<std::int64_t> compare_pairs(const Scattered& c, const Scattered& others,
                                          const std::vector<Pair>& pairs) {
    const auto met = std::find_if(pairs.begin(), pairs.end(), [&](const Pair& pair) {
        return overlaps(c.one, pair.first, others.one, pair.second);
    });
    return met == pairs.end() ? std::nullopt : std::optional(met->first);
}

std::vector<std::int64_t> line_begins(const Scattered& matrices) {
    std::vector<std::int64_t> begins;
    for (const std::int64_t offset : matrices.offsets) {
        for (std::int64_t i = 0; i < matrices.one.lines; ++i) {
            begins.push_back(offset + i * matrices.one.ld);
        }
    }
    std::sort(begins.begin(), begins.end());
    return begins;
}

std::optional<std::int64_t> compare_lines(const Scattered& c, const Scattered& others) {
    const std::vector<std::int64_t> lines = line_begins(others);
    for (const std::int64_t offset : c.offsets) {
        for (std::int64_t i = 0; i < c.one.lines; ++i) {
            if (lies_over(lines, others.one.line, offset + i * c.one.ld, c.one.line)) {
                return offset;
            }
        }
    }
    return std::nullopt;
}

} // namespace

std::optional<std::int64_t> find_overlap(const Scattered& matrices) {
    const auto& offsets = matrices.offsets;
    const std::int64_t extent = matrices.one.extent();
    const bool are_side_by_side =
        std::adjacent_find(offsets.begin(), offsets.end(), [&](std::int64_t x, std::int64_t y) {
            return y - x < extent;
        }) == offsets.end();
    if (are_side_by_side || matrices.one.empty()) {
        return std::nullopt;
    }
    std::vector<Rectangle> rectangles;
    append_rectangles(rectangles, matrices, common_ld(matrices.one, matrices.one), false);
    return sweep(rectangles, 0);
}

Encounter find_encounter(const Scattered& c, const Scattered& others) {
    if (c.one.empty() || others.one.empty()) {
        return {};
    }
    const Scattered near_c = within_reach(c, others);
    if (near_c.offsets.empty()) {
        return {};
    }
    Scattered near = within_reach(others, c);
    near.offsets.erase(std::unique(near.offsets.begin(), near.offsets.end()), near.offsets.end());
    if (const std::int64_t ld = common_ld(c.one, others.one); ld > 0) {
        std::vector<Rectangle> rectangles;
        append_rectangles(rectangles, near_c, ld, false);
        append_rectangles(rectangles, near, ld, true);
        return {true, sweep(rectangles, others.one.line)};
    }
    if (const auto pairs = pairs_within_reach(near_c, near)) {
        return {true, compare_pairs(near_c, near, *pairs)};
    }
    if (exceeds_lines(near_c, most_lines_compared) || exceeds_lines(near, most_lines_compared)) {
        return {false, std::nullopt};
    }
    return {true, compare_lines(near_c, near)};
}

} // namespace libsgemm::validate
