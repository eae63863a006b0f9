// SPDX-License-Identifier: Apache-2.0
// For the benches of the page-move engine: ports as messages, the checksum of a page by its definition in words.
#ifndef GANTRY_MOVE_BENCH_H
#define GANTRY_MOVE_BENCH_H
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

#include "gantry_msg.h"

inline std::mt19937_64 rng(2026);
inline uint64_t cycle = 0;

[[noreturn]] inline void fail(const char *what)
{
    printf("FAIL cycle %lu: %s\n", (unsigned long)cycle, what);
    exit(1);
}

inline bool chance(unsigned percent) { return rng() % 100 < percent; }

template <class T, class P> T get(const P &port)
{
    T t;
    static_assert(sizeof(t) == sizeof(port));
    memcpy(&t, &port, sizeof t);
    return t;
}
template <class P, class T> void put(P &port, const T &t)
{
    static_assert(sizeof(t) == sizeof(port));
    memcpy(&port, &t, sizeof t);
}
template <class T> bool same(const T &a, const T &b) { return !memcmp(&a, &b, sizeof a); }

inline uint64_t rotated(uint64_t word, unsigned by) { return by % 64 ? word << by % 64 | word >> (64 - by % 64) : word; }

// Each line: its number + 1 and its words, word w rotated by its place in the line in bits, all that rotated by the number.
inline uint64_t share(const uint64_t (&data)[8], unsigned line)
{
    uint64_t sum = line + 1;
    for (unsigned w = 0; w < 8; w++)
        sum ^= rotated(data[w], 8 * w);
    return rotated(sum, line);
}
#endif
