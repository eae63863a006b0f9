/* SPDX-License-Identifier: Apache-2.0
 * What the float tests of the golden model share: bit patterns, rounding by integers, sizes of campaigns.
 */
#ifndef TEST_GCN3_REFERENCE_H
#define TEST_GCN3_REFERENCE_H
#include <fenv.h>
#include <stdlib.h>

#include "machine.h"

#define LANES64 for (unsigned l = 0; l < 64; l++)

static inline float as32(uint32_t x)
{
    float f;
    memcpy(&f, &x, 4);
    return f;
}
static inline uint32_t of32(float f)
{
    uint32_t x;
    memcpy(&x, &f, 4);
    return x;
}
static inline double as64(uint64_t x)
{
    double f;
    memcpy(&f, &x, 8);
    return f;
}
static inline uint64_t of64(double f)
{
    uint64_t x;
    memcpy(&x, &f, 8);
    return x;
}
static inline _Float16 as16(uint16_t x)
{
    _Float16 f;
    memcpy(&f, &x, 2);
    return f;
}
static inline uint16_t of16(_Float16 f)
{
    uint16_t x;
    memcpy(&x, &f, 2);
    return x;
}

static inline void set64(unsigned reg, unsigned lane, uint64_t x)
{
    machine.v[reg][lane] = x;
    machine.v[reg + 1][lane] = x >> 32;
}
static inline uint64_t get64(unsigned reg, unsigned lane)
{
    return machine.v[reg][lane] | (uint64_t)machine.v[reg + 1][lane] << 32;
}

/* The one NaN of results, and subnormals flushed unless `keep`. */
static inline uint32_t result32(uint32_t x, bool keep)
{
    return (x & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : keep || (x & 0x7f800000) ? x : x & 0x80000000;
}
static inline uint64_t result64(uint64_t x, bool keep)
{
    const uint64_t inf = UINT64_C(0x7ff) << 52, sign = UINT64_C(1) << 63;
    return (x & ~sign) > inf ? UINT64_C(0x7ff8) << 48 : keep || (x & inf) ? x : x & sign;
}
static inline uint32_t result16(uint32_t x, bool keep)
{
    return (x & 0x7fff) > 0x7c00 ? 0x7e00 : keep || (x & 0x7c00) ? x : x & 0x8000;
}
static inline uint32_t source32(uint32_t x, bool keep)
{
    return keep || (x & 0x7f800000) ? x : x & 0x80000000;
}
static inline uint32_t source16(uint32_t x, bool keep)
{
    return keep || (x & 0x7c00) ? x : x & 0x8000;
}
static inline uint64_t source64(uint64_t x, bool keep)
{
    return keep || (x >> 52 & 0x7ff) ? x : x & UINT64_C(1) << 63;
}

/* MODE's rounding (0 nearest even, 1 up, 2 down, 3 to zero) on the host. */
static inline void host_rounding(unsigned mode)
{
    static const int table[4] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    fesetround(table[mode]);
}

/* Whether magnitude `kept` with a remainder (compared with half: -1, 0, 1; any: not 0) is rounded away from zero. */
static inline bool rounds_away(unsigned mode, bool negative, bool odd, int half, bool any)
{
    return mode == 0   ? half > 0 || (half == 0 && odd)
           : mode == 1 ? any && !negative
           : mode == 2 ? any && negative
                       : false;
}

static inline bool nightly(void)
{
    const char *s = getenv("GANTRY_NIGHTLY");
    return s && s[0] == '1';
}
#endif
