// SPDX-License-Identifier: Apache-2.0
// Batches whose matrices lie at any offsets, through the C++ and the C interface.
#include "catalog/kernel_catalog.hpp"
#include "sgemm/sgemm.h"
#include "support/case_data.hpp"
#include "support/compare.hpp"
#include "support/device_matrix.hpp"
#include "support/test_device.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>

namespace sgemm_test {
namespace {

/// One product of a batch: its problem's storage, and where each matrix starts in its buffer.
struct Batch {
    libsgemm::Problem problem;
    std::vector<std::int64_t> a, b, c;
};

class OffsetBatch : public DeviceTest {
protected:
    /// Irregular, with repetitions of A and B, a regular stretch of six in the middle, and not in
    /// order of C.
    static Batch make_batch(libsgemm::Layout layout) {
        Batch batch;
        batch.problem.layout = layout;
        batch.problem.m = 21;
        batch.problem.n = 13;
        batch.problem.k = 17;
        batch.problem.transpose_b = libsgemm::Transpose::yes;
        const ProblemStorage storage = storage_of(batch.problem);
        const std::int64_t extent = storage.c.span();
        batch.a = {7, 400, 7, 0, 10, 20, 30, 40, 50, 900};
        batch.b = {0, 0, 300, 5, 5, 5, 5, 5, 5, 31};
        batch.c = {9 * extent + 40, 0};
        for (std::int64_t i = 1; i <= 6; ++i) {
            batch.c.push_back(i * (extent + 1));
        }
        batch.c.push_back(8 * extent + 20);
        batch.c.push_back(12 * extent);
        batch.a.resize(batch.c.size());
        batch.b.resize(batch.c.size());
        return batch;
    }

    /// Buffers that hold everything, as one long row each.
    HostMatrix host(const std::vector<std::int64_t>& offsets, const Storage& one, Values values,
                    std::uint64_t seed) const {
        Storage whole;
        whole.rows = 1;
        whole.columns = *std::max_element(offsets.begin(), offsets.end()) + one.span();
        return {whole, 0, values, seed};
    }

    /// Computes the batch by `call` and compares each product, and what lies between them, with the
    /// reference.
    template <class Call>
    void run(const Batch& batch, float alpha, float beta, cl_command_queue own_queue, Call call) {
        run(batch, std::vector<float>(batch.c.size(), alpha),
            std::vector<float>(batch.c.size(), beta), own_queue, call);
    }
    template <class Call>
    void run(const Batch& batch, const std::vector<float>& alphas, const std::vector<float>& betas,
             cl_command_queue own_queue, Call call) {
        const ProblemStorage storage = storage_of(batch.problem);
        const HostMatrix a = host(batch.a, storage.a, Values::uniform, 1);
        const HostMatrix b = host(batch.b, storage.b, Values::uniform, 2);
        const HostMatrix c = host(
            batch.c, storage.c,
            std::count(betas.begin(), betas.end(), 0.0F) != 0 ? Values::all_nan : Values::uniform,
            3);
        DeviceMatrix device_a(device(), a);
        DeviceMatrix device_b(device(), b);
        DeviceMatrix device_c(device(), c);
        call(device_a.matrix().buffer, device_b.matrix().buffer, device_c.matrix().buffer).wait();
        device_c.download(own_queue);
        EXPECT_TRUE(device_c.guards_intact());
        std::vector<bool> written(c.image().size());
        for (std::size_t i = 0; i < batch.c.size(); ++i) {
            const HostMatrix one_c(storage.c, batch.c[i], c.image());
            const Reference reference =
                reference_gemm(alphas[i], {storage.a, batch.a[i], a.image()},
                               {storage.b, batch.b[i], b.image()}, betas[i], one_c);
            EXPECT_EQ(difference_from_reference(reference, batch.problem.k, one_c, device_c.image(),
                                                Exactness::bounded),
                      "")
                << "product " << i;
            const std::vector<bool> mask = one_c.element_mask();
            std::transform(mask.begin(), mask.end(), written.begin(), written.begin(),
                           std::logical_or<>());
        }
        for (std::size_t i = 0; i < written.size(); ++i) {
            EXPECT_TRUE(written[i] || same_bits(c.image()[i], device_c.image()[i])) << i;
        }
    }
};

TEST_F(OffsetBatch, IsRightInEitherLayoutAndQueue) {
    const libsgemm::Context own = device().make_library();
    for (const auto layout : {libsgemm::Layout::column_major, libsgemm::Layout::row_major}) {
        for (const bool out_of_order : {false, true}) {
            if (out_of_order && !device().has_out_of_order_queues()) {
                continue;
            }
            const auto own_queue =
                device().make_queue(out_of_order ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0);
            const Batch batch = make_batch(layout);
            for (const float beta : {0.0F, -0.5F}) {
                run(batch, 1.25F, beta, own_queue.get(), [&](cl_mem a, cl_mem b, cl_mem c) {
                    return own.gemm_batch(own_queue.get(), batch.problem, 1.25F, {a, batch.a},
                                          {b, batch.b}, beta, {c, batch.c});
                });
                run(batch, 1.25F, beta, own_queue.get(), [&](cl_mem a, cl_mem b, cl_mem c) {
                    libsgemm::Event none = own.gemm_batch(
                        own_queue.get(), batch.problem, 1.25F, {a, batch.a}, {b, batch.b}, beta,
                        {c, batch.c}, {}, libsgemm::Completion::in_queue);
                    EXPECT_EQ(none.get(), nullptr);
                    check_status(clFinish(own_queue.get()), "clFinish");
                    return none;
                });
            }
        }
    }
}

TEST_F(OffsetBatch, TakesFewerLaunchesWhereDistancesAreEqual) {
    libsgemm::ContextOptions options;
    options.plan.kernel = "01_naive"; // one launch a call
    const libsgemm::Context own = device().make_library(options);
    const Batch batch = make_batch(libsgemm::Layout::column_major);
    run(batch, 1, 0, queue(), [&](cl_mem a, cl_mem b, cl_mem c) {
        return own.gemm_batch(queue(), batch.problem, 1, {a, batch.a}, {b, batch.b}, 0,
                              {c, batch.c});
    });
    EXPECT_EQ(batch.c.size(), 10U);
    EXPECT_EQ(own.statistics().kernels_enqueued, 6U) << "five alone, and a run of five";
}

TEST_F(OffsetBatch, AlphasAndBetasThatAreEqualShareLaunches) {
    libsgemm::ContextOptions options;
    options.plan.kernel = "01_naive"; // one launch a call
    const libsgemm::Context own = device().make_library(options);
    Batch batch = make_batch(libsgemm::Layout::column_major);
    const std::int64_t extent = storage_of(batch.problem).c.span();
    for (std::size_t i = 0; i < batch.c.size(); ++i) { // at equal distances
        const auto number = static_cast<std::int64_t>(i);
        batch.a[i] = 30 * number;
        batch.b[i] = 7;
        batch.c[i] = extent * number;
    }
    const std::vector<float> alphas{1, 2, 1, 2, 1, 2, 1, 2, 3, 0};
    const std::vector<float> betas(alphas.size(), -0.5F);
    std::vector<std::int64_t> offsets_a = batch.a;
    offsets_a[9] = std::numeric_limits<std::int64_t>::max(); // alpha is 0
    run(batch, alphas, betas, queue(), [&](cl_mem a, cl_mem b, cl_mem c) {
        return own.gemm_batch(queue(), batch.problem, alphas, {a, offsets_a}, {b, batch.b}, betas,
                              {c, batch.c});
    });
    EXPECT_EQ(own.statistics().kernels_enqueued, 4U) << "two runs of four, and two alone";
}

TEST_F(OffsetBatch, HasAnAlphaAndABetaForEachProduct) {
    const libsgemm::Context own = device().make_library();
    const Batch batch = make_batch(libsgemm::Layout::row_major);
    const std::vector<float> alphas{1, 0, -2, 1, 1, 1, 1, 3, 1, 0.5F};
    const std::vector<float> with_c{1, 2, -2, 1, 1, 1, 1, 3, 0.5F, 1};
    const std::vector<float> without_c(alphas.size(), 0);
    for (const std::vector<float>& betas : {with_c, without_c}) {
        run(batch, alphas, betas, queue(), [&](cl_mem a, cl_mem b, cl_mem c) {
            return own.gemm_batch(queue(), batch.problem, alphas, {a, batch.a}, {b, batch.b}, betas,
                                  {c, batch.c});
        });
    }
    const std::vector<float> few(alphas.size() - 1, 1);
    const auto refused = [&](const std::vector<float>& as, const std::vector<float>& bs,
                             const std::string& argument) {
        try {
            own.gemm_batch(queue(), batch.problem, as, {}, {}, bs, {nullptr, batch.c});
            ADD_FAILURE() << "no error about " << argument;
        } catch (const libsgemm::ArgumentError& error) {
            EXPECT_EQ(error.argument(), argument) << error.what();
        }
    };
    refused(few, alphas, "alphas");
    refused(alphas, few, "betas");
}

TEST_F(OffsetBatch, ThroughTheCInterface) {
    sgemm_context context = nullptr;
    ASSERT_EQ(sgemm_create_context(device().context(), device().handle().device, nullptr, &context),
              SGEMM_SUCCESS);
    const Batch batch = make_batch(libsgemm::Layout::row_major);
    sgemm_problem problem = SGEMM_PROBLEM_INIT;
    problem.layout = SGEMM_ROW_MAJOR;
    problem.transpose_b = SGEMM_TRANSPOSE;
    problem.m = batch.problem.m;
    problem.n = batch.problem.n;
    problem.k = batch.problem.k;
    run(batch, 2, 0.5F, queue(), [&](cl_mem a, cl_mem b, cl_mem c) {
        cl_event done = nullptr;
        EXPECT_EQ(sgemm_gemm_batch(context, queue(), &problem, batch.c.size(), 2, a, batch.a.data(),
                                   b, batch.b.data(), 0.5F, c, batch.c.data(), 0, nullptr, &done),
                  SGEMM_SUCCESS);
        return libsgemm::Event(done);
    });
    EXPECT_EQ(sgemm_gemm_batch(context, queue(), &problem, 1, 2, nullptr, nullptr, nullptr, nullptr,
                               0, nullptr, nullptr, 0, nullptr, nullptr),
              SGEMM_INVALID_ARGUMENT);
    const std::vector<float> alphas{1, 2, -2, 1, 1, 1, 1, 3, 0, 0.5F};
    const std::vector<float> betas(alphas.size(), 2);
    run(batch, alphas, betas, queue(), [&](cl_mem a, cl_mem b, cl_mem c) {
        cl_event done = nullptr;
        EXPECT_EQ(sgemm_gemm_batch_scaled(context, queue(), &problem, batch.c.size(), alphas.data(),
                                          a, batch.a.data(), b, batch.b.data(), betas.data(), c,
                                          batch.c.data(), 0, nullptr, &done),
                  SGEMM_SUCCESS);
        return libsgemm::Event(done);
    });
    EXPECT_EQ(sgemm_gemm_batch_scaled(context, queue(), &problem, 1, nullptr, nullptr,
                                      batch.a.data(), nullptr, batch.b.data(), betas.data(),
                                      nullptr, batch.c.data(), 0, nullptr, nullptr),
              SGEMM_INVALID_ARGUMENT);
    sgemm_release_context(context);
}

TEST_F(OffsetBatch, BadOnesAreRefusedBeforeAnythingRuns) {
    const libsgemm::Context own = device().make_library();
    Case c = plain_case(8, 8, 8);
    c.offset_a = c.offset_b = c.offset_c = 100;
    CaseData data(device(), c);
    const std::int64_t at_a = data.a().offset;
    const auto refused = [&](const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b,
                             const std::vector<std::int64_t>& to, const std::string& argument,
                             std::int64_t batch_count = 1) {
        libsgemm::Problem problem = c.problem;
        problem.batch_count = batch_count;
        try {
            own.gemm_batch(queue(), problem, 1, {data.a().buffer, a}, {data.b().buffer, b}, 0,
                           {data.c().buffer, to});
            ADD_FAILURE() << "no error about " << argument;
        } catch (const libsgemm::ArgumentError& error) {
            EXPECT_EQ(error.argument(), argument) << error.what();
        }
    };
    refused({at_a}, {0, 0}, {0}, "offsets");
    refused({0, 0}, {0, 0}, {0, 63}, "C.offsets"); // the second starts in the first
    refused({0}, {0}, {-1}, "C.offset");
    refused({0, 1'000'000}, {0, 0}, {0, 64}, "A.offset");
    refused({0}, {0}, {0}, "batch_count", 2);
    try { // C meets an A of another product
        own.gemm_batch(queue(), c.problem, 1, {data.c().buffer, {80, 0}}, {data.b().buffer, {0, 0}},
                       0, {data.c().buffer, {0, 80}});
        ADD_FAILURE() << "no error";
    } catch (const libsgemm::ArgumentError& error) {
        EXPECT_NE(std::string(error.what()).find("with A"), std::string::npos) << error.what();
    }
    EXPECT_EQ(own.statistics().kernels_enqueued, 0U);
    EXPECT_TRUE(data.untouched(queue()));
    // None at all is legal.
    own.gemm_batch(queue(), c.problem, 1, {}, {}, 0, {}).wait();
}

TEST_F(OffsetBatch, NothingOfAAndBIsLookedAtWhereAlphaIsZero) {
    const Batch batch = make_batch(libsgemm::Layout::column_major);
    constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();
    const std::vector<std::int64_t> nonsense{-1, huge, 0, -huge, huge, -huge, 2, 3, 5};
    run(batch, 0, -0.5F, queue(), [&](cl_mem /*a*/, cl_mem /*b*/, cl_mem c) {
        return library().gemm_batch(queue(), batch.problem, 0, {nullptr, nonsense}, {nullptr, {}},
                                    -0.5F, {c, batch.c});
    });
}

/// The first kernel whose vectors must be aligned, with a problem that it runs in place.
Case case_of_aligned_vectors(const TestDevice& device) {
    for (const auto& kernel : libsgemm::catalog::kernel_catalog().entries()) {
        const libsgemm::catalog::Parameters parameters = kernel.defaults();
        if (kernel.edges != libsgemm::catalog::Edges::whole_tiles ||
            !libsgemm::catalog::obstacles(kernel, parameters, device.handle().traits).empty()) {
            continue;
        }
        const libsgemm::catalog::TileShape tile = kernel.tile(parameters);
        if (tile.alignment_a > 1 && kernel.a != libsgemm::catalog::Accepts::k_major) {
            Case c = plain_case(tile.m, tile.n, tile.k);
            c.problem.transpose_b = kernel.b == libsgemm::catalog::Accepts::mn_major
                                        ? libsgemm::Transpose::yes
                                        : libsgemm::Transpose::no;
            c.options.kernel = kernel.name;
            c.options.edges = libsgemm::EdgeStrategy::none;
            c.offset_a = 1;
            c.offset_c = 2 * tile.m * tile.n;
            return c;
        }
    }
    throw std::logic_error("no kernel of the catalogue loads vectors");
}

TEST_F(OffsetBatch, NothingRunsWhereALaterPlanCannotBeHad) {
    const Case c = case_of_aligned_vectors(device());
    CaseData data(device(), c);
    libsgemm::ContextOptions options;
    options.expert = std::make_shared<libsgemm::ExpertPlanOptions>(c.options);
    const libsgemm::Context own = device().make_library(options);
    const auto batch = [&](const std::vector<std::int64_t>& a) {
        own.gemm_batch(queue(), c.problem, 1, {data.a().buffer, a}, {data.b().buffer, {0, 0}}, 0,
                       {data.c().buffer, {0, c.problem.m * c.problem.n}})
            .wait();
    };
    EXPECT_THROW(batch({0, 1}), libsgemm::UnsupportedError); // 1: no vector begins there
    EXPECT_EQ(own.statistics().kernels_enqueued, 0U);
    EXPECT_TRUE(data.untouched(queue()));
    batch({0, 0});
    EXPECT_GT(own.statistics().kernels_enqueued, 0U);
}

/// Blocks of one large matrix: every two reach into each other's extents, 18 million pairs.
TEST_F(OffsetBatch, ManyBlocksOfOneMatrixAreNoOverlap) {
    constexpr std::int64_t count = 6000;
    libsgemm::Problem problem;
    problem.m = problem.n = problem.k = 1;
    problem.n = 2;
    problem.ldc = count;
    Storage row;
    row.rows = 1;
    row.columns = 2 * count;
    const HostMatrix ones(row, 0, std::vector<float>(std::size_t{2} * count, 1.0F));
    DeviceMatrix a(device(), ones);
    DeviceMatrix c(device(), ones);
    std::vector<std::int64_t> offsets_c;
    for (std::int64_t i = 0; i < count; ++i) {
        offsets_c.push_back((i * 7) % count);
    }
    const std::vector<std::int64_t> offsets(count, 0);
    library()
        .gemm_batch(queue(), problem, 2, {a.matrix().buffer, offsets}, {a.matrix().buffer, offsets},
                    0, {c.matrix().buffer, offsets_c})
        .wait();
    c.download(queue());
    EXPECT_TRUE(std::all_of(c.image().begin(), c.image().end(), [](float x) { return x == 2; }));
}

} // namespace
} // namespace sgemm_test
