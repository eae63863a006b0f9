/* SPDX-License-Identifier: Apache-2.0
 * Complex numbers as float2 and double2.
 */
#ifndef GANTRY_CUCOMPLEX_H
#define GANTRY_CUCOMPLEX_H
#define CU_COMPLEX_H_ /* which programs ask for */
#include <cuda_runtime.h>
#include <math.h>
typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;
#if !defined(__cplusplus) && defined(__STRICT_ANSI__)
#define sqrtf __builtin_sqrtf /* C of 1990 has the other alone */
#endif
#define GANTRY_COMPLEX static __inline__ __host__ __device__
/* The functions of one precision: suffix f or none, names in CUDA's form. */
#define GANTRY_COMPLEX_OF(C, R, real, imag, make, conj, add, sub, mul, div, abs, fma, vector, root)                    \
    GANTRY_COMPLEX R real(C a)                                                                                         \
    {                                                                                                                  \
        return a.x;                                                                                                    \
    }                                                                                                                  \
    GANTRY_COMPLEX R imag(C a)                                                                                         \
    {                                                                                                                  \
        return a.y;                                                                                                    \
    }                                                                                                                  \
    GANTRY_COMPLEX C make(R x, R y)                                                                                    \
    {                                                                                                                  \
        return vector(x, y);                                                                                           \
    }                                                                                                                  \
    GANTRY_COMPLEX C conj(C a)                                                                                         \
    {                                                                                                                  \
        return vector(a.x, -a.y);                                                                                      \
    }                                                                                                                  \
    GANTRY_COMPLEX C add(C a, C b)                                                                                     \
    {                                                                                                                  \
        return vector(a.x + b.x, a.y + b.y);                                                                           \
    }                                                                                                                  \
    GANTRY_COMPLEX C sub(C a, C b)                                                                                     \
    {                                                                                                                  \
        return vector(a.x - b.x, a.y - b.y);                                                                           \
    }                                                                                                                  \
    GANTRY_COMPLEX C mul(C a, C b)                                                                                     \
    {                                                                                                                  \
        return vector(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                                                   \
    }                                                                                                                  \
    GANTRY_COMPLEX C div(C a, C b)                                                                                     \
    {                                                                                                                  \
        R scale = (b.x < 0 ? -b.x : b.x) + (b.y < 0 ? -b.y : b.y), bx = b.x / scale, by = b.y / scale;                 \
        R ax = a.x / scale, ay = a.y / scale, norm = bx * bx + by * by;                                                \
        return vector((ax * bx + ay * by) / norm, (ay * bx - ax * by) / norm);                                         \
    }                                                                                                                  \
    GANTRY_COMPLEX R abs(C a)                                                                                          \
    {                                                                                                                  \
        R x = a.x < 0 ? -a.x : a.x, y = a.y < 0 ? -a.y : a.y, large = x > y ? x : y, small = x > y ? y : x;            \
        R ratio = large == 0 ? 0 : small / large;                                                                      \
        return large == 0 ? 0 : large * root(1 + ratio * ratio);                                                       \
    }                                                                                                                  \
    GANTRY_COMPLEX C fma(C a, C b, C c)                                                                                \
    {                                                                                                                  \
        return add(mul(a, b), c);                                                                                      \
    }
GANTRY_COMPLEX_OF(cuFloatComplex, float, cuCrealf, cuCimagf, make_cuFloatComplex, cuConjf, cuCaddf, cuCsubf, cuCmulf,
                  cuCdivf, cuCabsf, cuCfmaf, make_float2, sqrtf)
GANTRY_COMPLEX_OF(cuDoubleComplex, double, cuCreal, cuCimag, make_cuDoubleComplex, cuConj, cuCadd, cuCsub, cuCmul,
                  cuCdiv, cuCabs, cuCfma, make_double2, sqrt)
GANTRY_COMPLEX cuComplex make_cuComplex(float x, float y)
{
    return make_float2(x, y);
}
GANTRY_COMPLEX cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex c)
{
    return make_float2((float)c.x, (float)c.y);
}
GANTRY_COMPLEX cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex c)
{
    return make_double2(c.x, c.y);
}
#if !defined(__cplusplus) && defined(__STRICT_ANSI__)
#undef sqrtf
#endif
#undef GANTRY_COMPLEX_OF
#undef GANTRY_COMPLEX
#endif
