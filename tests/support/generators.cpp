// SPDX-License-Identifier: Apache-2.0
#include "support/generators.hpp"

#include "catalog/kernel_catalog.hpp"
#include "support/kernel_variants.hpp"
#include "support/storage.hpp"

namespace sgemm_test {
namespace {

/// Mostly small, as small problems have all the edges; now and then several tiles.
rc::Gen<std::int64_t> extent() {
    return rc::gen::weightedOneOf<std::int64_t>({{1, rc::gen::just<std::int64_t>(0)},
                                                 {6, rc::gen::inRange<std::int64_t>(1, 20)},
                                                 {6, rc::gen::inRange<std::int64_t>(1, 70)},
                                                 {3, rc::gen::inRange<std::int64_t>(1, 130)}});
}

rc::Gen<std::int64_t> gap() {
    return rc::gen::element<std::int64_t>(0, 0, 1, 3, 8, 17);
}

rc::Gen<std::int64_t> offset() {
    return rc::gen::element<std::int64_t>(0, 0, 1, 4, 7, 32);
}

/// Scalars that keep small integers exact, and others.
rc::Gen<float> dyadic_scalar() {
    return rc::gen::element(1.0F, 0.0F, -1.0F, 0.5F, -2.25F);
}
rc::Gen<float> scalar() {
    return rc::gen::oneOf(dyadic_scalar(), rc::gen::element(0.1F, -3.3F));
}

} // namespace

rc::Gen<Case> arbitrary_case(const std::vector<std::string>& kernels) {
    return rc::gen::exec([kernels] {
        Case result = plain_case(*extent(), *extent(), *extent());
        set_form(result, all_forms()[*rc::gen::inRange<std::size_t>(0, all_forms().size())]);
        result.problem.batch_count = *rc::gen::element<std::int64_t>(1, 1, 1, 2, 3);
        spread(result.problem, {*gap(), *gap(), *gap()}, *gap());
        if (*rc::gen::inRange(0, 4) == 3) {
            result.problem.batch_stride_a = 0;
        }
        result.offset_a = *offset();
        result.offset_b = *offset();
        result.offset_c = *offset();
        result.values = *rc::gen::element(Values::uniform, Values::uniform, Values::small_integers,
                                          Values::nan_and_inf);
        const bool exact = result.values == Values::small_integers;
        result.alpha = *(exact ? dyadic_scalar() : scalar());
        result.beta = *(exact ? dyadic_scalar() : scalar());
        result.seed = *rc::gen::inRange<std::uint64_t>(1, 1000000);
        result.options.kernel = *rc::gen::elementOf(kernels);
        if (const auto* kernel = libsgemm::catalog::kernel_catalog().find(result.options.kernel)) {
            // With what parameters is the planner's choice.
            result.problem.k = kernel->tile(kernel->defaults()).some_k(result.problem.k);
        }
        return result;
    });
}

rc::Gen<Case> arbitrary_variant(const std::vector<std::string>& kernels) {
    using libsgemm::EdgeStrategy;
    using libsgemm::PrePassStyle;
    using libsgemm::Repack;
    return rc::gen::exec([kernels] {
        Case result = *arbitrary_case(kernels);
        libsgemm::ExpertPlanOptions& options = result.options;
        options.edges = *rc::gen::element(EdgeStrategy::automatic, EdgeStrategy::none,
                                          EdgeStrategy::padding, EdgeStrategy::guarded,
                                          EdgeStrategy::pointer_shift, EdgeStrategy::extension);
        options.pre_passes = *rc::gen::element(PrePassStyle::fused, PrePassStyle::separate);
        options.split_k = *rc::gen::element(1, 0, 2, 5);
        options.parts_m = *rc::gen::element(1, 0, 2);
        options.parts_n = *rc::gen::element(1, 0, 3);
        options.parts_k = *rc::gen::element(1, 0, 2);
        options.repack = *rc::gen::element(Repack::automatic, Repack::never, Repack::always,
                                           Repack::only_a, Repack::only_b);
        options.peeling = *rc::gen::element(libsgemm::Peeling::never, libsgemm::Peeling::automatic,
                                            libsgemm::Peeling::always);
        return result;
    });
}

} // namespace sgemm_test
