// SPDX-License-Identifier: Apache-2.0
// Integers the hardware has no instruction for: division and remainder of 8 to 64 bits, products of 128 bits,
// conversions between 64-bit integers and floats, bit counts and reversals, greatest common divisors, primes, decimal
// digits.
#include "suite.h"

template <class T> struct Quotient {
    T quotient, remainder;
};

template <class T> __global__ void divide(const T *a, const T *b, Quotient<T> *out, unsigned n)
{
    if (global_id() < n)
        out[global_id()] = {static_cast<T>(a[global_id()] / b[global_id()]),
                            static_cast<T>(a[global_id()] % b[global_id()])};
}

template <class T> __host__ __device__ static T constant_division(T v)
{
    return v / 10 + v % 1000 * 3 + v / 7 - v % 64 + v / 641;
}

template <class T> __global__ void divide_by_constants(const T *a, T *out, unsigned n)
{
    if (global_id() < n)
        out[global_id()] = constant_division(a[global_id()]);
}

struct Wide {
    uint64_t low, high;
    int64_t signed_high;
    uint64_t shifted;
};

__global__ void wide_products(const uint64_t *a, const uint64_t *b, Wide *out, unsigned n)
{
    if (global_id() >= n)
        return;
    const uint64_t x = a[global_id()], y = b[global_id()];
    const unsigned __int128 p = static_cast<unsigned __int128>(x) * y;
    out[global_id()] = {static_cast<uint64_t>(p), __umul64hi(x, y),
                        __mul64hi(static_cast<long long>(x), static_cast<long long>(y)),
                        static_cast<uint64_t>(p >> (x & 127))};
}

struct Converted {
    float f, uf;
    double d, ud;
    int64_t back;
    uint64_t uback;
    int32_t narrow;
    uint32_t unarrow;
};

__host__ __device__ static Converted converted(int64_t v, double r)
{
    const auto u = static_cast<uint64_t>(v);
    return {static_cast<float>(v),          static_cast<float>(u),
            static_cast<double>(v),         static_cast<double>(u),
            static_cast<int64_t>(r * 1e15), static_cast<uint64_t>(r * r * 4e12),
            static_cast<int32_t>(r * 1e6),  static_cast<uint32_t>(r * r * 1e3)};
}

__global__ void convert(const int64_t *v, const double *r, Converted *out, unsigned n)
{
    if (global_id() < n)
        out[global_id()] = converted(v[global_id()], r[global_id()]);
}

__global__ void bits(const uint64_t *in, unsigned *out, unsigned n)
{
    const unsigned i = global_id();
    if (i >= n)
        return;
    const uint64_t v = in[i];
    const auto w = static_cast<unsigned>(v);
    unsigned *o = out + 8 * i;
    o[0] = static_cast<unsigned>(__clzll(static_cast<long long>(v)));
    o[1] = static_cast<unsigned>(__popcll(v)) << 8 | static_cast<unsigned>(__popc(w));
    o[2] = static_cast<unsigned>(__ffsll(static_cast<unsigned long long>(v)));
    o[3] = static_cast<unsigned>(__clz(static_cast<int>(w))) << 8 | static_cast<unsigned>(__ffs(w));
    o[4] = __brev(w);
    o[5] = static_cast<unsigned>(__brevll(v) >> 20);
    o[6] = static_cast<unsigned>(v << (i & 63) ^ v >> (w & 63));
    o[7] = static_cast<unsigned>(static_cast<int64_t>(v) >> (i & 63)) +
           static_cast<unsigned>(__mulhi(static_cast<int>(w), static_cast<int>(v >> 32)));
}

template <class T> __host__ __device__ static T gcd(T a, T b)
{
    while (b) {
        const T t = a % b;
        a = b;
        b = t;
    }
    return a;
}

__global__ void common_divisors(const uint64_t *a, const uint64_t *b, uint64_t *out, unsigned n)
{
    if (global_id() < n)
        out[global_id()] = gcd(a[global_id()] >> 20, b[global_id()] >> 30);
}

// Bit i of word w: 64 w + i is prime; each wavefront makes a word by its ballot.
__global__ void primes(unsigned long long *out)
{
    const unsigned v = global_id();
    bool prime = v >= 2;
    for (unsigned d = 2; d * d <= v && prime; d++)
        prime = v % d != 0;
    const unsigned long long set = __ballot(prime);
    if (threadIdx.x % 64 == 0)
        out[v / 64] = set;
}

__global__ void decimal(const int64_t *in, char *out, unsigned n)
{
    if (global_id() >= n)
        return;
    const int64_t v = in[global_id()];
    uint64_t rest = v < 0 ? 0 - static_cast<uint64_t>(v) : static_cast<uint64_t>(v);
    char *text = out + global_id() * 24;
    int at = 23;
    text[at] = 0;
    do {
        text[--at] = static_cast<char>('0' + rest % 10);
        rest /= 10;
    } while (rest);
    if (v < 0)
        text[--at] = '-';
    while (at)
        text[--at] = ' ';
}

/* Random values of all lengths, never 0 (nor -1, so that no quotient overflows). */
template <class T> static std::vector<T> random_integers(unsigned n, uint32_t &seed)
{
    std::vector<T> v(n);
    for (auto &x : v)
        do {
            const uint64_t wide = static_cast<uint64_t>(random_next(seed)) << 32 | random_next(seed);
            x = static_cast<T>(wide >> random_next(seed) % 64);
            if (random_next(seed) & 1)
                x = static_cast<T>(0 - x);
        } while (x == 0 || x == static_cast<T>(-1));
    return v;
}

template <class T> static void check_division(Suite &suite, const char *name, unsigned n, uint32_t &seed)
{
    Array<T> a(random_integers<T>(n, seed)), b(random_integers<T>(n, seed)), constants(n);
    Array<Quotient<T>> out(n);
    std::vector<Quotient<T>> wanted(n);
    std::vector<T> wanted_constants(n);
    for (unsigned i = 0; i < n; i++) {
        wanted[i] = {static_cast<T>(a.host[i] / b.host[i]), static_cast<T>(a.host[i] % b.host[i])};
        wanted_constants[i] = constant_division(a.host[i]);
    }
    divide<T><<<groups_of(n, 64), 64>>>(a.gpu(), b.gpu(), out.gpu(), n);
    suite.same(name, out.get(), wanted);
    divide_by_constants<T><<<groups_of(n, 64), 64>>>(a.gpu(), constants.gpu(), n);
    suite.same(name, constants.get(), wanted_constants);
}

int main(int argc, char **argv)
{
    const unsigned n = size_argument(argc, argv, 128), groups = groups_of(n, 64);
    uint32_t seed = seed_argument(argc, argv);
    Suite suite("integers");
    check_division<uint64_t>(suite, "u64", n, seed);
    check_division<int64_t>(suite, "i64", n, seed);
    check_division<uint32_t>(suite, "u32", n, seed);
    check_division<int32_t>(suite, "i32", n, seed);
    check_division<int16_t>(suite, "i16", n, seed);
    check_division<uint8_t>(suite, "u8", n, seed);
    Array<uint64_t> a(random_integers<uint64_t>(n, seed)), b(random_integers<uint64_t>(n, seed));
    Array<int64_t> v(random_integers<int64_t>(n, seed));
    {
        Array<Wide> out(n);
        std::vector<Wide> wanted(n);
        for (unsigned i = 0; i < n; i++) {
            const uint64_t x = a.host[i], y = b.host[i];
            const unsigned __int128 p = static_cast<unsigned __int128>(x) * y;
            const __int128 q = static_cast<__int128>(static_cast<int64_t>(x)) * static_cast<int64_t>(y);
            wanted[i] = {static_cast<uint64_t>(p), static_cast<uint64_t>(p >> 64), static_cast<int64_t>(q >> 64),
                         static_cast<uint64_t>(p >> (x & 127))};
        }
        wide_products<<<groups, 64>>>(a.gpu(), b.gpu(), out.gpu(), n);
        suite.same("products of 128 bits", out.get(), wanted);
    }
    {
        Array<double> r(random_reals<double>(n, seed, -2000, 2000));
        Array<Converted> out(n);
        std::vector<Converted> wanted(n);
        for (unsigned i = 0; i < n; i++)
            wanted[i] = converted(v.host[i], r.host[i]);
        convert<<<groups, 64>>>(v.gpu(), r.gpu(), out.gpu(), n);
        suite.same("conversions", out.get(), wanted);
    }
    {
        Array<unsigned> out(8 * n);
        std::vector<unsigned> wanted;
        for (unsigned i = 0; i < n; i++) {
            const uint64_t x = a.host[i];
            const auto w = static_cast<uint32_t>(x);
            uint64_t reversed = 0;
            for (unsigned k = 0; k < 64; k++)
                reversed |= (x >> k & 1) << (63 - k);
            wanted.push_back(static_cast<unsigned>(__builtin_clzll(x)));
            wanted.push_back(static_cast<unsigned>(__builtin_popcountll(x) << 8 | __builtin_popcount(w)));
            wanted.push_back(static_cast<unsigned>(__builtin_ffsll(static_cast<long long>(x))));
            wanted.push_back(
                static_cast<unsigned>((w ? __builtin_clz(w) : 32) << 8 | __builtin_ffs(static_cast<int>(w))));
            wanted.push_back(static_cast<unsigned>(reversed >> 32));
            wanted.push_back(static_cast<unsigned>(reversed >> 20));
            wanted.push_back(static_cast<unsigned>(x << (i & 63) ^ x >> (w & 63)));
            wanted.push_back(static_cast<unsigned>(static_cast<int64_t>(x) >> (i & 63)) +
                             static_cast<unsigned>(
                                 static_cast<int64_t>(static_cast<int32_t>(w)) * static_cast<int32_t>(x >> 32) >> 32));
        }
        bits<<<groups, 64>>>(a.gpu(), out.gpu(), n);
        suite.same("bits", out.get(), wanted);
    }
    {
        Array<uint64_t> out(n);
        std::vector<uint64_t> wanted(n);
        for (unsigned i = 0; i < n; i++)
            wanted[i] = gcd(a.host[i] >> 20, b.host[i] >> 30);
        common_divisors<<<groups, 64>>>(a.gpu(), b.gpu(), out.gpu(), n);
        suite.same("common divisors", out.get(), wanted);
    }
    {
        Array<unsigned long long> out(8);
        std::vector<unsigned long long> wanted(8);
        std::vector<bool> composite(512);
        for (unsigned p = 2; p < 512; p++) {
            if (!composite[p])
                wanted[p / 64] |= 1ull << p % 64;
            for (unsigned q = 2 * p; q < 512; q += p)
                composite[q] = true;
        }
        primes<<<4, 128>>>(out.gpu());
        suite.same("primes", out.get(), wanted);
    }
    {
        Array<char> out(24 * n);
        std::vector<char> wanted(24 * n);
        for (unsigned i = 0; i < n; i++)
            std::snprintf(&wanted[24 * i], 24, "%23lld", static_cast<long long>(v.host[i]));
        decimal<<<groups, 64>>>(v.gpu(), out.gpu(), n);
        suite.same("decimal", out.get(), wanted);
    }
    return suite.verdict();
}
