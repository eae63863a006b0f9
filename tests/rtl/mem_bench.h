// SPDX-License-Identifier: Apache-2.0
// What the benches of the memory side share: messages of build/gen/gantry_msg.h on packed ports, failures, random
// numbers, time.  Not responsible for: any model of behaviour.
#ifndef MEM_BENCH_H
#define MEM_BENCH_H
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <random>

#include "gantry_msg.h"

static std::mt19937_64 rng(1);
static uint64_t cycle;
static int failures;

static inline uint64_t pick(uint64_t n) { return rng() % n; }

// Names the function that found it, so that a bug kept in tests/planted can name the one that must.
static inline void fail(const char *what, uint64_t got, uint64_t want, const char *where = __builtin_FUNCTION())
{
    if (++failures <= 10)
        printf("%s: cycle %llu: %s: got %llx, want %llx\n", where, (unsigned long long)cycle, what, (unsigned long long)got, (unsigned long long)want);
}

// A port is a VlWide (or an array of them): the exact image of the C struct.
template <class Msg, class Port> static inline void put(Port &port, const Msg &m)
{
    static_assert(sizeof(Port) == sizeof(Msg), "message size");
    memcpy((void *)&port, &m, sizeof m);
}
template <class Msg, class Port> static inline Msg get(const Port &port)
{
    static_assert(sizeof(Port) == sizeof(Msg), "message size");
    Msg m;
    memcpy(&m, (const void *)&port, sizeof m);
    return m;
}
// Bit i of a valid vector of any width.
template <class Bits> static inline bool bit(const Bits &b, unsigned i) { return reinterpret_cast<const uint8_t *>(&b)[i / 8] >> (i % 8) & 1; }
template <class Bits> static inline void set_bit(Bits &b, unsigned i) { reinterpret_cast<uint8_t *>(&b)[i / 8] |= (uint8_t)(1u << (i % 8)); }
template <class Bits> static inline void clear(Bits &b) { memset((void *)&b, 0, sizeof b); }

struct Stopwatch { // CPU time: other load does not count
    static double now()
    {
        timespec t;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
        return double(t.tv_sec) * 1e9 + double(t.tv_nsec);
    }
    double start = now();
    double ns() const { return now() - start; }
};

static inline int bench_end(const char *name)
{
    printf("%s: %d failures\n", name, failures);
    return failures != 0;
}
#endif
