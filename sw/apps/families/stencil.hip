// SPDX-License-Identifier: Apache-2.0
// Stencils: 1D of radius 3 with halos in the LDS, 2D Jacobi (f32), 3D of 7 points (f64), waves in 1D (f64, two time
// levels), game of life.
#include "suite.h"

constexpr unsigned Group = 128, Radius = 3;

__host__ __device__ static float weighted(const float *centre, const float *weights)
{
    float sum = weights[0] * centre[0];
    for (int r = 1; r <= static_cast<int>(Radius); r++)
        sum += weights[r] * (centre[-r] + centre[r]);
    return sum;
}

struct Weights {
    float w[Radius + 1];
};

__global__ void stencil_1d(const float *in, float *out, unsigned n, Weights weights)
{
    __shared__ float tile[Group + 2 * Radius];
    const unsigned i = global_id();
    for (unsigned t = threadIdx.x; t < Group + 2 * Radius; t += Group) // `in` has Radius more at both ends
        if (blockIdx.x * Group + t < n + 2 * Radius)
            tile[t] = in[blockIdx.x * Group + t];
    __syncthreads();
    if (i < n)
        out[i] = weighted(&tile[threadIdx.x + Radius], weights.w);
}

__host__ __device__ static float jacobi_at(const float *in, unsigned width, unsigned height, unsigned x, unsigned y)
{
    const unsigned i = y * width + x;
    if (x == 0 || y == 0 || x == width - 1 || y == height - 1)
        return in[i];
    return 0.25f * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);
}

__global__ void jacobi_2d(const float *in, float *out, unsigned width, unsigned height)
{
    const unsigned x = global_id(), y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[y * width + x] = jacobi_at(in, width, height, x, y);
}

__host__ __device__ static double heat_at(const double *in, unsigned n, unsigned x, unsigned y, unsigned z)
{
    const unsigned i = (z * n + y) * n + x, row = n, plane = n * n;
    double sum = -6 * in[i];
    sum += (x > 0 ? in[i - 1] : 0) + (x + 1 < n ? in[i + 1] : 0);
    sum += (y > 0 ? in[i - row] : 0) + (y + 1 < n ? in[i + row] : 0);
    sum += (z > 0 ? in[i - plane] : 0) + (z + 1 < n ? in[i + plane] : 0);
    return in[i] + 0.1 * sum;
}

__global__ void heat_3d(const double *in, double *out, unsigned n)
{
    const unsigned x = threadIdx.x, y = threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < n && y < n && z < n)
        out[(z * n + y) * n + x] = heat_at(in, n, x, y, z);
}

__host__ __device__ static double wave_at(const double *now, const double *before, unsigned n, unsigned i)
{
    return i == 0 || i == n - 1 ? 0 : 2 * now[i] - before[i] + 0.25 * (now[i - 1] - 2 * now[i] + now[i + 1]);
}

// All steps in one launch: three time levels in the LDS.
__global__ void wave_1d(double *data, unsigned n, unsigned steps)
{
    __shared__ double level[3][Group];
    const unsigned i = threadIdx.x;
    if (i < n)
        level[0][i] = level[1][i] = data[i];
    for (unsigned t = 0; t < steps; t++) {
        __syncthreads();
        if (i < n)
            level[(t + 2) % 3][i] = wave_at(level[(t + 1) % 3], level[t % 3], n, i);
    }
    if (i < n)
        data[i] = level[(steps + 1) % 3][i];
}

// 64 cells a word, rows of one word, torus: sums bit by bit.
__host__ __device__ static uint64_t life_row(uint64_t above, uint64_t self, uint64_t below)
{
    const uint64_t rows[3] = {above, self, below};
    uint64_t ones = 0, twos = 0, fours = 0;
    for (unsigned r = 0; r < 3; r++)
        for (unsigned s = 0; s < 3; s++) {
            if (r == 1 && s == 1)
                continue;
            const uint64_t v = s == 0 ? rows[r] << 1 | rows[r] >> 63 : s == 1 ? rows[r] : rows[r] >> 1 | rows[r] << 63;
            const uint64_t carry = ones & v, carry2 = twos & carry;
            ones ^= v;
            twos ^= carry;
            fours |= carry2;
        }
    return ~fours & twos & (ones | self);
}

__global__ void life(uint64_t *rows, unsigned n, unsigned generations)
{
    __shared__ uint64_t world[2][Group];
    const unsigned i = threadIdx.x;
    if (i < n)
        world[0][i] = rows[i];
    for (unsigned g = 0; g < generations; g++) {
        __syncthreads();
        if (i < n)
            world[~g & 1][i] = life_row(world[g & 1][(i + n - 1) % n], world[g & 1][i], world[g & 1][(i + 1) % n]);
    }
    __syncthreads();
    if (i < n)
        rows[i] = world[generations & 1][i];
}

int main(int argc, char **argv)
{
    const unsigned n = size_argument(argc, argv, 300);
    uint32_t seed = seed_argument(argc, argv);
    Suite suite("stencil");
    {
        const Weights weights = {{0.5f, 0.125f, 0.0625f, 0.03125f}};
        Array<float> in(random_reals<float>(n + 2 * Radius, seed, 1, 9)), out(n);
        std::vector<float> wanted(n);
        for (unsigned i = 0; i < n; i++)
            wanted[i] = weighted(&in.host[i + Radius], weights.w);
        stencil_1d<<<groups_of(n, Group), Group>>>(in.gpu(), out.gpu(), n, weights);
        suite.same("1d", out.get(), wanted);
    }
    {
        const unsigned width = 37, height = 21;
        Array<float> a(random_reals<float>(width * height, seed, 1, 9)), b(width * height);
        auto now = a.host, next = now;
        for (unsigned step = 0; step < 4; step++) {
            for (unsigned i = 0; i < width * height; i++)
                next[i] = jacobi_at(now.data(), width, height, i % width, i / width);
            now.swap(next);
            jacobi_2d<<<dim3(3, 6), dim3(16, 4)>>>(step % 2 ? b.gpu() : a.gpu(), step % 2 ? a.gpu() : b.gpu(), width,
                                                   height);
        }
        suite.same("2d", a.get(), now);
    }
    {
        const unsigned side = 7;
        Array<double> in(random_reals<double>(side * side * side, seed, 1, 9)), out(side * side * side);
        std::vector<double> wanted(in.size());
        for (unsigned i = 0; i < wanted.size(); i++)
            wanted[i] = heat_at(in.host.data(), side, i % side, i / side % side, i / side / side);
        heat_3d<<<dim3(1, 1, 4), dim3(8, 8, 2)>>>(in.gpu(), out.gpu(), side);
        suite.same("3d", out.get(), wanted);
    }
    {
        const unsigned cells = 100, steps = 12;
        Array<double> data(random_reals<double>(cells, seed, -1, 1));
        auto before = data.host, now = before, next = now;
        for (unsigned t = 0; t < steps; t++) {
            for (unsigned i = 0; i < cells; i++)
                next[i] = wave_at(now.data(), before.data(), cells, i);
            before.swap(now);
            now.swap(next);
        }
        wave_1d<<<1, Group>>>(data.gpu(), cells, steps);
        suite.same("wave", data.get(), now);
    }
    {
        const unsigned rows = 70, generations = 10;
        Array<uint64_t> world(rows);
        for (auto &row : world.host)
            row = static_cast<uint64_t>(random_next(seed)) << 32 | random_next(seed);
        world.put();
        std::vector<std::vector<int>> cells(rows, std::vector<int>(64));
        for (unsigned y = 0; y < rows; y++)
            for (unsigned x = 0; x < 64; x++)
                cells[y][x] = world.host[y] >> x & 1;
        for (unsigned g = 0; g < generations; g++) { // by counting, not by the sums above
            auto old = cells;
            for (unsigned y = 0; y < rows; y++)
                for (unsigned x = 0; x < 64; x++) {
                    int around = -old[y][x];
                    for (unsigned dy = 0; dy < 3; dy++)
                        for (unsigned dx = 0; dx < 3; dx++)
                            around += old[(y + rows + dy - 1) % rows][(x + 64 + dx - 1) % 64];
                    cells[y][x] = around == 3 || (around == 2 && old[y][x]);
                }
        }
        std::vector<uint64_t> wanted(rows);
        for (unsigned y = 0; y < rows; y++)
            for (unsigned x = 0; x < 64; x++)
                wanted[y] |= static_cast<uint64_t>(cells[y][x]) << x;
        life<<<1, Group>>>(world.gpu(), rows, generations);
        suite.same("life", world.get(), wanted);
    }
    return suite.verdict();
}
