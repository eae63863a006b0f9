// SPDX-License-Identifier: Apache-2.0
// Hash functions over short byte strings: CRC-32 by table (constant memory), MurmurHash3, xxHash64, SipHash-2-4.
#include "suite.h"

constexpr unsigned Length = 24; // bytes a key, unaligned: keys follow each other

__constant__ uint32_t crc_table[256];

template <class T> __host__ __device__ static T load_le(const uint8_t *p)
{
    T v = 0;
    for (unsigned i = 0; i < sizeof(T); i++)
        v |= static_cast<T>(p[i]) << (8 * i);
    return v;
}

template <class T> __host__ __device__ static T rotl(T v, unsigned by)
{
    return v << by | v >> (sizeof(T) * 8 - by);
}

__host__ __device__ static uint32_t crc(const uint32_t *table, const uint8_t *p, unsigned n)
{
    uint32_t c = ~0u;
    for (unsigned i = 0; i < n; i++)
        c = table[(c ^ p[i]) & 255] ^ c >> 8;
    return ~c;
}

__host__ __device__ static uint32_t murmur3(const uint8_t *p, unsigned n, uint32_t seed)
{
    uint32_t h = seed;
    for (unsigned i = 0; i + 4 <= n; i += 4) {
        uint32_t k = load_le<uint32_t>(p + i) * 0xcc9e2d51u;
        h = rotl(h ^ rotl(k, 15) * 0x1b873593u, 13) * 5 + 0xe6546b64u;
    }
    h ^= n;
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    return h ^ h >> 16;
}

__host__ __device__ static uint64_t xxh64(const uint8_t *p, unsigned n, uint64_t seed)
{
    const uint64_t P1 = 0x9E3779B185EBCA87u, P2 = 0xC2B2AE3D27D4EB4Fu, P3 = 0x165667B19E3779F9u,
                   P4 = 0x85EBCA77C2B2AE63u,
                   P5 = 0x27D4EB2F165667C5u; // inputs below 32 bytes: no stripes
    uint64_t h = seed + P5 + n;
    unsigned i = 0;
    for (; i + 8 <= n; i += 8)
        h = rotl(h ^ rotl(load_le<uint64_t>(p + i) * P2, 31) * P1, 27) * P1 + P4;
    for (; i + 4 <= n; i += 4)
        h = rotl(h ^ load_le<uint32_t>(p + i) * P1, 23) * P2 + P3;
    for (; i < n; i++)
        h = rotl(h ^ p[i] * P5, 11) * P1;
    h = (h ^ h >> 33) * P2;
    h = (h ^ h >> 29) * P3;
    return h ^ h >> 32;
}

__host__ __device__ static void sip_round(uint64_t v[4])
{
    v[0] += v[1], v[1] = rotl(v[1], 13) ^ v[0], v[0] = rotl(v[0], 32);
    v[2] += v[3], v[3] = rotl(v[3], 16) ^ v[2];
    v[0] += v[3], v[3] = rotl(v[3], 21) ^ v[0];
    v[2] += v[1], v[1] = rotl(v[1], 17) ^ v[2], v[2] = rotl(v[2], 32);
}

__host__ __device__ static uint64_t siphash(const uint8_t *p, unsigned n, uint64_t k0, uint64_t k1)
{
    uint64_t v[4] = {k0 ^ 0x736f6d6570736575u, k1 ^ 0x646f72616e646f6du, k0 ^ 0x6c7967656e657261u,
                     k1 ^ 0x7465646279746573u};
    uint64_t last = static_cast<uint64_t>(n) << 56;
    for (unsigned i = 0; i <= n; i += 8) {
        uint64_t m = last;
        if (i + 8 <= n)
            m = load_le<uint64_t>(p + i);
        else
            for (unsigned j = 0; i + j < n; j++)
                m |= static_cast<uint64_t>(p[i + j]) << (8 * j);
        v[3] ^= m;
        sip_round(v);
        sip_round(v);
        v[0] ^= m;
    }
    v[2] ^= 255;
    for (int i = 0; i < 4; i++)
        sip_round(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

__global__ void hash_crc32(const uint8_t *in, uint32_t *out, unsigned n)
{
    if (global_id() < n)
        out[global_id()] = crc(crc_table, in + global_id() * Length, Length);
}

__global__ void hash_murmur3(const uint8_t *in, uint32_t *out, unsigned n)
{
    if (global_id() < n)
        out[global_id()] = murmur3(in + global_id() * Length, Length, global_id());
}

__global__ void hash_xxh64(const uint8_t *in, uint64_t *out, unsigned n)
{
    if (global_id() < n)
        out[global_id()] = xxh64(in + global_id() * Length, 1 + global_id() % Length, global_id());
}

__global__ void hash_siphash(const uint8_t *in, uint64_t *out, unsigned n, uint64_t k0, uint64_t k1)
{
    if (global_id() < n)
        out[global_id()] = siphash(in + global_id() * Length, global_id() % Length, k0, k1);
}

int main(int argc, char **argv)
{
    const unsigned n = size_argument(argc, argv, 300), groups = groups_of(n, 128);
    uint32_t seed = seed_argument(argc, argv), table[256];
    Suite suite("hashing");
    for (uint32_t i = 0; i < 256; i++) {
        table[i] = i;
        for (int bit = 0; bit < 8; bit++)
            table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320u : 0);
    }
    HIP_OK(hipMemcpyToSymbol(HIP_SYMBOL(crc_table), table, sizeof table));
    // published check values, so that host and device cannot be wrong together
    suite.check("check values", crc(table, reinterpret_cast<const uint8_t *>("123456789"), 9) == 0xcbf43926u &&
                                    xxh64(nullptr, 0, 0) == 0xef46db3751d8e999u &&
                                    murmur3(nullptr, 0, 1) == 0x514e28b7u);
    Array<uint8_t> in(n * Length);
    for (auto &v : in.host)
        v = static_cast<uint8_t>(random_next(seed));
    in.put();
    Array<uint32_t> words(n);
    Array<uint64_t> longs(n);
    std::vector<uint32_t> wanted(n);
    std::vector<uint64_t> wanted_long(n);

    hash_crc32<<<groups, 128>>>(in.gpu(), words.gpu(), n);
    for (unsigned i = 0; i < n; i++)
        wanted[i] = crc(table, &in.host[i * Length], Length);
    suite.same("crc32", words.get(), wanted);

    hash_murmur3<<<groups, 128>>>(in.gpu(), words.gpu(), n);
    for (unsigned i = 0; i < n; i++)
        wanted[i] = murmur3(&in.host[i * Length], Length, i);
    suite.same("murmur3", words.get(), wanted);

    hash_xxh64<<<groups, 128>>>(in.gpu(), longs.gpu(), n);
    for (unsigned i = 0; i < n; i++)
        wanted_long[i] = xxh64(&in.host[i * Length], 1 + i % Length, i);
    suite.same("xxh64", longs.get(), wanted_long);

    hash_siphash<<<groups, 128>>>(in.gpu(), longs.gpu(), n, 0x0706050403020100u, 0x0f0e0d0c0b0a0908u);
    for (unsigned i = 0; i < n; i++)
        wanted_long[i] = siphash(&in.host[i * Length], i % Length, 0x0706050403020100u, 0x0f0e0d0c0b0a0908u);
    suite.same("siphash", longs.get(), wanted_long);
    return suite.verdict();
}
