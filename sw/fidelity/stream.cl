// SPDX-License-Identifier: Apache-2.0
// Streams through DRAM (make fidelity).  copy, mul, add, triad: STREAM with doubles, one element a work-item, as BabelStream has them.
// load, store: 16 bytes a work-item, all beside each other.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

kernel void copy(global double *to, global const double *a, global const double *b)
{
    const size_t i = get_global_id(0);
    to[i] = a[i];
}
kernel void mul(global double *to, global const double *a, global const double *b)
{
    const size_t i = get_global_id(0);
    to[i] = 0.4 * a[i];
}
kernel void add(global double *to, global const double *a, global const double *b)
{
    const size_t i = get_global_id(0);
    to[i] = a[i] + b[i];
}
kernel void triad(global double *to, global const double *a, global const double *b)
{
    const size_t i = get_global_id(0);
    to[i] = a[i] + 0.4 * b[i];
}

kernel void load(global uint4 *to, global const uint4 *from)
{
    const uint4 value = from[get_global_id(0)];
    if (any(value != 0))
        to[0] = value;
}
kernel void store(global uint4 *to, global const uint4 *from)
{
    to[get_global_id(0)] = 1;
}

// 16 values a work-item, as clpeak reads them: a work-group apart (near), or all work-items (far); their sum, one float a work-item, is stored.
#define VALUES(TYPE, NAME, SUM, STEP, FIRST)                             \
    kernel void load_##NAME(global float *to, global const TYPE *from)   \
    {                                                                    \
        const uint step = STEP;                                          \
        from += FIRST;                                                   \
        TYPE sum = 0;                                                    \
        _Pragma("unroll") for (uint k = 0; k < 16; k++)                  \
            sum += from[k * step];                                       \
        to[get_global_id(0)] = SUM(sum);                                 \
    }                                                                    \
    kernel void store_##NAME(global TYPE *to, global const float *from)  \
    {                                                                    \
        const uint step = STEP;                                          \
        to += FIRST;                                                     \
        _Pragma("unroll") for (uint k = 0; k < 16; k++)                  \
            to[k * step] = 1;                                            \
    }
#define BOTH(TYPE, SUM)                                                                                          \
    VALUES(TYPE, TYPE##_near, SUM, get_local_size(0), get_group_id(0) * get_local_size(0) * 16 + get_local_id(0)) \
    VALUES(TYPE, TYPE##_far, SUM, get_global_size(0), get_global_id(0))
#define SUM1(x) (x)
#define SUM2(x) SUM1((x).lo) + SUM1((x).hi)
#define SUM4(x) SUM2((x).lo) + SUM2((x).hi)
#define SUM8(x) SUM4((x).lo) + SUM4((x).hi)
#define SUM16(x) SUM8((x).lo) + SUM8((x).hi)
BOTH(float, SUM1)
BOTH(float2, SUM2)
BOTH(float4, SUM4)
BOTH(float8, SUM8)
BOTH(float16, SUM16)
