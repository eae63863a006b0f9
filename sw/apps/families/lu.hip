// SPDX-License-Identifier: Apache-2.0
// LU decomposition with partial pivots, one launch a step (pivot, swap and scale, update), forward and backward
// substitution; Cholesky in one group; f32 and f64.  The host does the same operations in the same order.
#include "suite.h"

constexpr unsigned N = 20;

template <class T> __global__ void lu_pivot(const T *a, unsigned *pivots, unsigned k)
{
    __shared__ T best[64];
    __shared__ unsigned where[64];
    const unsigned row = k + threadIdx.x;
    best[threadIdx.x] = row < N ? std::fabs(a[row * N + k]) : T(-1);
    where[threadIdx.x] = row;
    for (unsigned step = 32; step > 0; step /= 2) {
        __syncthreads();
        if (threadIdx.x < step && best[threadIdx.x + step] > best[threadIdx.x]) {
            best[threadIdx.x] = best[threadIdx.x + step];
            where[threadIdx.x] = where[threadIdx.x + step];
        }
    }
    if (threadIdx.x == 0)
        pivots[k] = where[0];
}

template <class T> __global__ void lu_swap_scale(T *a, const unsigned *pivots, unsigned k)
{
    const unsigned i = threadIdx.x, p = pivots[k];
    if (i < N && p != k) {
        const T t = a[k * N + i];
        a[k * N + i] = a[p * N + i];
        a[p * N + i] = t;
    }
    __syncthreads();
    if (i > k && i < N)
        a[i * N + k] /= a[k * N + k];
}

template <class T> __global__ void lu_update(T *a, unsigned k)
{
    const unsigned i = k + 1 + threadIdx.y, j = k + 1 + threadIdx.x;
    if (i < N && j < N)
        a[i * N + j] -= a[i * N + k] * a[k * N + j];
}

template <class T> __global__ void lu_solve(const T *a, const unsigned *pivots, T *b)
{
    __shared__ T x[N];
    const unsigned i = threadIdx.x;
    if (i < N)
        x[i] = b[i];
    __syncthreads();
    if (i == 0)
        for (unsigned k = 0; k < N; k++) {
            const T t = x[k];
            x[k] = x[pivots[k]];
            x[pivots[k]] = t;
        }
    for (unsigned k = 0; k < N; k++) {
        __syncthreads();
        if (i > k && i < N)
            x[i] -= a[i * N + k] * x[k];
    }
    for (int k = N - 1; k >= 0; k--) {
        __syncthreads();
        if (i == static_cast<unsigned>(k))
            x[i] /= a[i * N + i];
        __syncthreads();
        if (i < static_cast<unsigned>(k))
            x[i] -= a[i * N + static_cast<unsigned>(k)] * x[k];
    }
    __syncthreads();
    if (i < N)
        b[i] = x[i];
}

__global__ void cholesky(double *a)
{
    const unsigned i = threadIdx.x;
    for (unsigned k = 0; k < N; k++) {
        if (i == k)
            a[k * N + k] = sqrt(a[k * N + k]);
        __syncthreads();
        if (i > k && i < N)
            a[i * N + k] /= a[k * N + k];
        __syncthreads();
        if (i > k && i < N)
            for (unsigned j = k + 1; j <= i; j++)
                a[i * N + j] -= a[i * N + k] * a[j * N + k];
        __syncthreads();
    }
}

template <class T> static void host_lu(std::vector<T> &a, std::vector<unsigned> &pivots, std::vector<T> &x)
{
    for (unsigned k = 0; k < N; k++) {
        unsigned p = k;
        for (unsigned i = k + 1; i < N; i++)
            if (std::fabs(a[i * N + k]) > std::fabs(a[p * N + k]))
                p = i;
        pivots[k] = p;
        for (unsigned j = 0; j < N && p != k; j++)
            std::swap(a[k * N + j], a[p * N + j]);
        std::swap(x[k], x[p]);
        for (unsigned i = k + 1; i < N; i++) {
            a[i * N + k] /= a[k * N + k];
            for (unsigned j = k + 1; j < N; j++)
                a[i * N + j] -= a[i * N + k] * a[k * N + j];
        }
    }
    for (unsigned k = 0; k < N; k++)
        for (unsigned i = k + 1; i < N; i++)
            x[i] -= a[i * N + k] * x[k];
    for (unsigned k = N; k-- > 0;) {
        x[k] /= a[k * N + k];
        for (unsigned i = 0; i < k; i++)
            x[i] -= a[i * N + k] * x[k];
    }
}

template <class T> static void decompose_and_solve(Suite &suite, uint32_t &seed, T residue)
{
    Array<T> a(random_reals<T>(N * N, seed, -1, 1)), b(random_reals<T>(N, seed, -1, 1));
    Array<unsigned> pivots(N);
    const auto first_a = a.host, first_b = b.host;
    auto wanted = a.host, x = b.host;
    std::vector<unsigned> wanted_pivots(N);
    host_lu(wanted, wanted_pivots, x);
    for (unsigned k = 0; k < N; k++) {
        lu_pivot<T><<<1, 64>>>(a.gpu(), pivots.gpu(), k);
        lu_swap_scale<T><<<1, 64>>>(a.gpu(), pivots.gpu(), k);
        if (k + 1 < N)
            lu_update<T><<<1, dim3(N - 1 - k, N - 1 - k)>>>(a.gpu(), k);
    }
    lu_solve<T><<<1, 64>>>(a.gpu(), pivots.gpu(), b.gpu());
    suite.same("pivots", pivots.get(), wanted_pivots);
    suite.same("factors", a.get(), wanted);
    suite.same("solution", b.get(), x);
    T worst = 0; // and the equations hold
    for (unsigned i = 0; i < N; i++) {
        T sum = -first_b[i];
        for (unsigned j = 0; j < N; j++)
            sum += first_a[i * N + j] * b.host[j];
        worst = std::fmax(worst, std::fabs(sum));
    }
    suite.check("residue", worst < residue);
}

int main(int argc, char **argv)
{
    uint32_t seed = seed_argument(argc, argv);
    Suite suite("lu");
    decompose_and_solve<float>(suite, seed, 1e-3f);
    decompose_and_solve<double>(suite, seed, 1e-11);
    const auto r = random_reals<double>(N * N, seed, -1, 1);
    Array<double> a(N * N);
    for (unsigned i = 0; i < N * N; i++) { // r * transposed r + identity: positive definite
        a.host[i] = i / N == i % N;
        for (unsigned k = 0; k < N; k++)
            a.host[i] += r[i / N * N + k] * r[i % N * N + k];
    }
    a.put();
    auto wanted = a.host;
    for (unsigned k = 0; k < N; k++) {
        wanted[k * N + k] = std::sqrt(wanted[k * N + k]);
        for (unsigned i = k + 1; i < N; i++)
            wanted[i * N + k] /= wanted[k * N + k];
        for (unsigned i = k + 1; i < N; i++)
            for (unsigned j = k + 1; j <= i; j++)
                wanted[i * N + j] -= wanted[i * N + k] * wanted[j * N + k];
    }
    cholesky<<<1, 64>>>(a.gpu());
    suite.same("cholesky", a.get(), wanted);
    return suite.verdict();
}
