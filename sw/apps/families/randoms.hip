// SPDX-License-Identifier: Apache-2.0
// Random number generators: Philox 4x32-10, xorshift128+ (64 bit), a 64-bit LCG with jumps, MRG32k3a in double
// precision, Mersenne twister 19937 in one group, Sobol points.  First numbers are those of the publications.
#include "suite.h"

struct Four {
    uint32_t v[4];
};

__host__ __device__ static Four philox(Four counter, uint32_t key0, uint32_t key1)
{
    for (int round = 0; round < 10; round++) {
        const uint64_t p0 = 0xd2511f53ull * counter.v[0], p1 = 0xcd9e8d57ull * counter.v[2];
        counter = {{static_cast<uint32_t>(p1 >> 32) ^ counter.v[1] ^ key0, static_cast<uint32_t>(p1),
                    static_cast<uint32_t>(p0 >> 32) ^ counter.v[3] ^ key1, static_cast<uint32_t>(p0)}};
        key0 += 0x9e3779b9u;
        key1 += 0xbb67ae85u;
    }
    return counter;
}

__global__ void fill_philox(Four *out, unsigned n, uint32_t key0, uint32_t key1)
{
    if (global_id() < n)
        out[global_id()] = philox({{global_id(), 0, 7, 9}}, key0, key1);
}

__host__ __device__ static uint64_t xorshift(uint64_t &a, uint64_t &b)
{
    uint64_t x = a;
    const uint64_t y = b;
    a = y;
    x ^= x << 23;
    b = x ^ y ^ x >> 17 ^ y >> 26;
    return b + y;
}

__host__ __device__ static uint64_t xorshift_sum(unsigned item, unsigned rounds)
{
    uint64_t a = item * 0x9e3779b97f4a7c15ull + 1, b = ~a, sum = 0;
    for (unsigned i = 0; i < rounds; i++)
        sum ^= xorshift(a, b) * (i + 1);
    return sum;
}

__global__ void fill_xorshift(uint64_t *out, unsigned n, unsigned rounds)
{
    if (global_id() < n)
        out[global_id()] = xorshift_sum(global_id(), rounds);
}

constexpr uint64_t Multiplier = 6364136223846793005ull, Increment = 1442695040888963407ull;

// Number `index` of the sequence, in log2(index) steps.
__global__ void lcg_jump(uint64_t *out, uint64_t start, unsigned n)
{
    uint64_t a = Multiplier, c = Increment, factor = 1, sum = 0;
    for (unsigned k = global_id(); k; k >>= 1) {
        if (k & 1) {
            factor *= a;
            sum = sum * a + c;
        }
        c *= a + 1;
        a *= a;
    }
    if (global_id() < n)
        out[global_id()] = factor * start + sum;
}

struct Mrg {
    double a[3], b[3];
};

__host__ __device__ static double mrg_next(Mrg &s)
{
    const double m1 = 4294967087.0, m2 = 4294944443.0;
    double p = 1403580.0 * s.a[1] - 810728.0 * s.a[0];
    p -= std::floor(p / m1) * m1;
    s.a[0] = s.a[1], s.a[1] = s.a[2], s.a[2] = p;
    double q = 527612.0 * s.b[2] - 1370589.0 * s.b[0];
    q -= std::floor(q / m2) * m2;
    s.b[0] = s.b[1], s.b[1] = s.b[2], s.b[2] = q;
    return (p > q ? p - q : p - q + m1) * 2.328306549295727688e-10;
}

__host__ __device__ static Mrg mrg_of(unsigned item)
{
    Mrg s;
    for (unsigned k = 0; k < 3; k++)
        s.a[k] = s.b[k] = 12345.0 + item;
    return s;
}

__global__ void fill_mrg(double *out, unsigned n, unsigned rounds)
{
    if (global_id() >= n)
        return;
    Mrg s = mrg_of(global_id());
    for (unsigned r = 0; r < rounds; r++)
        out[r * n + global_id()] = mrg_next(s);
}

constexpr unsigned Twist = 624, Lag = 397;

__host__ __device__ static uint32_t twisted(uint32_t now, uint32_t next, uint32_t far)
{
    const uint32_t y = (now & 0x80000000u) | (next & 0x7fffffffu);
    return far ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0);
}

__host__ __device__ static uint32_t tempered(uint32_t y)
{
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
}

// One block of 624 numbers: items 0..226, 227..453 and 454..623 need only what stands before or after them.
__global__ void mersenne(uint32_t *out, uint32_t seed)
{
    __shared__ uint32_t state[Twist];
    if (threadIdx.x == 0) {
        state[0] = seed;
        for (unsigned i = 1; i < Twist; i++)
            state[i] = 1812433253u * (state[i - 1] ^ state[i - 1] >> 30) + i;
    }
    __syncthreads();
    for (unsigned start = 0; start < Twist; start += Twist - Lag) {
        const unsigned i = start + threadIdx.x;
        const bool mine = threadIdx.x < Twist - Lag && i < Twist;
        const uint32_t v = mine ? twisted(state[i], state[(i + 1) % Twist], state[(i + Lag) % Twist]) : 0;
        __syncthreads();
        if (mine)
            state[i] = v;
        __syncthreads();
    }
    for (unsigned i = threadIdx.x; i < Twist; i += blockDim.x)
        out[i] = tempered(state[i]);
}

// Second dimension of Sobol's points (polynomial x + 1): direction numbers by their recurrence, in Gray code order.
__host__ __device__ static uint32_t sobol(unsigned index)
{
    uint32_t v = 0x80000000u, x = 0;
    for (uint32_t gray = index ^ index >> 1; gray; gray >>= 1) {
        if (gray & 1)
            x ^= v;
        v ^= v >> 1;
    }
    return x;
}

__global__ void fill_sobol(float *out, unsigned n)
{
    if (global_id() < n)
        out[global_id()] = static_cast<float>(sobol(global_id())) * 0x1p-32f;
}

int main(int argc, char **argv)
{
    const unsigned n = size_argument(argc, argv, 300), groups = groups_of(n, 128), rounds = 5;
    uint32_t seed = seed_argument(argc, argv);
    Suite suite("randoms");
    const Four zero = philox({{0, 0, 0, 0}}, 0, 0);
    suite.check("philox of zeros", zero.v[0] == 0x6627e8d5u && zero.v[1] == 0xe169c58du && zero.v[2] == 0xbc57ac4cu &&
                                       zero.v[3] == 0x9b00dbd8u);
    {
        Array<Four> out(n);
        std::vector<Four> wanted(n);
        for (unsigned i = 0; i < n; i++)
            wanted[i] = philox({{i, 0, 7, 9}}, seed, ~seed);
        fill_philox<<<groups, 128>>>(out.gpu(), n, seed, ~seed);
        suite.same("philox", out.get(), wanted);
    }
    {
        Array<uint64_t> out(n);
        std::vector<uint64_t> wanted(n);
        for (unsigned i = 0; i < n; i++)
            wanted[i] = xorshift_sum(i, 20);
        fill_xorshift<<<groups, 128>>>(out.gpu(), n, 20);
        suite.same("xorshift128+", out.get(), wanted);
        wanted[0] = 0x123456789abcdefull;
        for (unsigned i = 1; i < n; i++)
            wanted[i] = wanted[i - 1] * Multiplier + Increment;
        lcg_jump<<<groups, 128>>>(out.gpu(), wanted[0], n);
        suite.same("lcg with jumps", out.get(), wanted);
    }
    {
        Array<double> out(n * rounds);
        std::vector<double> wanted(n * rounds);
        for (unsigned i = 0; i < n; i++) {
            Mrg s = mrg_of(i);
            for (unsigned r = 0; r < rounds; r++)
                wanted[r * n + i] = mrg_next(s);
        }
        fill_mrg<<<groups, 128>>>(out.gpu(), n, rounds);
        suite.same("mrg32k3a", out.get(), wanted);
        suite.check("mrg32k3a, first number", std::fabs(out.host[0] - 0.127011122046577) < 1e-15);
    }
    {
        Array<uint32_t> out(Twist);
        std::vector<uint32_t> state(Twist), wanted(Twist);
        state[0] = 5489;
        for (unsigned i = 1; i < Twist; i++)
            state[i] = 1812433253u * (state[i - 1] ^ state[i - 1] >> 30) + i;
        for (unsigned i = 0; i < Twist; i++) {
            state[i] = twisted(state[i], state[(i + 1) % Twist], state[(i + Lag) % Twist]);
            wanted[i] = tempered(state[i]);
        }
        mersenne<<<1, 256>>>(out.gpu(), 5489);
        suite.same("mersenne twister", out.get(), wanted);
        suite.check("mersenne twister, first number", out.host[0] == 3499211612u);
    }
    {
        Array<float> out(n);
        std::vector<float> wanted(n);
        for (unsigned i = 0; i < n; i++)
            wanted[i] = static_cast<float>(sobol(i)) * 0x1p-32f;
        fill_sobol<<<groups, 128>>>(out.gpu(), n);
        suite.same("sobol", out.get(), wanted);
    }
    return suite.verdict();
}
