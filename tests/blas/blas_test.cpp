// SPDX-License-Identifier: Apache-2.0
// SGEMM by its BLAS names. ctest runs this several times: with everything on the device, everything
// on the host's BLAS, and with neither.
#include "doors/blas/entry_points.hpp"
#include "support/reference.hpp"
#include "support/values.hpp"

#include <cstdlib>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

/// What the error handlers below have been told.
struct Reported {
    std::string routine;
    long argument = 0;
};
Reported reported;

} // namespace

// The program's own error handlers: BLAS finds them before any library's.
extern "C" {
__attribute__((visibility("default"))) void xerbla_(const char* routine, const int* argument,
                                                    std::size_t length) {
    reported = {std::string(routine, length), *argument};
}
__attribute__((visibility("default"))) void
xerbla_64_(const char* routine, const std::int64_t* argument, std::size_t length) {
    reported = {std::string(routine, length) + "64", *argument};
}
// As in the reference, whose library or test program brings this variable: it says that a row-major
// call's numbers are those of the exchanged list.
__attribute__((visibility("default"))) int RowMajorStrg = 0;
__attribute__((visibility("default"))) void cblas_xerbla(int argument, const char* routine,
                                                         const char* /*form*/, ...) {
    constexpr int exchanged[] = {0, 1, 2, 3, 5, 4, 6, 7, 8, 11, 10, 9, 12, 13, 14};
    reported = {routine, RowMajorStrg != 0 ? exchanged[argument] : argument};
}
}

namespace sgemm_test {
namespace {

constexpr float guard = -12345.0F;

/// A problem in column-major host memory, with gaps that must stay as they are.
struct HostProblem {
    char transa = 'N', transb = 'N';
    int m = 0, n = 0, k = 0;
    float alpha = 1, beta = 0;
    int gap = 0; ///< added to each leading dimension

    int rows_a() const { return transa == 'N' ? m : k; }
    int rows_b() const { return transb == 'N' ? k : n; }
    int lda() const { return std::max(1, rows_a()) + gap; }
    int ldb() const { return std::max(1, rows_b()) + gap; }
    int ldc() const { return std::max(1, m) + gap; }
};

struct Matrices {
    explicit Matrices(const HostProblem& p)
        : a(make_values(Values::uniform, std::int64_t{p.lda()} * (p.transa == 'N' ? p.k : p.m), 1)),
          b(make_values(Values::uniform, std::int64_t{p.ldb()} * (p.transb == 'N' ? p.n : p.k), 2)),
          c(make_values(Values::uniform, std::int64_t{p.ldc()} * p.n, 3)) {
        for (int j = 0; j < p.n; ++j) {
            for (int i = p.m; i < p.ldc(); ++i) {
                c[index(i, j, p.ldc())] = guard;
            }
        }
    }
    static std::size_t index(int row, int column, int ld) {
        return static_cast<std::size_t>(row) +
               static_cast<std::size_t>(column) * static_cast<std::size_t>(ld);
    }
    std::vector<float> a, b, c;
};

/// Exact enough, with the magnitude that the error is measured by.
void expect_right(const HostProblem& p, const Matrices& before, const std::vector<float>& c) {
    int wrong = 0;
    for (int j = 0; j < p.n; ++j) {
        for (int i = 0; i < p.m; ++i) {
            double sum = 0, magnitude = 0;
            for (int l = 0; l < p.k; ++l) {
                const double product =
                    double{before.a[p.transa == 'N' ? Matrices::index(i, l, p.lda())
                                                    : Matrices::index(l, i, p.lda())]} *
                    double{before.b[p.transb == 'N' ? Matrices::index(l, j, p.ldb())
                                                    : Matrices::index(j, l, p.ldb())]};
                sum += product;
                magnitude += std::abs(product);
            }
            const double old =
                p.beta == 0 ? 0 : double{p.beta} * double{before.c[Matrices::index(i, j, p.ldc())]};
            const double error =
                std::abs(double{c[Matrices::index(i, j, p.ldc())]} - (double{p.alpha} * sum + old));
            const double bound =
                error_bound(p.k, std::abs(double{p.alpha}) * magnitude + std::abs(old));
            wrong += error <= bound ? 0 : 1;
        }
        for (int i = p.m; i < p.ldc(); ++i) {
            wrong += c[Matrices::index(i, j, p.ldc())] == guard ? 0 : 1;
        }
    }
    EXPECT_EQ(wrong, 0) << p.transa << p.transb << ' ' << p.m << 'x' << p.n << 'x' << p.k << " gap "
                        << p.gap << " alpha " << p.alpha << " beta " << p.beta;
}

template <auto Function, class Integer>
void call_by_reference(const HostProblem& p, Matrices& x) {
    const Integer m = p.m, n = p.n, k = p.k, lda = p.lda(), ldb = p.ldb(), ldc = p.ldc();
    Function(&p.transa, &p.transb, &m, &n, &k, &p.alpha, x.a.data(), &lda, x.b.data(), &ldb,
             &p.beta, x.c.data(), &ldc);
}
constexpr auto call_fortran = call_by_reference<sgemm_, int>;

int cblas(char transpose) {
    return transpose == 'N' ? 111 : transpose == 'T' ? 112 : 113;
}

/// By CBLAS: by columns, or, exchanged, by rows: C' = B' A'.
template <auto Function>
void call_cblas(const HostProblem& p, Matrices& x, bool by_rows) {
    if (by_rows) {
        Function(101, cblas(p.transb), cblas(p.transa), p.n, p.m, p.k, p.alpha, x.b.data(), p.ldb(),
                 x.a.data(), p.lda(), p.beta, x.c.data(), p.ldc());
    } else {
        Function(102, cblas(p.transa), cblas(p.transb), p.m, p.n, p.k, p.alpha, x.a.data(), p.lda(),
                 x.b.data(), p.ldb(), p.beta, x.c.data(), p.ldc());
    }
}

std::vector<HostProblem> problems() {
    std::vector<HostProblem> all;
    for (const char transa : {'N', 'T', 'C'}) {
        for (const char transb : {'N', 'T'}) {
            for (const int gap : {0, 3}) {
                for (const float beta : {0.0F, 1.0F, -0.5F}) {
                    all.push_back({transa, transb, 37, 29, 23, 1.5F, beta, gap});
                }
            }
            all.push_back({transa, transb, 48, 32, 16, 1.0F, 0.5F, 0}); // whole transfers
            all.push_back({transa, transb, 48, 32, 16, 1.0F, 0.0F, 16});
        }
    }
    all.push_back({'N', 'N', 1, 1, 1, 2.0F, 3.0F, 0});
    all.push_back({'N', 'N', 5, 4, 0, 2.0F, 3.0F, 1});
    all.push_back({'N', 'N', 5, 4, 3, 0.0F, 3.0F, 1});
    all.push_back({'N', 'N', 0, 4, 3, 1.0F, 3.0F, 1});
    all.push_back({'N', 'N', 5, 0, 3, 1.0F, 3.0F, 1});
    all.push_back({'T', 'N', 300, 200, 100, 1.0F, 1.0F, 0});
    return all;
}

template <class Call>
void expect_all_right(Call call) {
    for (const HostProblem& p : problems()) {
        const Matrices before(p);
        Matrices x = before;
        call(p, x);
        expect_right(p, before, x.c);
        EXPECT_EQ(x.a, before.a);
        EXPECT_EQ(x.b, before.b);
    }
    EXPECT_EQ(reported.argument, 0) << reported.routine;
}

/// Otherwise all tests might pass on the host.
TEST(Blas, RunsWhereThisRunIsAbout) {
    const char* const where = std::getenv("SGEMM_TEST_BLAS_WHERE");
    ASSERT_NE(where, nullptr) << "the place that SGEMM_TRACE=1 is to name";
    const HostProblem p{'T', 'N', 30, 20, 10, 1.0F, 0.0F, 0};
    Matrices x(p);
    ::testing::internal::CaptureStderr();
    call_fortran(p, x);
    const std::string trace = ::testing::internal::GetCapturedStderr();
    EXPECT_NE(trace.find("TN 30x20x10 on " + std::string(where)), std::string::npos) << trace;
}

TEST(Blas, Fortran) {
    expect_all_right(call_fortran);
}
TEST(Blas, Fortran64) {
    expect_all_right(call_by_reference<sgemm_64_, std::int64_t>);
}
TEST(Blas, CblasByColumns) {
    expect_all_right([](const auto& p, auto& x) { call_cblas<cblas_sgemm>(p, x, false); });
}
TEST(Blas, CblasByRows) {
    expect_all_right([](const auto& p, auto& x) { call_cblas<cblas_sgemm>(p, x, true); });
}
TEST(Blas, Cblas64) {
    expect_all_right([](const auto& p, auto& x) { call_cblas<cblas_sgemm_64>(p, x, false); });
    expect_all_right([](const auto& p, auto& x) { call_cblas<cblas_sgemm64_>(p, x, true); });
}

TEST(Blas, PrefixedNames) {
    expect_all_right(call_by_reference<scipy_sgemm_, int>);
    expect_all_right(call_by_reference<scipy_sgemm_64_, std::int64_t>);
    expect_all_right([](const auto& p, auto& x) { call_cblas<scipy_cblas_sgemm>(p, x, false); });
    expect_all_right([](const auto& p, auto& x) { call_cblas<scipy_cblas_sgemm64_>(p, x, true); });
}

TEST(Blas, LowerCaseLettersCount) {
    const HostProblem p{'T', 'N', 7, 6, 5, 1.0F, 0.0F, 0};
    const Matrices before(p);
    Matrices x = before;
    const int lda = p.lda(), ldb = p.ldb(), ldc = p.ldc();
    sgemm_("c", "n", &p.m, &p.n, &p.k, &p.alpha, x.a.data(), &lda, x.b.data(), &ldb, &p.beta,
           x.c.data(), &ldc);
    expect_right(p, before, x.c);
}

TEST(Blas, ZeroBetaOverwritesNan) {
    const HostProblem p{'N', 'N', 20, 10, 5, 1.0F, 0.0F, 0};
    const Matrices before(p);
    Matrices x = before;
    x.c.assign(x.c.size(), std::numeric_limits<float>::quiet_NaN());
    call_fortran(p, x);
    expect_right(p, before, x.c);
}

TEST(Blas, ManyThreadsAtOnce) {
    const HostProblem p{'N', 'T', 60, 50, 40, 1.0F, 1.0F, 1};
    const Matrices before(p);
    std::vector<Matrices> results(8, before);
    std::vector<std::thread> threads;
    for (Matrices& x : results) {
        threads.emplace_back([&] {
            for (int i = 0; i < 20; ++i) {
                x.c = before.c;
                call_fortran(p, x);
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (const Matrices& x : results) {
        expect_right(p, before, x.c);
    }
}

/// OpenCL does not survive fork(); a child that multiplies must.
TEST(Blas, AForkedProcessMultipliesToo) {
    const HostProblem p{'N', 'N', 40, 30, 20, 1.0F, 0.0F, 0};
    const Matrices before(p);
    Matrices x = before;
    call_fortran(p, x);
    const pid_t child = fork();
    if (child == 0) {
        x.c = before.c;
        call_fortran(p, x);
        expect_right(p, before, x.c);
        _exit(::testing::Test::HasFailure() ? 1 : 0);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    call_fortran(p, x);
    expect_right(p, before, x.c);
}

/// Calls with one wrong argument: its number in Fortran's list and what makes it wrong.
struct Mistake {
    int argument;
    const char* transa = "N";
    const char* transb = "N";
    std::int64_t m = 3, n = 4, k = 5, lda = 5, ldb = 5, ldc = 4;
};
std::vector<Mistake> mistakes() {
    std::vector<Mistake> all = {{1}, {2}, {3}, {4}, {5}, {8}, {8}, {10}, {10}, {13}};
    all[0].transa = "X";
    all[1].transb = "-";
    all[2].m = -1;
    all[3].n = -1;
    all[4].k = -1;
    all[5].lda = 2;
    all[6].transa = "T", all[6].lda = 4;
    all[7].ldb = 4;
    all[8].transb = "T", all[8].ldb = 3;
    all[9].ldc = 2;
    return all;
}

class BlasErrors : public ::testing::Test {
protected:
    void SetUp() override { reported = {}; }
    void expect_untouched() const {
        for (const float value : c_) {
            EXPECT_EQ(value, guard);
        }
    }
    std::vector<float> a_ = std::vector<float>(64), b_ = std::vector<float>(64),
                       c_ = std::vector<float>(64, guard);
    float one_ = 1;
};

TEST_F(BlasErrors, FortranTellsXerblaTheArgument) {
    for (const Mistake& bad : mistakes()) {
        const auto m = static_cast<int>(bad.m), n = static_cast<int>(bad.n),
                   k = static_cast<int>(bad.k), lda = static_cast<int>(bad.lda),
                   ldb = static_cast<int>(bad.ldb), ldc = static_cast<int>(bad.ldc);
        reported = {};
        sgemm_(bad.transa, bad.transb, &m, &n, &k, &one_, a_.data(), &lda, b_.data(), &ldb, &one_,
               c_.data(), &ldc);
        EXPECT_EQ(reported.routine, "SGEMM ");
        EXPECT_EQ(reported.argument, bad.argument);
        reported = {};
        sgemm_64_(bad.transa, bad.transb, &bad.m, &bad.n, &bad.k, &one_, a_.data(), &bad.lda,
                  b_.data(), &bad.ldb, &one_, c_.data(), &bad.ldc);
        EXPECT_EQ(reported.routine, "SGEMM 64");
        EXPECT_EQ(reported.argument, bad.argument);
    }
    expect_untouched();
}

/// Exchanged back by the handler, the numbers are those of the caller's list.
TEST_F(BlasErrors, CblasTellsItsOwnXerbla) {
    const auto call = [&](int layout, int transa, int transb, int m, int n, int k, int lda, int ldb,
                          int ldc) {
        reported = {};
        cblas_sgemm(layout, transa, transb, m, n, k, 1.0F, a_.data(), lda, b_.data(), ldb, 1.0F,
                    c_.data(), ldc);
        EXPECT_EQ(reported.routine, "cblas_sgemm");
        return reported.argument;
    };
    EXPECT_EQ(call(0, 111, 111, 3, 4, 5, 8, 8, 8), 1);
    for (const int layout : {101, 102}) {
        EXPECT_EQ(call(layout, 0, 111, 3, 4, 5, 8, 8, 8), 2);
        EXPECT_EQ(call(layout, 111, 0, 3, 4, 5, 8, 8, 8), 3);
        EXPECT_EQ(call(layout, 111, 111, -1, 4, 5, 8, 8, 8), 4);
        EXPECT_EQ(call(layout, 111, 111, 3, -1, 5, 8, 8, 8), 5);
        EXPECT_EQ(call(layout, 111, 111, 3, 4, -1, 8, 8, 8), 6);
        EXPECT_EQ(call(layout, 111, 111, 3, 4, 5, 2, 8, 8), 9);
        EXPECT_EQ(call(layout, 111, 111, 3, 4, 5, 8, 3, 8), 11);
        EXPECT_EQ(call(layout, 111, 111, 3, 4, 5, 8, 8, 2), 14);
    }
    expect_untouched();
}

} // namespace
} // namespace sgemm_test
