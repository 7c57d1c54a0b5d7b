// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/family/plan_builder.hpp"
#include "plan/family/tiled/tiling.hpp"
#include "plan/inputs.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace libsgemm::planning {

/// What the main kernel reads of an operand, and which step writes it.
struct Input {
    Place place;
    validate::Major major = validate::Major::mn;
    int written_by = -1; ///< negative: it is the caller's own
};

/// What one launch of the main kernel computes.
struct Share {
    std::int64_t m0 = 0, n0 = 0, k0 = 0;
    std::int64_t m = 0, n = 0, k = 0;
};

class TiledBuilder : public PlanBuilder {
public:
    TiledBuilder(const FamilyPlanner& family, const BuildRequest& request);

protected:
    std::string add_steps() override;
    std::string strategy(const std::vector<Step>& steps) const override;

    /// What a family of tiled kernels cannot compute beside that.
    virtual std::string find_obstacle_to_family() const { return {}; }
    /// All launches into C or a padded product. Returns the last step.
    virtual void add_launches();
    /// One launch behind the step `before`. Returns the last step.
    virtual int add_launch(const Share& share, const Place& c, Argument beta, int before);
    /// What the time of a share is predicted from.
    virtual MainWork work_of(const Share& share) const;

    Step launch(const Share& share, const Place& c, Argument alpha, Argument beta) const;
    void add_parts();
    const catalog::Tiled& tiled() const { return *catalog::tiled_of(*candidate_.kernel); }

    WorkExtents extents_;
    Input a_, b_;

private:
    std::string find_obstacle_to_tiles() const;
    std::string find_obstacle_to_extension() const;
    std::string find_obstacle_to_fused_reduction() const;
    std::string find_obstacle_to_shift() const;
    bool pad_extents();
    Input prepare(bool is_a);
    int add_parts_into(const Place& c, Argument first_beta);
    void add_split_k();
    void add_fused_split_k();
    Share whole() const { return {0, 0, 0, extents_.m, extents_.n, extents_.k}; }
    int halvings(std::string_view load_width) const;
    std::size_t groups(std::int64_t extent, int tile) const;

    bool copies_ = false; ///< any copy that is not a mere transposition
};

} // namespace libsgemm::planning
