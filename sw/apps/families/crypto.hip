// SPDX-License-Identifier: Apache-2.0
// Cryptography: SHA-256 (tree of digests), MD5, AES-128 in counter mode (S-box in the LDS), ChaCha20, modular powers.
// The host's functions are held against published vectors first.
#include "suite.h"

struct Digest {
    uint32_t v[8];
};

__host__ __device__ static uint32_t rotr(uint32_t v, unsigned by)
{
    return v >> by | v << (32 - by);
}
__host__ __device__ static uint32_t rotl(uint32_t v, unsigned by)
{
    return v << by | v >> (32 - by);
}
__host__ __device__ static uint32_t swapped(uint32_t v)
{
    return (rotl(v, 8) & 0x00ff00ffu) | (rotr(v, 8) & 0xff00ff00u);
}

// Constants: fractional parts of roots of the first primes (SHA-256) and of sines (MD5), computed by the host.
struct Constants {
    uint32_t sha[64], start[8], md5[64];
    uint8_t sbox[256];
};

__host__ __device__ static Digest sha256_block(const Constants &c, Digest h, const uint32_t in[16])
{
    uint32_t w[16];
    Digest s = h;
    for (unsigned i = 0; i < 16; i++)
        w[i] = in[i];
    for (unsigned i = 0; i < 64; i++) {
        if (i >= 16) {
            const uint32_t a = w[(i + 1) & 15], b = w[(i + 14) & 15];
            w[i & 15] += (rotr(a, 7) ^ rotr(a, 18) ^ a >> 3) + w[(i + 9) & 15] + (rotr(b, 17) ^ rotr(b, 19) ^ b >> 10);
        }
        const uint32_t e = s.v[4], a = s.v[0];
        const uint32_t t1 =
            s.v[7] + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + ((e & s.v[5]) ^ (~e & s.v[6])) + c.sha[i] + w[i & 15];
        const uint32_t t2 =
            (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + ((a & s.v[1]) ^ (a & s.v[2]) ^ (s.v[1] & s.v[2]));
        s = {{t1 + t2, s.v[0], s.v[1], s.v[2], s.v[3] + t1, s.v[4], s.v[5], s.v[6]}};
    }
    for (unsigned i = 0; i < 8; i++)
        h.v[i] += s.v[i];
    return h;
}

// Digest of two digests.
__host__ __device__ static Digest sha256_pair(const Constants &c, const Digest &left, const Digest &right)
{
    Digest h;
    uint32_t block[16], pad[16] = {0x80000000u};
    for (unsigned i = 0; i < 8; i++) {
        h.v[i] = c.start[i];
        block[i] = left.v[i];
        block[i + 8] = right.v[i];
    }
    pad[15] = 512;
    return sha256_block(c, sha256_block(c, h, block), pad);
}

__global__ void merkle_level(const Constants *c, const Digest *in, Digest *out, unsigned n)
{
    if (global_id() < n)
        out[global_id()] = sha256_pair(*c, in[2 * global_id()], in[2 * global_id() + 1]);
}

// MD5 of `length` (below 56) bytes.
__host__ __device__ static uint4 md5(const Constants &c, const uint8_t *text, unsigned length)
{
    uint32_t w[16] = {}, a = 0x67452301u, b = 0xefcdab89u, d = 0x10325476u, e = 0x98badcfeu;
    const uint32_t start[4] = {a, b, e, d};
    for (unsigned i = 0; i < length; i++)
        w[i / 4] |= static_cast<uint32_t>(text[i]) << (i % 4 * 8);
    w[length / 4] |= 0x80u << (length % 4 * 8);
    w[14] = length * 8;
    for (unsigned i = 0; i < 64; i++) {
        const unsigned round = i / 16, step = i % 4;
        const uint32_t f = round == 0   ? (b & e) | (~b & d)
                           : round == 1 ? (d & b) | (~d & e)
                           : round == 2 ? b ^ e ^ d
                                        : e ^ (b | ~d);
        const unsigned k = (round == 0 ? i : round == 1 ? 5 * i + 1 : round == 2 ? 3 * i + 5 : 7 * i) % 16;
        const unsigned shift = round == 0   ? 7 + 5 * step
                               : round == 1 ? (0x140e0905u >> (8 * step)) & 255
                               : round == 2 ? (0x17100b04u >> (8 * step)) & 255
                                            : (0x150f0a06u >> (8 * step)) & 255;
        const uint32_t next = b + rotl(a + f + c.md5[i] + w[k], shift);
        a = d, d = e, e = b, b = next;
    }
    return make_uint4(start[0] + a, start[1] + b, start[2] + e, start[3] + d);
}

__global__ void md5_texts(const Constants *c, const uint8_t *texts, uint4 *out, unsigned n)
{
    if (global_id() < n)
        out[global_id()] = md5(*c, texts + global_id() * 56, global_id() % 56);
}

__host__ __device__ static uint8_t twice(uint8_t v)
{
    return static_cast<uint8_t>(v << 1 ^ (v & 0x80 ? 0x1b : 0));
}

// keys: 11 round keys of 16 bytes.
__host__ __device__ static void aes_block(const uint8_t *sbox, const uint8_t *keys, uint8_t state[16])
{
    for (unsigned i = 0; i < 16; i++)
        state[i] ^= keys[i];
    for (unsigned round = 1; round <= 10; round++) {
        uint8_t t[16];
        for (unsigned i = 0; i < 16; i++)
            t[i] = sbox[state[(i + 4 * (i % 4)) % 16]];
        for (unsigned column = 0; column < 16; column += 4) {
            const uint8_t all = t[column] ^ t[column + 1] ^ t[column + 2] ^ t[column + 3];
            for (unsigned i = 0; i < 4; i++) {
                const uint8_t mixed =
                    round < 10 ? static_cast<uint8_t>(all ^ twice(t[column + i] ^ t[column + (i + 1) % 4])) : 0;
                state[column + i] = t[column + i] ^ mixed ^ keys[16 * round + column + i];
            }
        }
    }
}

__global__ void aes_counter(const Constants *c, const uint8_t *keys, const uint8_t *in, uint8_t *out, unsigned blocks)
{
    __shared__ uint8_t sbox[256], round_keys[176];
    for (unsigned i = threadIdx.x; i < 256; i += blockDim.x)
        sbox[i] = c->sbox[i];
    for (unsigned i = threadIdx.x; i < 176; i += blockDim.x)
        round_keys[i] = keys[i];
    __syncthreads();
    if (global_id() >= blocks)
        return;
    uint8_t state[16] = {};
    for (unsigned i = 0; i < 4; i++)
        state[15 - i] = static_cast<uint8_t>(global_id() >> (8 * i));
    aes_block(sbox, round_keys, state);
    for (unsigned i = 0; i < 16; i++)
        out[global_id() * 16 + i] = in[global_id() * 16 + i] ^ state[i];
}

struct Block {
    uint32_t v[16];
};

__host__ __device__ static void quarter(uint32_t &a, uint32_t &b, uint32_t &c, uint32_t &d)
{
    a += b, d = rotl(d ^ a, 16);
    c += d, b = rotl(b ^ c, 12);
    a += b, d = rotl(d ^ a, 8);
    c += d, b = rotl(b ^ c, 7);
}

__host__ __device__ static Block chacha(Block in, uint32_t counter)
{
    in.v[12] = counter;
    Block x = in;
    for (unsigned round = 0; round < 10; round++) {
        for (unsigned i = 0; i < 4; i++)
            quarter(x.v[i], x.v[4 + i], x.v[8 + i], x.v[12 + i]);
        for (unsigned i = 0; i < 4; i++)
            quarter(x.v[i], x.v[4 + (i + 1) % 4], x.v[8 + (i + 2) % 4], x.v[12 + (i + 3) % 4]);
    }
    for (unsigned i = 0; i < 16; i++)
        x.v[i] += in.v[i];
    return x;
}

__global__ void chacha20(Block start, Block *out, unsigned n)
{
    if (global_id() < n)
        out[global_id()] = chacha(start, 1 + global_id());
}

__host__ __device__ static uint64_t modular_power(uint64_t base, uint64_t exponent, uint64_t modulus)
{
    uint64_t result = 1;
    for (base %= modulus; exponent; exponent >>= 1) {
        if (exponent & 1)
            result = static_cast<uint64_t>(static_cast<unsigned __int128>(result) * base % modulus);
        base = static_cast<uint64_t>(static_cast<unsigned __int128>(base) * base % modulus);
    }
    return result;
}

// Montgomery's product on 64 bits, for the device, which has no division of 128 bits.
__device__ static uint64_t reduced(uint64_t a, uint64_t b, uint64_t modulus, uint64_t inverse)
{
    const uint64_t low = a * b, high = __umul64hi(a, b), m = low * inverse, carry = low != 0;
    const uint64_t up = __umul64hi(m, modulus), sum = high + up + carry;
    return sum < high || sum >= modulus ? sum - modulus : sum;
}

__global__ void powers(const uint64_t *base, uint64_t *out, unsigned n, uint64_t exponent, uint64_t modulus,
                       uint64_t square)
{
    if (global_id() >= n)
        return;
    uint64_t inverse = 1;
    for (unsigned i = 0; i < 6; i++)
        inverse *= 2 - modulus * inverse;
    inverse = 0 - inverse;
    uint64_t b = reduced(base[global_id()] % modulus, square, modulus, inverse),
             result = reduced(1, square, modulus, inverse);
    for (; exponent; exponent >>= 1) {
        if (exponent & 1)
            result = reduced(result, b, modulus, inverse);
        b = reduced(b, b, modulus, inverse);
    }
    out[global_id()] = reduced(result, 1, modulus, inverse);
}

static Constants make_constants()
{
    Constants c;
    unsigned found = 0;
    for (unsigned p = 2; found < 64; p++) {
        bool prime = true;
        for (unsigned d = 2; d * d <= p; d++)
            prime &= p % d != 0;
        if (!prime)
            continue;
        auto fraction = [](long double v) { return static_cast<uint32_t>((v - std::floor(v)) * 0x1p32L); };
        if (found < 8)
            c.start[found] = fraction(std::sqrt(static_cast<long double>(p)));
        c.sha[found++] = fraction(std::cbrt(static_cast<long double>(p)));
    }
    for (unsigned i = 0; i < 64; i++)
        c.md5[i] = static_cast<uint32_t>(std::fabs(std::sin(static_cast<long double>(i + 1))) * 0x1p32L);
    uint8_t p = 1, q = 1; // p runs through the field by 3, q through the inverses
    c.sbox[0] = 0x63;
    do {
        p = static_cast<uint8_t>(p ^ twice(p));
        q = static_cast<uint8_t>(q ^ q << 1);
        q = static_cast<uint8_t>(q ^ q << 2);
        q = static_cast<uint8_t>(q ^ q << 4);
        q = static_cast<uint8_t>(q ^ (q & 0x80 ? 9 : 0));
        const unsigned wide = q | q << 8;
        c.sbox[p] = static_cast<uint8_t>(wide ^ wide >> 4 ^ wide >> 5 ^ wide >> 6 ^ wide >> 7 ^ 0x63);
    } while (p != 1);
    return c;
}

static std::vector<uint8_t> expanded_key(const Constants &c, const uint8_t key[16])
{
    std::vector<uint8_t> keys(key, key + 16);
    for (uint8_t factor = 1; keys.size() < 176; factor = twice(factor)) {
        uint8_t t[4];
        for (unsigned i = 0; i < 4; i++)
            t[i] = c.sbox[keys[keys.size() - 4 + (i + 1) % 4]];
        t[0] ^= factor;
        for (unsigned i = 0; i < 16; i++)
            keys.push_back(keys[keys.size() - 16] ^ (i < 4 ? t[i] : keys[keys.size() - 4]));
    }
    return keys;
}

int main(int argc, char **argv)
{
    const unsigned n = size_argument(argc, argv, 2) * 64, groups = n / 64;
    uint32_t seed = seed_argument(argc, argv);
    Suite suite("crypto");
    Array<Constants> constants(std::vector<Constants>(1, make_constants()));
    const Constants &c = constants.host[0];
    {
        uint32_t block[16] = {0x61626380u}; // "abc"
        Digest start;
        std::memcpy(start.v, c.start, sizeof start.v);
        block[15] = 24;
        const Digest abc = sha256_block(c, start, block);
        suite.check("sha256 of abc", abc.v[0] == 0xba7816bfu && abc.v[7] == 0xf20015adu);
        Array<Digest> leaves(2 * n), nodes(n);
        for (auto &leaf : leaves.host)
            for (auto &w : leaf.v)
                w = random_next(seed);
        leaves.put();
        std::vector<Digest> wanted(n);
        for (unsigned i = 0; i < n; i++)
            wanted[i] = sha256_pair(c, leaves.host[2 * i], leaves.host[2 * i + 1]);
        merkle_level<<<groups, 64>>>(constants.gpu(), leaves.gpu(), nodes.gpu(), n);
        suite.same("sha256", nodes.get(), wanted);
    }
    {
        const uint4 abc = md5(c, reinterpret_cast<const uint8_t *>("abc"), 3);
        suite.check("md5 of abc", swapped(abc.x) == 0x90015098u && swapped(abc.w) == 0x28e17f72u);
        Array<uint8_t> texts(n * 56);
        Array<uint4> out(n);
        std::vector<uint4> wanted(n);
        for (auto &v : texts.host)
            v = static_cast<uint8_t>(random_next(seed));
        texts.put();
        for (unsigned i = 0; i < n; i++)
            wanted[i] = md5(c, &texts.host[i * 56], i % 56);
        md5_texts<<<groups, 64>>>(constants.gpu(), texts.gpu(), out.gpu(), n);
        suite.same("md5", out.get(), wanted);
    }
    {
        uint8_t key[16], state[16];
        for (uint8_t i = 0; i < 16; i++) {
            key[i] = i;
            state[i] = static_cast<uint8_t>(i * 0x11);
        }
        Array<uint8_t> keys(expanded_key(c, key)), in(n * 16), out(n * 16);
        aes_block(c.sbox, keys.host.data(), state); // FIPS 197, appendix C.1
        suite.check("aes", state[0] == 0x69 && state[1] == 0xc4 && state[14] == 0xc5 && state[15] == 0x5a);
        for (auto &v : in.host)
            v = static_cast<uint8_t>(random_next(seed));
        in.put();
        auto wanted = in.host;
        for (unsigned b = 0; b < n; b++) {
            std::memset(state, 0, sizeof state);
            state[14] = static_cast<uint8_t>(b >> 8);
            state[15] = static_cast<uint8_t>(b);
            aes_block(c.sbox, keys.host.data(), state);
            for (unsigned i = 0; i < 16; i++)
                wanted[b * 16 + i] ^= state[i];
        }
        aes_counter<<<groups, 64>>>(constants.gpu(), keys.gpu(), in.gpu(), out.gpu(), n);
        suite.same("aes counter mode", out.get(), wanted);
    }
    {
        Block start = {{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}}; // key 0..31, nonce 09, 4a: RFC 8439, 2.3.2
        for (uint32_t i = 0; i < 8; i++)
            start.v[4 + i] = 0x03020100 + i * 0x04040404;
        start.v[13] = 0x09000000, start.v[14] = 0x4a000000;
        suite.check("chacha20 block", chacha(start, 1).v[0] == 0xe4e7f110u && chacha(start, 1).v[15] == 0x4e3c50a2u);
        Array<Block> out(n);
        std::vector<Block> wanted(n);
        for (unsigned i = 0; i < n; i++)
            wanted[i] = chacha(start, 1 + i);
        chacha20<<<groups, 64>>>(start, out.gpu(), n);
        suite.same("chacha20", out.get(), wanted);
    }
    {
        const uint64_t modulus = 18446744073709551557u, exponent = 65537; // the largest prime below 2^64
        const uint64_t r = 0 - modulus, square = static_cast<uint64_t>(static_cast<unsigned __int128>(r) * r % modulus);
        Array<uint64_t> base(n), out(n);
        std::vector<uint64_t> wanted(n);
        for (unsigned i = 0; i < n; i++) {
            base.host[i] = static_cast<uint64_t>(random_next(seed)) << 32 | random_next(seed);
            wanted[i] = modular_power(base.host[i], exponent, modulus);
        }
        base.put();
        powers<<<groups, 64>>>(base.gpu(), out.gpu(), n, exponent, modulus, square);
        suite.same("modular powers", out.get(), wanted);
    }
    return suite.verdict();
}
