/* SPDX-License-Identifier: Apache-2.0
 * Cooperative groups: block, tiles of 1 to 64 work-items of a wavefront, coalesced work-items, the grid of a
 * cooperative launch. A barrier of the grid counts its blocks in a variable that the library clears before such a
 * launch (sw/cuda/lib/launch.cpp), which starts no more blocks than the device holds.
 */
#ifndef GANTRY_COOPERATIVE_GROUPS_H
#define GANTRY_COOPERATIVE_GROUPS_H
#define _COOPERATIVE_GROUPS_H_ /* which programs ask for */
#include <cuda_runtime.h>
#ifdef __HIP__
static __device__ unsigned int gantry_grid_count;
/* A static variable is registered where the host uses it. */
__attribute__((used)) static void *gantry_grid_place()
{
    return &gantry_grid_count;
}

namespace cooperative_groups
{
#define GANTRY_CG static inline __device__
typedef unsigned int gantry_u32;
typedef unsigned long long gantry_u64;
GANTRY_CG gantry_u32 gantry_thread()
{
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
GANTRY_CG gantry_u32 gantry_threads()
{
    return blockDim.x * blockDim.y * blockDim.z;
}
GANTRY_CG gantry_u32 gantry_block()
{
    return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
}
GANTRY_CG gantry_u32 gantry_blocks()
{
    return gridDim.x * gridDim.y * gridDim.z;
}
GANTRY_CG void gantry_wave_sync()
{
    __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
    __builtin_amdgcn_wave_barrier();
}

/* Any group: lanes of a wavefront (mask), the block (no mask), or the grid. */
class thread_group
{
  public:
    gantry_u64 lanes;
    bool grid;
    __device__ thread_group(gantry_u64 lanes = 0, bool grid = false) : lanes(lanes), grid(grid) {}
    __device__ gantry_u64 size() const
    {
        return grid ? (gantry_u64)gantry_blocks() * gantry_threads() : lanes ? __popcll(lanes) : gantry_threads();
    }
    __device__ gantry_u64 num_threads() const { return size(); }
    __device__ gantry_u64 thread_rank() const
    {
        if (lanes)
            return __popcll(lanes & (((gantry_u64)1 << gantry_wave_lane()) - 1));
        return gantry_thread() + (grid ? (gantry_u64)gantry_block() * gantry_threads() : 0);
    }
    __device__ void sync() const
    {
        if (lanes)
            return gantry_wave_sync();
        __syncthreads();
        if (!grid)
            return;
        if (gantry_thread() == 0) {
            gantry_u32 all = gantry_blocks();
            __threadfence();
            gantry_u32 goal = (atomicAdd(&gantry_grid_count, 1u) / all + 1) * all;
            /* An atomic that leaves the value: one that adds nothing would be compiled to a load. */
            while (atomicCAS(&gantry_grid_count, 0u, 0u) < goal)
                __builtin_amdgcn_s_sleep(2);
        }
        __syncthreads();
        __threadfence();
    }
};
class thread_block : public thread_group
{
  public:
    GANTRY_CG dim3 group_index() { return blockIdx; }
    GANTRY_CG dim3 thread_index() { return threadIdx; }
    GANTRY_CG dim3 group_dim() { return blockDim; }
    GANTRY_CG dim3 dim_threads() { return blockDim; }
};
class grid_group : public thread_group
{
  public:
    __device__ grid_group() : thread_group(0, true) {}
    __device__ bool is_valid() const { return true; }
    __device__ gantry_u64 block_rank() const { return gantry_block(); }
    __device__ gantry_u64 num_blocks() const { return gantry_blocks(); }
    __device__ dim3 group_dim() const { return gridDim; }
    __device__ dim3 dim_blocks() const { return gridDim; }
    __device__ dim3 block_index() const { return blockIdx; }
};
class coalesced_group : public thread_group
{
  public:
    gantry_u32 parts, part;
    __device__ coalesced_group(gantry_u64 lanes, gantry_u32 parts = 1, gantry_u32 part = 0)
        : thread_group(lanes), parts(parts), part(part)
    {
    }
    __device__ gantry_u32 meta_group_size() const { return parts; }
    __device__ gantry_u32 meta_group_rank() const { return part; }
    /* Lane of the wavefront of a member. */
    __device__ int gantry_member(int rank) const
    {
        gantry_u64 rest = lanes;
        for (int i = 0; i < rank && rest; i++)
            rest &= rest - 1;
        return rest ? __ffsll(rest) - 1 : gantry_wave_lane();
    }
    template <typename T> __device__ T shfl(T v, int rank) const { return gantry_lane_read(v, gantry_member(rank)); }
    template <typename T> __device__ T shfl_up(T v, gantry_u32 delta) const
    {
        int rank = (int)thread_rank() - (int)delta;
        return gantry_lane_read(v, rank < 0 ? gantry_wave_lane() : gantry_member(rank));
    }
    template <typename T> __device__ T shfl_down(T v, gantry_u32 delta) const
    {
        return gantry_lane_read(v, gantry_member((int)thread_rank() + (int)delta));
    }
    __device__ int any(int predicate) const { return (gantry_wave_ballot(predicate != 0) & lanes) != 0; }
    __device__ int all(int predicate) const { return (gantry_wave_ballot(predicate == 0) & lanes) == 0; }
    /* One bit for each member. */
    __device__ gantry_u64 ballot(int predicate) const
    {
        gantry_u64 wave = gantry_wave_ballot(predicate != 0), packed = 0;
        int place = 0;
        for (gantry_u64 rest = lanes; rest; rest &= rest - 1, place++)
            packed |= (wave >> (__ffsll(rest) - 1) & 1) << place;
        return packed;
    }
};
template <unsigned int N> struct gantry_tile_mask {
    typedef gantry_u32 type;
};
template <> struct gantry_tile_mask<64> {
    typedef gantry_u64 type;
};
template <unsigned int N, typename Parent = void> class thread_block_tile;
template <unsigned int N> class thread_block_tile<N, void> : public coalesced_group
{
    static_assert(N >= 1 && N <= 64 && (N & (N - 1)) == 0, "a tile has 1, 2, 4, 8, 16, 32 or 64 work-items");
    typedef typename gantry_tile_mask<N>::type mask;
    __device__ static int base() { return gantry_wave_lane() & ~(int)(N - 1); }

  public:
    __device__ thread_block_tile(gantry_u32 threads)
        : coalesced_group((~(gantry_u64)0 >> (64 - N)) << base(), (threads + N - 1) / N, gantry_thread() % threads / N)
    {
    }
    static constexpr gantry_u32 size() { return N; }
    static constexpr gantry_u32 num_threads() { return N; }
    __device__ gantry_u32 thread_rank() const { return gantry_wave_lane() & (N - 1); }
    template <typename T> __device__ T shfl(T v, int rank) const { return gantry_shfl(v, rank, N); }
    template <typename T> __device__ T shfl_up(T v, gantry_u32 delta) const { return gantry_shfl_up(v, delta, N); }
    template <typename T> __device__ T shfl_down(T v, gantry_u32 delta) const { return gantry_shfl_down(v, delta, N); }
    template <typename T> __device__ T shfl_xor(T v, int lanes) const { return gantry_shfl_xor(v, lanes, N); }
    __device__ mask ballot(int predicate) const
    {
        return (mask)((gantry_wave_ballot(predicate != 0) & lanes) >> base());
    }
    template <typename T> __device__ mask match_any(T v) const
    {
        mask same = 0;
        for (gantry_u32 i = 0; i < N; i++)
            same |= (mask)(gantry_shfl(v, (int)i, N) == v) << i;
        return same & ballot(1);
    }
};

/* A tile that knows what it is a part of is one that does not. */
template <unsigned int N, typename Parent> class thread_block_tile : public thread_block_tile<N, void>
{
  public:
    using thread_block_tile<N, void>::thread_block_tile;
};

GANTRY_CG thread_block this_thread_block()
{
    return thread_block();
}
GANTRY_CG grid_group this_grid()
{
    return grid_group();
}
GANTRY_CG coalesced_group coalesced_threads()
{
    gantry_u64 half = GANTRY_WARP == 32 ? (gantry_u64)0xffffffff << (gantry_wave_lane() & 32) : ~(gantry_u64)0;
    return coalesced_group(gantry_wave_ballot(true) & half);
}
template <unsigned int N, typename P> GANTRY_CG thread_block_tile<N, P> tiled_partition(const P &parent)
{
    return thread_block_tile<N, P>((gantry_u32)parent.size());
}
GANTRY_CG thread_group tiled_partition(const thread_group &parent, gantry_u32 n)
{
    gantry_u64 lanes = (~(gantry_u64)0 >> (64 - n)) << (gantry_wave_lane() & ~(n - 1));
    return thread_group(parent.lanes ? parent.lanes & lanes : lanes);
}
template <typename G, typename L> GANTRY_CG coalesced_group labeled_partition(const G &group, L label)
{
    gantry_u64 same = 0;
    for (gantry_u64 rest = group.lanes; rest; rest &= rest - 1) {
        int lane = __ffsll(rest) - 1;
        same |= (gantry_u64)(gantry_lane_read(label, lane) == label) << lane;
    }
    return coalesced_group(same);
}
template <typename G> GANTRY_CG coalesced_group binary_partition(const G &group, bool predicate)
{
    gantry_u64 wave = gantry_wave_ballot(predicate);
    return coalesced_group(group.lanes & (predicate ? wave : ~wave), 2, predicate);
}
template <typename G> GANTRY_CG void sync(const G &group)
{
    group.sync();
}
template <typename G> GANTRY_CG void wait(const G &group)
{
    group.sync();
}
} // namespace cooperative_groups
#include <cooperative_groups/reduce.h>
#undef GANTRY_CG
#endif
#endif
