// SPDX-License-Identifier: Apache-2.0
// rocRAND's host API: uniform 32-bit words of four generators, each against the published algorithm computed here, then the moments of
// uniform and normal floats.  The library runs 131072 engines, of which each has a subsequence of its own (2^67 numbers of xorwow, 2^76 of
// MRG32k3a), so the first numbers of an array are the first ones of the subsequences; Philox's are in order.
#include <rocrand/rocrand.h>

#include "suite.h"

#define ROC_OK(call)                                                                                                  \
    do {                                                                                                              \
        const rocrand_status status_ = (call);                                                                        \
        if (status_ != ROCRAND_STATUS_SUCCESS) {                                                                      \
            std::fprintf(stderr, "%s:%d: %s: status %d\n", __FILE__, __LINE__, #call, static_cast<int>(status_));      \
            std::exit(2);                                                                                             \
        }                                                                                                             \
    } while (0)

constexpr unsigned long long Seed = 0x123456789abcull;

static std::vector<unsigned> generated(rocrand_rng_type type, unsigned n, bool seeded)
{
    rocrand_generator generator;
    Array<unsigned> out(n);
    ROC_OK(rocrand_create_generator(&generator, type));
    if (seeded)
        ROC_OK(rocrand_set_seed(generator, Seed));
    ROC_OK(rocrand_generate(generator, out.gpu(), n));
    out.get();
    ROC_OK(rocrand_destroy_generator(generator));
    return out.host;
}

// Salmon et al., "Parallel random numbers: as easy as 1, 2, 3"; the counter counts blocks of four.
static std::vector<unsigned> philox(unsigned n)
{
    std::vector<unsigned> out;
    for (uint32_t block = 0; out.size() < n; block++) {
        uint32_t c[4] = {block, 0, 0, 0}, key[2] = {static_cast<uint32_t>(Seed), static_cast<uint32_t>(Seed >> 32)};
        for (int round = 0; round < 10; round++) {
            const uint64_t a = 0xd2511f53ull * c[0], b = 0xcd9e8d57ull * c[2];
            const uint32_t next[4] = {static_cast<uint32_t>(b >> 32) ^ c[1] ^ key[0], static_cast<uint32_t>(b),
                                      static_cast<uint32_t>(a >> 32) ^ c[3] ^ key[1], static_cast<uint32_t>(a)};
            std::memcpy(c, next, sizeof c);
            key[0] += 0x9e3779b9u;
            key[1] += 0xbb67ae85u;
        }
        out.insert(out.end(), c, c + 4);
    }
    out.resize(n);
    return out;
}

// Marsaglia, "Xorshift RNGs": xorwow.  A subsequence is 2^67 numbers: the linear map of one step, squared 67 times.
struct Xorwow {
    uint32_t x[5], d;
    Xorwow()
    {
        const uint32_t t0 = 1228688033u * (static_cast<uint32_t>(Seed) ^ 0x2c7f967fu);
        const uint32_t t1 = 2073658381u * (static_cast<uint32_t>(Seed >> 32) ^ 0xa03697cbu);
        const uint32_t start[5] = {123456789u + t0, 362436069u ^ t0, 521288629u + t1, 88675123u ^ t1, 5783321u + t0};
        std::memcpy(x, start, sizeof x);
        d = 6615241u + t1 + t0;
    }
    uint32_t next()
    {
        const uint32_t t = x[0] ^ x[0] >> 2, last = x[4];
        std::memmove(x, x + 1, 16);
        x[4] = last ^ last << 4 ^ t ^ t << 1;
        d += 362437;
        return d + x[4];
    }
};

struct Row {
    uint32_t v[5];
};
using Map = std::vector<Row>; // image of each of the 160 unit vectors

static Row mapped(const Map &map, const uint32_t x[5])
{
    Row r = {};
    for (unsigned i = 0; i < 160; i++)
        if (x[i / 32] >> i % 32 & 1)
            for (unsigned k = 0; k < 5; k++)
                r.v[k] ^= map[i].v[k];
    return r;
}

static Map subsequence_map()
{
    Map map(160);
    for (unsigned i = 0; i < 160; i++) {
        Xorwow unit;
        std::memset(unit.x, 0, sizeof unit.x);
        unit.x[i / 32] = 1u << i % 32;
        unit.next();
        std::memcpy(map[i].v, unit.x, sizeof unit.x);
    }
    for (unsigned square = 0; square < 67; square++) {
        Map twice(160);
        for (unsigned i = 0; i < 160; i++)
            twice[i] = mapped(map, map[i].v);
        map = twice;
    }
    return map;
}

// L'Ecuyer, "Good parameters and implementations for combined multiple recursive random number generators": MRG32k3a.
constexpr uint64_t M1 = 4294967087u, M2 = 4294944443u;

struct Mrg {
    uint64_t a[3], b[3];
    Mrg()
    {
        const uint64_t x = static_cast<uint32_t>(Seed) ^ 0x55555555u, y = static_cast<uint32_t>(Seed >> 32) ^ 0xaaaaaaaau;
        const uint64_t first = x * (Seed % M1) % M1, second = y * (Seed % M1) % M1;
        const uint64_t third = y * (Seed % M2) % M2, fourth = x * (Seed % M2) % M2;
        a[0] = a[2] = first, a[1] = second, b[0] = b[2] = third, b[1] = fourth;
    }
    uint64_t next()
    {
        const uint64_t p = (1403580 * a[1] + (M1 - 810728) * a[0]) % M1, q = (527612 * b[2] + (M2 - 1370589) * b[0]) % M2;
        a[0] = a[1], a[1] = a[2], a[2] = p;
        b[0] = b[1], b[1] = b[2], b[2] = q;
        return p > q ? p - q : p - q + M1;
    }
};

struct Matrix {
    uint64_t m[3][3];
};

static Matrix product(const Matrix &x, const Matrix &y, uint64_t modulus)
{
    Matrix z = {};
    for (unsigned i = 0; i < 9; i++)
        for (unsigned k = 0; k < 3; k++)
            z.m[i / 3][i % 3] = static_cast<uint64_t>((z.m[i / 3][i % 3] + static_cast<unsigned __int128>(x.m[i / 3][k]) * y.m[k][i % 3]) % modulus);
    return z;
}

static void jump(const Matrix &step, uint64_t modulus, uint64_t v[3])
{
    uint64_t r[3] = {};
    for (unsigned i = 0; i < 9; i++)
        r[i / 3] = static_cast<uint64_t>((r[i / 3] + static_cast<unsigned __int128>(step.m[i / 3][i % 3]) * v[i % 3]) % modulus);
    std::memcpy(v, r, sizeof r);
}

// First numbers of the subsequences; also below.
static std::vector<unsigned> xorwow(unsigned n)
{
    const Map next = subsequence_map();
    std::vector<unsigned> out;
    for (Xorwow engine; out.size() < n;) {
        Xorwow copy = engine;
        out.push_back(copy.next());
        const Row r = mapped(next, engine.x);
        std::memcpy(engine.x, r.v, sizeof r.v);
    }
    return out;
}

static std::vector<unsigned> mrg32k3a(unsigned n)
{
    const Matrix a = {{{0, 1, 0}, {0, 0, 1}, {M1 - 810728, 1403580, 0}}}, b = {{{0, 1, 0}, {0, 0, 1}, {M2 - 1370589, 0, 527612}}};
    Matrix far_a = a, far_b = b;
    for (unsigned square = 0; square < 76; square++) {
        far_a = product(far_a, far_a, M1);
        far_b = product(far_b, far_b, M2);
    }
    std::vector<unsigned> out;
    for (Mrg engine; out.size() < n;) {
        Mrg copy = engine;
        out.push_back(static_cast<unsigned>(static_cast<double>(copy.next() - 1) * 1.000000048662));
        jump(far_a, M1, engine.a);
        jump(far_b, M2, engine.b);
    }
    return out;
}

// First dimension: van der Corput's sequence in Gray code order.
static std::vector<unsigned> sobol(unsigned n)
{
    std::vector<unsigned> out(n);
    for (unsigned i = 0; i < n; i++)
        for (unsigned bit = 0; bit < 32; bit++)
            out[i] |= ((i ^ i >> 1) >> bit & 1) << (31 - bit);
    return out;
}

// Mean and variance within five standard deviations of what n independent numbers give.
static bool moments(const std::vector<float> &v, double mean, double variance, double fourth)
{
    double sum = 0, squares = 0;
    for (float x : v) {
        sum += x;
        squares += (x - mean) * (x - mean);
    }
    const auto n = static_cast<double>(v.size());
    return std::fabs(sum / n - mean) < 5 * std::sqrt(variance / n) && std::fabs(squares / n - variance) < 5 * std::sqrt((fourth - variance * variance) / n);
}

int main(int argc, char **argv)
{
    const unsigned n = size_argument(argc, argv, 1000);
    const bool quick = argc > 2; // only what needs no states
    Suite suite("random");
    suite.same("philox", generated(ROCRAND_RNG_PSEUDO_PHILOX4_32_10, n, true), philox(n));
    suite.same("sobol", generated(ROCRAND_RNG_QUASI_SOBOL32, n, false), sobol(n));
    if (quick)
        return suite.verdict();
    suite.same("xorwow", generated(ROCRAND_RNG_PSEUDO_XORWOW, n, true), xorwow(n));
    suite.same("mrg32k3a", generated(ROCRAND_RNG_PSEUDO_MRG32K3A, n, true), mrg32k3a(n));
    rocrand_generator generator;
    Array<float> out(20000);
    ROC_OK(rocrand_create_generator(&generator, ROCRAND_RNG_PSEUDO_PHILOX4_32_10));
    ROC_OK(rocrand_set_seed(generator, Seed));
    ROC_OK(rocrand_generate_uniform(generator, out.gpu(), out.size()));
    suite.check("moments of uniform numbers", moments(out.get(), 0.5, 1.0 / 12, 1.0 / 80));
    ROC_OK(rocrand_generate_normal(generator, out.gpu(), out.size(), 2, 3));
    suite.check("moments of normal numbers", moments(out.get(), 2, 9, 243));
    ROC_OK(rocrand_destroy_generator(generator));
    return suite.verdict();
}
