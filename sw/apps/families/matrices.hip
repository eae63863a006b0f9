// SPDX-License-Identifier: Apache-2.0
// Matrices of several types: products in f16, f32 (tiles in registers, fused), f64, bytes into i32, complex f32; matrix
// times vector by a wavefront a row.  The host adds in the same order, so every bit is the same.
#include "suite.h"

using Half = _Float16;

// The host has no _Float16 arithmetic of its own in every compiler: the compiler of the host part widens to f32 and
// rounds each operation, which is the same (24 >= 2 * 11 + 2 bits).
template <class T>
__host__ __device__ static T product_at(const T *a, const T *b, unsigned n, unsigned row, unsigned column)
{
    T sum = 0;
    for (unsigned k = 0; k < n; k++) {
        const T product = a[row * n + k] * b[k * n + column];
        sum = sum + product;
    }
    return sum;
}

template <class T> __device__ static void product(const T *a, const T *b, T *c, unsigned n)
{
    const unsigned column = global_id(), row = blockIdx.y;
    if (column < n)
        c[row * n + column] = product_at(a, b, n, row, column);
}

__global__ void product_f16(const Half *a, const Half *b, Half *c, unsigned n)
{
    product(a, b, c, n);
}
__global__ void product_f64(const double *a, const double *b, double *c, unsigned n)
{
    product(a, b, c, n);
}

// 4 x 4 results an item, fma; n divisible by 4.
__global__ void product_f32_tiles(const float *a, const float *b, float *c, unsigned n)
{
    const unsigned column = global_id() * 4, row = blockIdx.y * 4;
    float sum[4][4] = {};
    if (column >= n)
        return;
    for (unsigned k = 0; k < n; k++) {
        const float4 right = *reinterpret_cast<const float4 *>(&b[k * n + column]);
        for (unsigned i = 0; i < 4; i++) {
            const float left = a[(row + i) * n + k];
            sum[i][0] = fmaf(left, right.x, sum[i][0]);
            sum[i][1] = fmaf(left, right.y, sum[i][1]);
            sum[i][2] = fmaf(left, right.z, sum[i][2]);
            sum[i][3] = fmaf(left, right.w, sum[i][3]);
        }
    }
    for (unsigned i = 0; i < 4; i++)
        *reinterpret_cast<float4 *>(&c[(row + i) * n + column]) =
            make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
}

__global__ void product_bytes(const char4 *a, const char4 *b, int *c, unsigned n)
{
    const unsigned column = global_id(), row = blockIdx.y; // b is transposed; n counts groups of four
    int sum = 0;
    if (column >= 4 * n)
        return;
    for (unsigned k = 0; k < n; k++) {
        const char4 x = a[row * n + k], y = b[column * n + k];
        sum += x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
    }
    c[row * 4 * n + column] = sum;
}

__global__ void product_complex(const float2 *a, const float2 *b, float2 *c, unsigned n)
{
    const unsigned column = global_id(), row = blockIdx.y;
    if (column >= n)
        return;
    float re = 0, im = 0;
    for (unsigned k = 0; k < n; k++) {
        const float2 x = a[row * n + k], y = b[k * n + column];
        re += x.x * y.x - x.y * y.y;
        im += x.x * y.y + x.y * y.x;
    }
    c[row * n + column] = make_float2(re, im);
}

__host__ __device__ static double partial_dot(const double *row, const double *x, unsigned n, unsigned lane)
{
    double sum = 0;
    for (unsigned k = lane; k < n; k += 64)
        sum = fma(row[k], x[k], sum);
    return sum;
}

__global__ void times_vector(const double *a, const double *x, double *y, unsigned n)
{
    double sum = partial_dot(a + blockIdx.x * n, x, n, threadIdx.x);
    for (int step = 32; step > 0; step /= 2)
        sum += __shfl_down(sum, static_cast<unsigned>(step), 64);
    if (threadIdx.x == 0)
        y[blockIdx.x] = sum;
}

__global__ void half_vectors(const Half *a, const Half *b, Half *out, unsigned n)
{
    if (global_id() < n) {
        const Half x = a[global_id()], y = b[global_id()];
        out[global_id()] = x > y ? (x - y) * x : (y - x) * y + Half(0.5f);
    }
}

template <class T> static std::vector<T> host_product(const std::vector<T> &a, const std::vector<T> &b, unsigned n)
{
    std::vector<T> c(n * n);
    for (unsigned i = 0; i < n * n; i++)
        c[i] = product_at(a.data(), b.data(), n, i / n, i % n);
    return c;
}

int main(int argc, char **argv)
{
    const unsigned n = size_argument(argc, argv, 7) * 4;
    const dim3 grid(groups_of(n, 64), n);
    uint32_t seed = seed_argument(argc, argv);
    Suite suite("matrices");
    {
        Array<Half> a(random_reals<Half>(n * n, seed, 0.25, 2)), b(random_reals<Half>(n * n, seed, 0.25, 2)), c(n * n);
        product_f16<<<grid, 64>>>(a.gpu(), b.gpu(), c.gpu(), n);
        suite.same("product f16", c.get(), host_product(a.host, b.host, n));
        half_vectors<<<groups_of(n * n, 64), 64>>>(a.gpu(), b.gpu(), c.gpu(), n * n);
        std::vector<Half> wanted(n * n);
        for (unsigned i = 0; i < n * n; i++) {
            const Half x = a.host[i], y = b.host[i], difference = x > y ? x - y : y - x,
                       scaled = difference * (x > y ? x : y);
            wanted[i] = x > y ? scaled : static_cast<Half>(scaled + Half(0.5f));
        }
        suite.same("half vectors", c.get(), wanted);
    }
    {
        Array<double> a(random_reals<double>(n * n, seed, -4, 4)), b(random_reals<double>(n * n, seed, -4, 4)),
            c(n * n);
        product_f64<<<grid, 64>>>(a.gpu(), b.gpu(), c.gpu(), n);
        suite.same("product f64", c.get(), host_product(a.host, b.host, n));
        Array<double> x(random_reals<double>(n, seed, -1, 1)), y(n);
        std::vector<double> wanted(n);
        for (unsigned row = 0; row < n; row++) {
            double part[128] = {};
            for (unsigned lane = 0; lane < 64; lane++)
                part[lane] = partial_dot(&a.host[row * n], x.host.data(), n, lane);
            for (unsigned step = 32; step > 0; step /= 2)
                for (unsigned lane = 0; lane < step; lane++)
                    part[lane] += part[lane + step];
            wanted[row] = part[0];
        }
        times_vector<<<n, 64>>>(a.gpu(), x.gpu(), y.gpu(), n);
        suite.same("times vector", y.get(), wanted);
    }
    {
        Array<float> a(random_reals<float>(n * n, seed, -4, 4)), b(random_reals<float>(n * n, seed, -4, 4)), c(n * n);
        std::vector<float> wanted(n * n);
        for (unsigned i = 0; i < n * n; i++)
            for (unsigned k = 0; k < n; k++)
                wanted[i] = std::fmaf(a.host[i / n * n + k], b.host[k * n + i % n], wanted[i]);
        product_f32_tiles<<<dim3(groups_of(n / 4, 64), n / 4), 64>>>(a.gpu(), b.gpu(), c.gpu(), n);
        suite.same("product f32 tiles", c.get(), wanted);
    }
    {
        Array<char4> a(n * n / 4), b(n * n / 4);
        Array<int> c(n * n);
        std::vector<int> wanted(n * n);
        auto fill = [&](std::vector<char4> &v) {
            for (auto &x : v) {
                const uint32_t r = random_next(seed);
                std::memcpy(static_cast<void *>(&x), &r, 4);
            }
        };
        fill(a.host), fill(b.host);
        a.put(), b.put();
        const auto *left = reinterpret_cast<const int8_t *>(a.host.data()),
                   *right = reinterpret_cast<const int8_t *>(b.host.data());
        for (unsigned i = 0; i < n * n; i++)
            for (unsigned k = 0; k < n; k++)
                wanted[i] += left[i / n * n + k] * right[i % n * n + k];
        product_bytes<<<grid, 64>>>(a.gpu(), b.gpu(), c.gpu(), n / 4);
        suite.same("product of bytes", c.get(), wanted);
    }
    {
        Array<float2> a(n * n), b(n * n), c(n * n);
        const auto r = random_reals<float>(4 * n * n, seed, -2, 2);
        std::vector<float2> wanted(n * n);
        for (unsigned i = 0; i < n * n; i++) {
            a.host[i] = make_float2(r[4 * i], r[4 * i + 1]);
            b.host[i] = make_float2(r[4 * i + 2], r[4 * i + 3]);
        }
        a.put(), b.put();
        for (unsigned i = 0; i < n * n; i++) {
            float re = 0, im = 0;
            for (unsigned k = 0; k < n; k++) {
                const float2 x = a.host[i / n * n + k], y = b.host[k * n + i % n];
                re += x.x * y.x - x.y * y.y;
                im += x.x * y.y + x.y * y.x;
            }
            wanted[i] = make_float2(re, im);
        }
        product_complex<<<grid, 64>>>(a.gpu(), b.gpu(), c.gpu(), n);
        suite.same("complex product", c.get(), wanted);
    }
    return suite.verdict();
}
