/* SPDX-License-Identifier: Apache-2.0
 * Half precision on doubles: every half is exact in a double, results are rounded here, once.
 */
#include <math.h>

#include "valu/valu.h"

double half_value(uint32_t h)
{
    uint32_t e = h >> 10 & 31, m = h & 0x3ff;
    double x;
    if (e == 31)
        x = m ? NAN : INFINITY;
    else
        x = e ? (1024 + m) * as_f64((uint64_t)(1023 + e - 25) << 52) : m * 0x1p-24;
    return h & 0x8000 ? -x : x;
}

uint32_t half_round(double x, unsigned round)
{
    uint64_t bits = from_f64(x);
    uint32_t sign = bits >> 48 & 0x8000;
    int e = (int)(bits >> 52 & 0x7ff) - 1023;
    uint64_t m = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
    if (e == 1024)
        return bits << 12 ? NAN16 : sign | 0x7c00;
    if (bits << 1 == 0)
        return sign;
    int shift = e >= -14 ? 42 : 42 + (-14 - e);
    if (e < -40)
        shift = 63, m = 1; /* far below the smallest subnormal, or a subnormal double: only sticky */
    if (shift > 63)
        shift = 63;
    uint64_t kept = m >> shift, rest = m & ((UINT64_C(1) << shift) - 1), half = UINT64_C(1) << (shift - 1);
    bool up = round == 0   ? rest > half || (rest == half && kept & 1)
              : round == 1 ? rest && !sign
              : round == 2 ? rest && sign
                           : false;
    /* kept holds the hidden bit for normal results, so adding the exponent less one makes the encoding */
    uint64_t r = kept + up + (e >= -14 ? (uint64_t)(e + 14) << 10 : 0);
    if (r >= 0x7c00)
        r = round == 0 || (round == 1 && !sign) || (round == 2 && sign) ? 0x7c00 : 0x7bff;
    return sign | r;
}

double fma_odd(double a, double b, double c)
{
    double p = a * b; /* exact for halves and floats */
    double s = p + c;
    if (!isfinite(s))
        return s;
    double t = s - p, error = (p - (s - t)) + (c - t);
    uint64_t bits = from_f64(s);
    if (error != 0 && !(bits & 1))
        bits += (error > 0) == (s > 0) ? 1 : -1;
    return as_f64(bits);
}
