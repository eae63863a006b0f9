// SPDX-License-Identifier: Apache-2.0
// Sparse matrices: CSR times vector with an item a row and with a wavefront a row, ELLPACK, transposed product by
// atomics, triangular solution with rows that wait for rows.
#include "suite.h"

struct Csr {
    unsigned rows;
    std::vector<unsigned> starts, columns;
    std::vector<float> values;
};

static Csr random_csr(unsigned n, unsigned most, uint32_t &seed, bool lower)
{
    Csr m = {n, {0}, {}, {}};
    for (unsigned row = 0; row < n; row++) {
        const unsigned entries = random_next(seed) % (most + 1);
        for (unsigned k = 0; k < entries; k++) {
            const unsigned column = random_next(seed) % n;
            if (!lower || column < row) {
                m.columns.push_back(column);
                m.values.push_back(static_cast<float>(static_cast<int>(random_next(seed) % 33) - 16) / 8);
            }
        }
        m.starts.push_back(static_cast<unsigned>(m.columns.size()));
    }
    return m;
}

__host__ __device__ static float row_sum(const unsigned *columns, const float *values, const float *x, unsigned from,
                                         unsigned to)
{
    float sum = 0;
    for (unsigned k = from; k < to; k++)
        sum += values[k] * x[columns[k]];
    return sum;
}

__global__ void csr_scalar(const unsigned *starts, const unsigned *columns, const float *values, const float *x,
                           float *y, unsigned n)
{
    const unsigned row = global_id();
    if (row < n)
        y[row] = row_sum(columns, values, x, starts[row], starts[row + 1]);
}

// Values and vectors are small multiples of 1/64: sums are exact in any order.
__global__ void csr_vector(const unsigned *starts, const unsigned *columns, const float *values, const float *x,
                           float *y, unsigned n)
{
    const unsigned row = global_id() / 64, lane = threadIdx.x % 64;
    if (row >= n)
        return;
    float sum = 0;
    for (unsigned k = starts[row] + lane; k < starts[row + 1]; k += 64)
        sum += values[k] * x[columns[k]];
    for (int step = 32; step > 0; step /= 2)
        sum += __shfl_xor(sum, step, 64);
    if (lane == 0)
        y[row] = sum;
}

__global__ void ell(const int *columns, const float *values, const float *x, float *y, unsigned n, unsigned width)
{
    const unsigned row = global_id();
    if (row >= n)
        return;
    float sum = 0;
    for (unsigned k = 0; k < width; k++) {
        const int column = columns[k * n + row];
        if (column >= 0)
            sum += values[k * n + row] * x[column];
    }
    y[row] = sum;
}

__global__ void csr_transposed(const unsigned *starts, const unsigned *columns, const float *values, const float *x,
                               int *y, unsigned n)
{
    const unsigned row = global_id();
    if (row < n)
        for (unsigned k = starts[row]; k < starts[row + 1]; k++)
            atomicAdd(&y[columns[k]], static_cast<int>(values[k] * x[row] * 64));
}

// x = b - L x with unit diagonal; a group of one item a row, which waits until the rows it needs are ready: those of
// groups before it.
__global__ void triangular(const unsigned *starts, const unsigned *columns, const float *values, const float *b,
                           float *x, unsigned *ready)
{
    const unsigned row = blockIdx.x;
    float sum = b[row];
    for (unsigned k = starts[row]; k < starts[row + 1]; k++) {
        while (!__hip_atomic_load(&ready[columns[k]], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT))
            ;
        sum -= values[k] * __hip_atomic_load(&x[columns[k]], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    }
    x[row] = sum;
    __hip_atomic_store(&ready[row], 1u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
}

int main(int argc, char **argv)
{
    const unsigned n = size_argument(argc, argv, 150), most = 12;
    uint32_t seed = seed_argument(argc, argv);
    Suite suite("sparse");
    const Csr m = random_csr(n, most, seed, false);
    Array<unsigned> starts(m.starts), columns(m.columns);
    Array<float> values(m.values), x(n), y(n);
    for (auto &v : x.host)
        v = static_cast<float>(static_cast<int>(random_next(seed) % 65) - 32) / 8;
    x.put();
    std::vector<float> wanted(n);
    for (unsigned row = 0; row < n; row++)
        wanted[row] = row_sum(m.columns.data(), m.values.data(), x.host.data(), m.starts[row], m.starts[row + 1]);
    csr_scalar<<<groups_of(n, 64), 64>>>(starts.gpu(), columns.gpu(), values.gpu(), x.gpu(), y.gpu(), n);
    suite.same("csr, item a row", y.get(), wanted);
    csr_vector<<<groups_of(n, 4), 256>>>(starts.gpu(), columns.gpu(), values.gpu(), x.gpu(), y.gpu(), n);
    y.get();
    for (auto &v : y.host)
        v += 0.0f; // a sum of no terms may be -0
    for (auto &v : wanted)
        v += 0.0f;
    suite.same("csr, wavefront a row", y.host, wanted);
    {
        Array<int> where(n * most, -1);
        Array<float> what(n * most);
        for (unsigned row = 0; row < n; row++)
            for (unsigned k = m.starts[row]; k < m.starts[row + 1]; k++) {
                where.host[(k - m.starts[row]) * n + row] = static_cast<int>(m.columns[k]);
                what.host[(k - m.starts[row]) * n + row] = m.values[k];
            }
        where.put(), what.put();
        ell<<<groups_of(n, 128), 128>>>(where.gpu(), what.gpu(), x.gpu(), y.gpu(), n, most);
        suite.same("ell", y.get(), wanted);
    }
    {
        Array<int> sums(n);
        std::vector<int> wanted_sums(n);
        for (unsigned row = 0; row < n; row++)
            for (unsigned k = m.starts[row]; k < m.starts[row + 1]; k++)
                wanted_sums[m.columns[k]] += static_cast<int>(m.values[k] * x.host[row] * 64);
        csr_transposed<<<groups_of(n, 64), 64>>>(starts.gpu(), columns.gpu(), values.gpu(), x.gpu(), sums.gpu(), n);
        suite.same("transposed", sums.get(), wanted_sums);
    }
    {
        const Csr l = random_csr(n, 5, seed, true);
        Array<unsigned> l_starts(l.starts), l_columns(l.columns), ready(n);
        Array<float> l_values(l.values);
        for (unsigned row = 0; row < n; row++) {
            wanted[row] = x.host[row];
            for (unsigned k = l.starts[row]; k < l.starts[row + 1]; k++)
                wanted[row] -= l.values[k] * wanted[l.columns[k]];
        }
        triangular<<<n, 1>>>(l_starts.gpu(), l_columns.gpu(), l_values.gpu(), x.gpu(), y.gpu(), ready.gpu());
        suite.same("triangular", y.get(), wanted);
    }
    return suite.verdict();
}
