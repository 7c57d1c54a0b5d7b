// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "problem/canonical_problem.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <unordered_map>

namespace libsgemm::detail {

/// What a call's plan depends on, beside what is fixed for a Context.
struct PlanKey {
    validate::CanonicalProblem problem;
    bool multiplies = true; ///< false: alpha or k is zero

    bool operator==(const PlanKey&) const = default;
};

struct PlanKeyHash {
    std::size_t operator()(const PlanKey& key) const noexcept {
        const validate::CanonicalProblem& p = key.problem;
        std::uint64_t hash = key.multiplies ? 1 : 2;
        const auto mix = [&hash](std::int64_t value) {
            // The 64-bit finaliser of MurmurHash3 (public domain), one round a value.
            hash ^= static_cast<std::uint64_t>(value) + 0x9e3779b97f4a7c15U;
            hash *= 0xff51afd7ed558ccdU;
            hash ^= hash >> 33U;
        };
        for (const std::int64_t value : {p.m, p.n, p.k, p.batch}) {
            mix(value);
        }
        for (const validate::Operand* operand : {&p.a, &p.b, &p.c}) {
            mix(operand->ld);
            mix(operand->batch_stride);
            mix(operand->offset_alignment * 2 + (operand->major == validate::Major::k ? 1 : 0));
            mix(static_cast<std::int64_t>(operand->packed.scheme) + operand->packed.parts * 8);
        }
        mix(static_cast<std::int64_t>(p.precision) * 4 + (p.c_is_write_only ? 2 : 0) +
            (p.operands_swapped ? 1 : 0));
        return static_cast<std::size_t>(hash);
    }
};

/// Remembers plans by problem. Bounded: a program with ever new sizes starts afresh now and then.
/// Members may be called from any thread.
template <class Plan>
class PlanMemo {
public:
    std::optional<Plan> find(const PlanKey& key) const {
        const std::shared_lock lock(mutex_);
        const auto found = plans_.find(key);
        return found == plans_.end() ? std::nullopt : std::optional<Plan>(found->second);
    }

    /// How often all was forgotten: to be read before a plan is made.
    std::uint64_t generation() const {
        const std::shared_lock lock(mutex_);
        return generation_;
    }

    /// Nothing where all was forgotten since that generation: the plan may be an old one.
    void insert(const PlanKey& key, Plan plan, std::uint64_t generation = 0) {
        constexpr std::size_t most = 4096;
        const std::unique_lock lock(mutex_);
        if (generation != generation_) {
            return;
        }
        if (plans_.size() >= most) {
            plans_.clear();
        }
        plans_.insert_or_assign(key, std::move(plan));
    }

    void forget_all() {
        const std::unique_lock lock(mutex_);
        ++generation_;
        plans_.clear();
    }

private:
    mutable std::shared_mutex mutex_;
    std::uint64_t generation_ = 0;
    std::unordered_map<PlanKey, Plan, PlanKeyHash> plans_;
};

} // namespace libsgemm::detail
