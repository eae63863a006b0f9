// SPDX-License-Identifier: Apache-2.0
// Loads and stores of structures: mixed sizes, packed and unaligned, bit fields, vectors of 1 to 4 elements of every
// width, arrays of structures against structures of arrays, kernel arguments of many sizes, unions, copies in the LDS.
#include <algorithm>

#include "suite.h"

struct Mixed {
    uint8_t a;
    int16_t b;
    uint32_t c;
    int64_t d;
    float e;
    double f;
    int8_t g[3];
    uint16_t h;
};

struct __attribute__((packed)) Packed {
    uint8_t a;
    uint32_t b;
    uint16_t c;
    uint64_t d;
    float e;
};

struct Fields {
    uint32_t a : 3, b : 11, c : 18;
    int32_t d : 7, e : 25;
    uint64_t f : 37, g : 27;
};

union Bits {
    double d;
    uint64_t u;
    uint16_t h[4];
};

__host__ __device__ static void change(Mixed &m, uint32_t k)
{
    m.a = static_cast<uint8_t>(m.a + k);
    m.b = static_cast<int16_t>(m.b * 3 - static_cast<int16_t>(m.a));
    m.c ^= static_cast<uint32_t>(m.b);
    m.d = m.d * 5 + m.b;
    m.e = m.e * 0.5f + static_cast<float>(m.g[1]);
    m.f = m.f - static_cast<double>(m.h);
    m.g[2] = static_cast<int8_t>(m.g[0] ^ m.g[1]);
    m.h = static_cast<uint16_t>(m.h >> 1 | m.a << 8);
}

__host__ __device__ static void change(Packed &p, uint32_t k)
{
    p.a = static_cast<uint8_t>(p.a ^ k);
    p.b = p.b * 7 + p.c;
    p.c = static_cast<uint16_t>(p.c + p.a);
    p.d = p.d ^ static_cast<uint64_t>(p.b) << 9;
    p.e = p.e * 2 + 1;
}

__host__ __device__ static void change(Fields &v, uint32_t k)
{
    v.a = v.a + k;
    v.b = v.b * 3 + v.a;
    v.c = v.c ^ v.b;
    v.d = v.d - static_cast<int>(k);
    v.e = v.e + v.d;
    v.f = v.f * 11 + v.c;
    v.g = v.g ^ v.f;
}

__host__ __device__ static void change(Bits &v, uint32_t k)
{
    v.d = v.d * 1.5 + k;
    v.h[0] = static_cast<uint16_t>(v.h[0] + v.h[2]);
    v.u ^= v.u >> 7 & 0xffffff;
}

template <class T> __device__ static void change_all(T *data, unsigned n)
{
    if (global_id() < n)
        change(data[global_id()], global_id());
}

__global__ void change_mixed(Mixed *data, unsigned n)
{
    change_all(data, n);
}
__global__ void change_packed(Packed *data, unsigned n)
{
    change_all(data, n);
}
__global__ void change_fields(Fields *data, unsigned n)
{
    change_all(data, n);
}
__global__ void change_bits(Bits *data, unsigned n)
{
    change_all(data, n);
}

// Reversal of vectors of one type: loads of 1 to 32 bytes.
template <class V> __device__ static void reverse(const void *in, void *out, unsigned n)
{
    if (global_id() < n)
        static_cast<V *>(out)[n - 1 - global_id()] = static_cast<const V *>(in)[global_id()];
}

__global__ void reverse_vectors(const void *in, void *out, unsigned n, unsigned which)
{
    switch (which) {
    case 0:
        return reverse<uchar1>(in, out, n);
    case 1:
        return reverse<uchar3>(in, out, n);
    case 2:
        return reverse<ushort2>(in, out, n);
    case 3:
        return reverse<ushort3>(in, out, n);
    case 4:
        return reverse<uint3>(in, out, n);
    case 5:
        return reverse<float4>(in, out, n);
    case 6:
        return reverse<double3>(in, out, n);
    case 7:
        return reverse<double4>(in, out, n);
    default:
        return reverse<Mixed>(in, out, n);
    }
}

__global__ void to_columns(const Mixed *in, float *e, double *f, int16_t *b, unsigned n)
{
    __shared__ Mixed tile[64];
    if (global_id() < n)
        tile[threadIdx.x] = in[global_id()];
    __syncthreads();
    const unsigned other = 63 - threadIdx.x, i = blockIdx.x * 64 + other;
    if (i < n) {
        e[i] = tile[other].e;
        f[i] = tile[other].f;
        b[i] = tile[other].b;
    }
}

struct Large {
    uint8_t first;
    Mixed table[9];
    uint16_t last;
};

__global__ void arguments(uint8_t a, Large large, int16_t b, double c, const uint64_t *index, uint64_t *out, bool flag,
                          Packed p, unsigned n)
{
    if (global_id() >= n)
        return;
    const Mixed &m = large.table[index[global_id()] % 9]; // run-time index into an argument
    out[global_id()] = a + large.first + large.last + static_cast<uint64_t>(b) + static_cast<uint64_t>(m.d) * m.c +
                       (flag ? p.d : p.b) + static_cast<uint64_t>(c * m.f) + index[global_id()];
}

template <class T> static std::vector<T> random_structs(unsigned n, uint32_t &seed)
{
    std::vector<T> v(n);
    auto *bytes = reinterpret_cast<uint8_t *>(v.data());
    for (size_t i = 0; i < n * sizeof(T); i++)
        bytes[i] = static_cast<uint8_t>(random_next(seed));
    return v;
}

template <class T, class Kernel>
static void compare(Suite &suite, const char *name, Kernel kernel, const std::vector<T> &values)
{
    const auto n = static_cast<unsigned>(values.size());
    Array<T> data(values);
    auto wanted = values;
    for (unsigned i = 0; i < n; i++)
        change(wanted[i], i);
    kernel<<<groups_of(n, 64), 64>>>(data.gpu(), n);
    suite.same(name, data.get(), wanted);
}

int main(int argc, char **argv)
{
    const unsigned n = size_argument(argc, argv, 100);
    uint32_t seed = seed_argument(argc, argv);
    Suite suite("structs");
    auto mixed = random_structs<Mixed>(n, seed);
    auto packed = random_structs<Packed>(n, seed);
    auto bits = random_structs<Bits>(n, seed);
    for (unsigned i = 0; i < n; i++) { // floats are numbers
        mixed[i].e = static_cast<float>(i) + 0.25f;
        mixed[i].f = bits[i].d = i * 1.5 - 20;
        packed[i].e = 3.5f - static_cast<float>(i);
    }
    compare(suite, "mixed", change_mixed, mixed);
    compare(suite, "packed", change_packed, packed);
    compare(suite, "fields", change_fields, random_structs<Fields>(n, seed));
    compare(suite, "union", change_bits, bits);
    {
        const size_t sizes[] = {1, 3, 4, 6, 12, 16, 24, 32, sizeof(Mixed)};
        Array<uint8_t> in(n * sizeof(Mixed)), out(n * sizeof(Mixed));
        for (auto &v : in.host)
            v = static_cast<uint8_t>(random_next(seed));
        in.put();
        for (unsigned which = 0; which < 9; which++) {
            // padding of a structure need not be copied: its inputs are zero there, and so is the output
            auto source = in.host;
            if (which == 8)
                for (unsigned i = 0; i < n; i++)
                    std::memset(static_cast<void *>(&source[i * sizeof(Mixed)]), 0, sizeof(Mixed));
            const auto size = sizes[which];
            for (unsigned i = 0; i < n && which == 8; i++) {
                Mixed m = mixed[i], clean;
                std::memset(static_cast<void *>(&clean), 0, sizeof clean);
                clean.a = m.a, clean.b = m.b, clean.c = m.c, clean.d = m.d, clean.e = m.e, clean.f = m.f, clean.h = m.h;
                std::memcpy(clean.g, m.g, 3);
                std::memcpy(&source[i * size], &clean, size);
            }
            Array<uint8_t> from(source);
            std::fill(out.host.begin(), out.host.end(), uint8_t(0));
            out.put();
            std::vector<uint8_t> wanted(n * sizeof(Mixed));
            for (unsigned i = 0; i < n; i++)
                std::memcpy(&wanted[(n - 1 - i) * size], &source[i * size], size);
            reverse_vectors<<<groups_of(n, 64), 64>>>(from.gpu(), out.gpu(), n, which);
            suite.same("vectors", out.get(), wanted);
        }
    }
    {
        Array<Mixed> in(mixed);
        Array<float> e(n);
        Array<double> f(n);
        Array<int16_t> b(n);
        std::vector<float> wanted_e(n);
        std::vector<double> wanted_f(n);
        std::vector<int16_t> wanted_b(n);
        for (unsigned i = 0; i < n; i++) {
            wanted_e[i] = mixed[i].e;
            wanted_f[i] = mixed[i].f;
            wanted_b[i] = mixed[i].b;
        }
        to_columns<<<groups_of(n, 64), 64>>>(in.gpu(), e.gpu(), f.gpu(), b.gpu(), n);
        suite.same("column e", e.get(), wanted_e);
        suite.same("column f", f.get(), wanted_f);
        suite.same("column b", b.get(), wanted_b);
    }
    {
        Large large;
        large.first = 200;
        large.last = 60000;
        for (unsigned i = 0; i < 9; i++) {
            large.table[i] = mixed[i];
            large.table[i].f = i + 0.5;
        }
        Array<uint64_t> index(n), out(n);
        std::vector<uint64_t> wanted(n);
        for (unsigned i = 0; i < n; i++) {
            index.host[i] = random_next(seed);
            const Mixed &m = large.table[index.host[i] % 9];
            wanted[i] = 7 + large.first + large.last + static_cast<uint64_t>(int16_t(-5)) +
                        static_cast<uint64_t>(m.d) * m.c + packed[0].d + static_cast<uint64_t>(2.0 * m.f) +
                        index.host[i];
        }
        index.put();
        arguments<<<groups_of(n, 64), 64>>>(7, large, -5, 2.0, index.gpu(), out.gpu(), true, packed[0], n);
        suite.same("arguments", out.get(), wanted);
    }
    return suite.verdict();
}
