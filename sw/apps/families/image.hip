// SPDX-License-Identifier: Apache-2.0
// Images: colours to grey, separable convolution, Sobel, histogram equalisation (three kernels), median, bilinear
// scaling, Mandelbrot.
#include <algorithm>

#include "suite.h"

struct Size {
    unsigned width, height;
};

__host__ __device__ static unsigned clamped(int v, unsigned size)
{
    return v < 0 ? 0 : v >= static_cast<int>(size) ? size - 1 : static_cast<unsigned>(v);
}

template <class T> __host__ __device__ static T pixel(const T *in, Size s, int x, int y)
{
    return in[clamped(y, s.height) * s.width + clamped(x, s.width)];
}

__device__ static bool my_pixel(Size s, int &x, int &y)
{
    x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
    return x < static_cast<int>(s.width) && y < static_cast<int>(s.height);
}

__host__ __device__ static uint8_t grey(uint32_t rgba)
{
    return static_cast<uint8_t>(((rgba & 255) * 77 + (rgba >> 8 & 255) * 150 + (rgba >> 16 & 255) * 29 + 128) >> 8);
}

__global__ void to_grey(const uchar4 *in, uint8_t *out, Size s)
{
    int x, y;
    if (my_pixel(s, x, y)) {
        const uchar4 p = in[static_cast<unsigned>(y) * s.width + static_cast<unsigned>(x)];
        out[static_cast<unsigned>(y) * s.width + static_cast<unsigned>(x)] =
            static_cast<uint8_t>((p.x * 77u + p.y * 150u + p.z * 29u + 128) >> 8);
    }
}

template <class T> __host__ __device__ static float convolved(const T *in, Size s, int x, int y, int dx, int dy)
{
    const float weights[3] = {0.375f, 0.25f, 0.0625f};
    float sum = weights[0] * static_cast<float>(pixel(in, s, x, y));
    for (int r = 1; r <= 2; r++)
        sum += weights[r] * (static_cast<float>(pixel(in, s, x - r * dx, y - r * dy)) +
                             static_cast<float>(pixel(in, s, x + r * dx, y + r * dy)));
    return sum;
}

__global__ void convolve_rows(const uint8_t *in, float *out, Size s)
{
    int x, y;
    if (my_pixel(s, x, y))
        out[static_cast<unsigned>(y) * s.width + static_cast<unsigned>(x)] = convolved(in, s, x, y, 1, 0);
}

__global__ void convolve_columns(const float *in, float *out, Size s)
{
    int x, y;
    if (my_pixel(s, x, y))
        out[static_cast<unsigned>(y) * s.width + static_cast<unsigned>(x)] = convolved(in, s, x, y, 0, 1);
}

__host__ __device__ static float sobel_at(const uint8_t *in, Size s, int x, int y)
{
    int gx = 0, gy = 0;
    for (int d = -1; d <= 1; d++) {
        const int weight = d ? 1 : 2;
        gx += weight * (pixel(in, s, x + 1, y + d) - pixel(in, s, x - 1, y + d));
        gy += weight * (pixel(in, s, x + d, y + 1) - pixel(in, s, x + d, y - 1));
    }
    return std::sqrt(static_cast<float>(gx * gx + gy * gy));
}

__global__ void sobel(const uint8_t *in, float *out, Size s)
{
    int x, y;
    if (my_pixel(s, x, y))
        out[static_cast<unsigned>(y) * s.width + static_cast<unsigned>(x)] = sobel_at(in, s, x, y);
}

__global__ void grey_histogram(const uint8_t *in, unsigned *bins, unsigned n)
{
    __shared__ unsigned mine[256];
    mine[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned i = global_id(); i < n; i += gridDim.x * 256)
        atomicAdd(&mine[in[i]], 1u);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

__global__ void equalisation_table(const unsigned *bins, uint8_t *table, unsigned n)
{
    __shared__ unsigned sums[2][256];
    unsigned from = 0;
    sums[0][threadIdx.x] = bins[threadIdx.x];
    for (unsigned step = 1; step < 256; step *= 2, from ^= 1) {
        __syncthreads();
        sums[from ^ 1][threadIdx.x] =
            sums[from][threadIdx.x] + (threadIdx.x >= step ? sums[from][threadIdx.x - step] : 0);
    }
    __syncthreads();
    table[threadIdx.x] = static_cast<uint8_t>(sums[from][threadIdx.x] * 255 / n);
}

__global__ void apply_table(const uint8_t *in, uint8_t *out, const uint8_t *table, unsigned n)
{
    for (unsigned i = global_id(); i < n; i += gridDim.x * blockDim.x)
        out[i] = table[in[i]];
}

// The fifth of nine by exchanges (a sorting network of the columns, then of their extremes).
__device__ static void order(uint8_t &a, uint8_t &b)
{
    const uint8_t low = min(a, b);
    b = max(a, b);
    a = low;
}

__global__ void median(const uint8_t *in, uint8_t *out, Size s)
{
    int x, y;
    if (!my_pixel(s, x, y))
        return;
    uint8_t v[9];
    for (int i = 0; i < 9; i++)
        v[i] = pixel(in, s, x + i % 3 - 1, y + i / 3 - 1);
    for (int c = 0; c < 9; c += 3)
        order(v[c], v[c + 1]), order(v[c + 1], v[c + 2]), order(v[c], v[c + 1]);
    const uint8_t low = max(max(v[0], v[3]), v[6]), high = min(min(v[2], v[5]), v[8]);
    order(v[1], v[4]), order(v[4], v[7]), order(v[1], v[4]);
    uint8_t a = low, b = v[4], c = high;
    order(a, b), order(b, c), order(a, b);
    out[static_cast<unsigned>(y) * s.width + static_cast<unsigned>(x)] = b;
}

__host__ __device__ static uint8_t scaled_at(const uint8_t *in, Size s, Size to, unsigned x, unsigned y)
{
    const float fx = static_cast<float>(x * (s.width - 1)) / static_cast<float>(to.width - 1);
    const float fy = static_cast<float>(y * (s.height - 1)) / static_cast<float>(to.height - 1);
    const int ix = static_cast<int>(std::floor(fx)), iy = static_cast<int>(std::floor(fy));
    const float rx = fx - static_cast<float>(ix), ry = fy - static_cast<float>(iy);
    const float top = (1 - rx) * pixel(in, s, ix, iy) + rx * pixel(in, s, ix + 1, iy);
    const float bottom = (1 - rx) * pixel(in, s, ix, iy + 1) + rx * pixel(in, s, ix + 1, iy + 1);
    return static_cast<uint8_t>((1 - ry) * top + ry * bottom + 0.5f);
}

__global__ void scale(const uint8_t *in, uint8_t *out, Size s, Size to)
{
    int x, y;
    if (my_pixel(to, x, y))
        out[static_cast<unsigned>(y) * to.width + static_cast<unsigned>(x)] =
            scaled_at(in, s, to, static_cast<unsigned>(x), static_cast<unsigned>(y));
}

__host__ __device__ static uint8_t escape(double cx, double cy)
{
    double x = 0, y = 0;
    unsigned n = 0;
    while (n < 40 && x * x + y * y < 4) {
        const double next = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = next;
        n++;
    }
    return static_cast<uint8_t>(n);
}

__global__ void mandelbrot(uint8_t *out, Size s)
{
    int x, y;
    if (my_pixel(s, x, y))
        out[static_cast<unsigned>(y) * s.width + static_cast<unsigned>(x)] =
            escape(x * 3.0 / s.width - 2, y * 2.0 / s.height - 1);
}

int main(int argc, char **argv)
{
    const unsigned width = size_argument(argc, argv, 41), height = width * 2 / 3, n = width * height;
    const Size s = {width, height};
    const dim3 block(16, 8), grid(groups_of(width, 16), groups_of(height, 8));
    uint32_t seed = seed_argument(argc, argv);
    Suite suite("image");
    Array<uint32_t> colours(random_words(n, seed));
    Array<uint8_t> in(n), out(n);
    std::vector<uint8_t> bytes(n);
    std::vector<float> reals(n);
    auto each = [&](auto &wanted, auto value) {
        for (unsigned i = 0; i < n; i++)
            wanted[i] = value(static_cast<int>(i % width), static_cast<int>(i / width));
    };
    to_grey<<<grid, block>>>(reinterpret_cast<const uchar4 *>(colours.gpu()), in.gpu(), s);
    for (unsigned i = 0; i < n; i++)
        bytes[i] = grey(colours.host[i]);
    suite.same("grey", in.get(), bytes);
    const uint8_t *source = in.host.data();
    {
        Array<float> rows(n), both(n);
        convolve_rows<<<grid, block>>>(in.gpu(), rows.gpu(), s);
        each(reals, [&](int x, int y) { return convolved(source, s, x, y, 1, 0); });
        suite.same("rows", rows.get(), reals);
        convolve_columns<<<grid, block>>>(rows.gpu(), both.gpu(), s);
        each(reals, [&](int x, int y) { return convolved(rows.host.data(), s, x, y, 0, 1); });
        suite.same("columns", both.get(), reals);
        sobel<<<grid, block>>>(in.gpu(), both.gpu(), s);
        each(reals, [&](int x, int y) { return sobel_at(source, s, x, y); });
        suite.same("sobel", both.get(), reals);
    }
    {
        Array<unsigned> bins(256);
        Array<uint8_t> table(256);
        std::vector<unsigned> counts(256);
        std::vector<uint8_t> steps(256);
        for (unsigned i = 0; i < n; i++)
            counts[source[i]]++;
        for (unsigned i = 0, sum = 0; i < 256; i++)
            steps[i] = static_cast<uint8_t>((sum += counts[i]) * 255 / n);
        grey_histogram<<<2, 256>>>(in.gpu(), bins.gpu(), n);
        suite.same("histogram", bins.get(), counts);
        equalisation_table<<<1, 256>>>(bins.gpu(), table.gpu(), n);
        suite.same("table", table.get(), steps);
        apply_table<<<2, 128>>>(in.gpu(), out.gpu(), table.gpu(), n);
        each(bytes, [&](int x, int y) { return steps[pixel(source, s, x, y)]; });
        suite.same("equalised", out.get(), bytes);
    }
    median<<<grid, block>>>(in.gpu(), out.gpu(), s);
    each(bytes, [&](int x, int y) {
        std::vector<uint8_t> v;
        for (int i = 0; i < 9; i++)
            v.push_back(pixel(source, s, x + i % 3 - 1, y + i / 3 - 1));
        std::sort(v.begin(), v.end());
        return v[4];
    });
    suite.same("median", out.get(), bytes);
    {
        const Size to = {width + 13, height - 5};
        Array<uint8_t> scaled(to.width * to.height);
        std::vector<uint8_t> wanted(scaled.size());
        for (unsigned i = 0; i < wanted.size(); i++)
            wanted[i] = scaled_at(source, s, to, i % to.width, i / to.width);
        scale<<<dim3(groups_of(to.width, 16), groups_of(to.height, 8)), block>>>(in.gpu(), scaled.gpu(), s, to);
        suite.same("scaled", scaled.get(), wanted);
    }
    mandelbrot<<<grid, block>>>(out.gpu(), s);
    each(bytes, [&](int x, int y) { return escape(x * 3.0 / width - 2, y * 2.0 / height - 1); });
    suite.same("mandelbrot", out.get(), bytes);
    return suite.verdict();
}
