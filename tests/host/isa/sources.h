/* SPDX-License-Identifier: Apache-2.0
 * Sources of operations that are compared with plain C: random registers, one in three a corner, and how C reads them.
 */
#ifndef TEST_GCN3_SOURCES_H
#define TEST_GCN3_SOURCES_H
#include "reference.h"

enum { ROUNDS = 200, A = 0, B = 2, C = 4, D = 10 };

static inline uint64_t corner(unsigned bits)
{
    static const uint64_t words[] = {0,
                                     1,
                                     2,
                                     0x7f,
                                     0x80,
                                     0xff,
                                     0x7fff,
                                     0x8000,
                                     0xffff,
                                     0x7fffff,
                                     0x800000,
                                     0xffffff,
                                     0x7fffffff,
                                     0x80000000,
                                     0xffffffff,
                                     UINT64_MAX >> 1,
                                     UINT64_C(1) << 63,
                                     UINT64_MAX};
    uint64_t x = rnd64() % 3 ? rnd64() >> rnd64() % 64 : words[rnd64() % (sizeof words / sizeof *words)];
    return bits == 32 ? (uint32_t)x : x;
}

/* A source of kind 'u' 32 bits, 'l' 64 bits, 'h', 'f', 'd' floats (a half stands below other bits). */
static inline uint64_t source(char kind)
{
    switch (kind) {
    case 'l':
        return corner(64);
    case 'h':
        return rnd_float(16, 10) | (rnd64() & 0xffff0000);
    case 'f':
        return rnd_float(32, 23);
    case 'd':
        return rnd_float(64, 52);
    default:
        return corner(32);
    }
}

static inline void fill(const char *kinds)
{
    machine_reset(0xf0);
    LANES64
    {
        for (unsigned n = 0; kinds[n]; n++)
            set64(2 * n, l, source(kinds[n]));
    }
}

#define S16(x) ((int16_t)(x))
#define U16(x) ((uint16_t)(x))
#define HALF(x) ((double)as16(U16(x)))
#define SINGLE(x) ((double)as32((uint32_t)(x)))
#endif
