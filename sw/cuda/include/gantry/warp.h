/* SPDX-License-Identifier: Apache-2.0
 * Functions between the lanes of a warp. A wavefront of gfx803 has 64 lanes. With --warp32 (GANTRY_WARP 32) a warp is
 * one half of it; masks are those of the half. Without, a warp is the wavefront, and a literal that stands for 32 lanes
 * is warned of.
 */
#ifndef GANTRY_CUDA_WARP_H
#define GANTRY_CUDA_WARP_H
#ifndef GANTRY_WARP
#define GANTRY_WARP 64
#endif
static constexpr int warpSize = GANTRY_WARP;
#if GANTRY_WARP == 32
typedef unsigned int gantry_mask;
#define GANTRY_WIDTH
#define GANTRY_MASK
extern "C" int gantry_cuda_warp(int lanes);
/* The library is told at the start of the program, for cudaDeviceProp. */
static int gantry_warp_told __attribute__((used)) = gantry_cuda_warp(GANTRY_WARP);
#else
typedef unsigned long long gantry_mask;
#define GANTRY_WARNED(condition)                                                                                       \
    __attribute__((                                                                                                    \
        diagnose_if(condition, "a warp has 64 lanes on gfx803; for warps of 32 compile with --warp32", "warning")))
#define GANTRY_WIDTH GANTRY_WARNED(width == 32)
#define GANTRY_MASK GANTRY_WARNED(mask == 0xffffffffull)
#endif
#define GANTRY_LANES template <typename T> static inline __device__

static inline __device__ int gantry_lane()
{
    return (int)(__builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0)) & (GANTRY_WARP - 1));
}
static inline __device__ int gantry_wave_lane()
{
    return (int)__builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
}

/* The value of another lane of the wavefront. */
GANTRY_LANES T gantry_lane_read(T value, int lane)
{
    int words[(sizeof(T) + 3) / 4] = {};
    __builtin_memcpy(words, &value, sizeof(T));
    for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        words[i] = __builtin_amdgcn_ds_bpermute(lane << 2, words[i]);
    __builtin_memcpy(&value, words, sizeof(T));
    return value;
}
static inline __device__ unsigned long long gantry_wave_ballot(bool predicate)
{
    unsigned int value = predicate;
    __asm__ volatile(""
                     : "+v"(value)); /* of a constant the compiler would make a mask that is not that of this place */
    return __builtin_amdgcn_uicmp(value, 0u, 33); /* 33: not equal */
}
static inline __device__ gantry_mask gantry_ballot(bool predicate)
{
    unsigned long long wave = gantry_wave_ballot(predicate);
    return (gantry_mask)(GANTRY_WARP == 32 ? wave >> (gantry_wave_lane() & 32) : wave);
}

GANTRY_LANES T gantry_shfl(T value, int source, int width = warpSize)
{
    int self = gantry_wave_lane();
    return gantry_lane_read(value, (source & (width - 1)) | (self & ~(width - 1)));
}
GANTRY_LANES T gantry_shfl_up(T value, unsigned int delta, int width = warpSize)
{
    int self = gantry_wave_lane(), source = self - (int)delta;
    return gantry_lane_read(value, source < (self & ~(width - 1)) ? self : source);
}
GANTRY_LANES T gantry_shfl_down(T value, unsigned int delta, int width = warpSize)
{
    int self = gantry_wave_lane();
    return gantry_lane_read(value, (self & (width - 1)) + (int)delta >= width ? self : self + (int)delta);
}
GANTRY_LANES T gantry_shfl_xor(T value, int mask, int width = warpSize)
{
    int self = gantry_wave_lane(), source = self ^ mask;
    return gantry_lane_read(value, source >= ((self + width) & ~(width - 1)) ? self : source);
}
/* The names that programs call; the base functions are for headers that mean what they say. */
GANTRY_LANES T __shfl(T value, int source, int width = warpSize) GANTRY_WIDTH
{
    return gantry_shfl(value, source, width);
}
GANTRY_LANES T __shfl_up(T value, unsigned int delta, int width = warpSize) GANTRY_WIDTH
{
    return gantry_shfl_up(value, delta, width);
}
GANTRY_LANES T __shfl_down(T value, unsigned int delta, int width = warpSize) GANTRY_WIDTH
{
    return gantry_shfl_down(value, delta, width);
}
GANTRY_LANES T __shfl_xor(T value, int mask, int width = warpSize) GANTRY_WIDTH
{
    return gantry_shfl_xor(value, mask, width);
}
static inline __device__ gantry_mask __ballot(int predicate)
{
    return gantry_ballot(predicate != 0);
}
static inline __device__ int __any(int predicate)
{
    return gantry_ballot(predicate != 0) != 0;
}
static inline __device__ int __all(int predicate)
{
    return gantry_ballot(predicate == 0) == 0;
}
static inline __device__ gantry_mask __activemask()
{
    return gantry_ballot(true);
}
static inline __device__ void __syncwarp(gantry_mask = ~(gantry_mask)0)
{
    __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
    __builtin_amdgcn_wave_barrier();
}

GANTRY_LANES T __shfl_sync(gantry_mask mask, T value, int source, int width = warpSize) GANTRY_MASK GANTRY_WIDTH
{
    return gantry_shfl(value, source, width);
}
GANTRY_LANES T __shfl_up_sync(gantry_mask mask, T value, unsigned int delta,
                              int width = warpSize) GANTRY_MASK GANTRY_WIDTH
{
    return gantry_shfl_up(value, delta, width);
}
GANTRY_LANES T __shfl_down_sync(gantry_mask mask, T value, unsigned int delta,
                                int width = warpSize) GANTRY_MASK GANTRY_WIDTH
{
    return gantry_shfl_down(value, delta, width);
}
GANTRY_LANES T __shfl_xor_sync(gantry_mask mask, T value, int lanes, int width = warpSize) GANTRY_MASK GANTRY_WIDTH
{
    return gantry_shfl_xor(value, lanes, width);
}
static inline __device__ gantry_mask __ballot_sync(gantry_mask mask, int predicate) GANTRY_MASK
{
    return gantry_ballot(predicate != 0) & mask;
}
static inline __device__ int __any_sync(gantry_mask mask, int predicate) GANTRY_MASK
{
    return (gantry_ballot(predicate != 0) & mask) != 0;
}
static inline __device__ int __all_sync(gantry_mask mask, int predicate) GANTRY_MASK
{
    return (gantry_ballot(predicate == 0) & mask) == 0;
}
static inline __device__ int __uni_sync(gantry_mask mask, int predicate) GANTRY_MASK
{
    return __all_sync(mask, predicate) || !__any_sync(mask, predicate);
}
/* Lanes that hold the same value; one value after another. */
GANTRY_LANES gantry_mask __match_any_sync(gantry_mask mask, T value) GANTRY_MASK
{
    gantry_mask same = 0;
    int base = gantry_wave_lane() & ~(warpSize - 1);
    for (int lane = 0; lane < warpSize; lane++) {
        T other = gantry_lane_read(value, base | lane);
        same |= (gantry_mask)(other == value) << lane;
    }
    return same & mask & gantry_ballot(true);
}
GANTRY_LANES gantry_mask __match_all_sync(gantry_mask mask, T value, int *predicate) GANTRY_MASK
{
    *predicate = (__match_any_sync(mask, value) & mask) == (gantry_ballot(true) & mask);
    return *predicate ? mask : 0;
}
/* Reductions of the lanes in the mask, all of which must be active. */
#define GANTRY_REDUCED(name, T, expression)                                                                            \
    static inline __device__ T __reduce_##name##_sync(gantry_mask mask, T value) GANTRY_MASK                           \
    {                                                                                                                  \
        int base = gantry_wave_lane() & ~(warpSize - 1);                                                               \
        T a = gantry_lane_read(value, base | (__ffsll((unsigned long long)mask) - 1));                                 \
        for (gantry_mask rest = mask & (mask - 1); rest; rest &= rest - 1) {                                           \
            T b = gantry_lane_read(value, base | (__ffsll((unsigned long long)rest) - 1));                             \
            a = expression;                                                                                            \
        }                                                                                                              \
        return a;                                                                                                      \
    }
GANTRY_REDUCED(add, unsigned int, a + b)
GANTRY_REDUCED(add, int, a + b)
GANTRY_REDUCED(min, unsigned int, a < b ? a : b)
GANTRY_REDUCED(min, int, a < b ? a : b)
GANTRY_REDUCED(max, unsigned int, a > b ? a : b)
GANTRY_REDUCED(max, int, a > b ? a : b)
GANTRY_REDUCED(and, unsigned int, a &b)
GANTRY_REDUCED(or, unsigned int, a | b)
GANTRY_REDUCED(xor, unsigned int, a ^ b)
#undef GANTRY_REDUCED
#undef GANTRY_LANES
#endif
