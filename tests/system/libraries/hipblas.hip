// SPDX-License-Identifier: Apache-2.0
// hipBLAS over rocBLAS: a product of matrices in single precision, each pair of transposes.
#include <hipblas/hipblas.h>

#include "blas.h"

#define BLAS_OK(call)                                                                                                 \
    do {                                                                                                              \
        const hipblasStatus_t status_ = (call);                                                                       \
        if (status_ != HIPBLAS_STATUS_SUCCESS) {                                                                      \
            std::fprintf(stderr, "%s:%d: %s: status %d\n", __FILE__, __LINE__, #call, static_cast<int>(status_));      \
            std::exit(2);                                                                                             \
        }                                                                                                             \
    } while (0)

int main(int argc, char **argv)
{
    const int size = static_cast<int>(size_argument(argc, argv, 37));
    uint32_t seed = seed_argument(argc, argv);
    Suite suite("hipblas");
    hipblasHandle_t handle;
    BLAS_OK(hipblasCreate(&handle));
    for (unsigned across = 0; across < 4; across++) {
        Product<float> p(size, size / 2 + 1, size / 3 + 2, across & 1, across & 2, seed);
        BLAS_OK(hipblasSgemm(handle, p.across_a ? HIPBLAS_OP_T : HIPBLAS_OP_N, p.across_b ? HIPBLAS_OP_T : HIPBLAS_OP_N, p.m,
                             p.n, p.k, &p.alpha, p.a.gpu(), p.row_a, p.b.gpu(), p.row_b, &p.beta, p.c.gpu(), p.row_c));
        suite.same("sgemm", p.c.get(), p.wanted);
    }
    BLAS_OK(hipblasDestroy(handle));
    return suite.verdict();
}
