// SPDX-License-Identifier: Apache-2.0
// rocBLAS: level 1 (axpy, dot, nrm2), then products of matrices in single and double precision with odd sizes, all four
// pairs of transposes, and rows longer than the matrix.  Values are small multiples of 1/8, so that sums are exact in any order.
#include <rocblas/rocblas.h>

#include "blas.h"

#define BLAS_OK(call)                                                                                                 \
    do {                                                                                                              \
        const rocblas_status status_ = (call);                                                                        \
        if (status_ != rocblas_status_success) {                                                                      \
            std::fprintf(stderr, "%s:%d: %s: status %d\n", __FILE__, __LINE__, #call, static_cast<int>(status_));      \
            std::exit(2);                                                                                             \
        }                                                                                                             \
    } while (0)

static rocblas_status gemm(rocblas_handle handle, const Product<float> &p)
{
    return rocblas_sgemm(handle, p.across_a ? rocblas_operation_transpose : rocblas_operation_none,
                         p.across_b ? rocblas_operation_transpose : rocblas_operation_none, p.m, p.n, p.k, &p.alpha,
                         p.a.gpu(), p.row_a, p.b.gpu(), p.row_b, &p.beta, p.c.gpu(), p.row_c);
}

static rocblas_status gemm(rocblas_handle handle, const Product<double> &p)
{
    return rocblas_dgemm(handle, p.across_a ? rocblas_operation_transpose : rocblas_operation_none,
                         p.across_b ? rocblas_operation_transpose : rocblas_operation_none, p.m, p.n, p.k, &p.alpha,
                         p.a.gpu(), p.row_a, p.b.gpu(), p.row_b, &p.beta, p.c.gpu(), p.row_c);
}

template <class T> static void products(Suite &suite, rocblas_handle handle, const char *name, int size, uint32_t &seed)
{
    for (unsigned across = 0; across < 4; across++) {
        Product<T> p(size, size * 2 / 3 + 1, size / 2 + 2, across & 1, across & 2, seed);
        BLAS_OK(gemm(handle, p));
        suite.same(name, p.c.get(), p.wanted);
    }
}

static void vectors(Suite &suite, rocblas_handle handle, int n, uint32_t &seed)
{
    Array<float> x(multiples<float>(static_cast<size_t>(n), seed)), y(multiples<float>(static_cast<size_t>(n), seed));
    const float alpha = 1.5F;
    std::vector<float> wanted = y.host;
    long double dot = 0, squares = 0;
    for (size_t i = 0; i < wanted.size(); i++) {
        wanted[i] += alpha * x.host[i];
        dot += static_cast<long double>(wanted[i]) * static_cast<long double>(x.host[i]);
        squares += static_cast<long double>(x.host[i]) * static_cast<long double>(x.host[i]);
    }
    float got_dot = 0, got_norm = 0;
    BLAS_OK(rocblas_saxpy(handle, n, &alpha, x.gpu(), 1, y.gpu(), 1));
    suite.same("saxpy", y.get(), wanted);
    BLAS_OK(rocblas_sdot(handle, n, x.gpu(), 1, y.gpu(), 1, &got_dot));
    suite.near("sdot", std::vector<float>{got_dot}, {dot}, 0);
    BLAS_OK(rocblas_snrm2(handle, n, x.gpu(), 1, &got_norm));
    suite.near("snrm2", std::vector<float>{got_norm}, {sqrtl(squares)}, 2);
}

int main(int argc, char **argv)
{
    const int size = static_cast<int>(size_argument(argc, argv, 37));
    uint32_t seed = seed_argument(argc, argv);
    Suite suite("blas");
    rocblas_handle handle;
    BLAS_OK(rocblas_create_handle(&handle));
    vectors(suite, handle, size * 9 + 1, seed);
    products<float>(suite, handle, "sgemm", size, seed);
    products<double>(suite, handle, "dgemm", size, seed);
    BLAS_OK(rocblas_destroy_handle(handle));
    return suite.verdict();
}
