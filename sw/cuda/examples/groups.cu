// SPDX-License-Identifier: Apache-2.0
// Cooperative groups: tiles, coalesced work-items, reductions, and a barrier of the whole grid in a cooperative launch.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "check.h"
namespace cg = cooperative_groups;
#define BLOCK 128
#define GRID 6
#define N (BLOCK * GRID)
__global__ void tiles(int *out, const int *in)
{
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
    auto small = cg::tiled_partition<4>(tile);
    int i = blockIdx.x * BLOCK + block.thread_rank(), v = in[i];
    int sum = cg::reduce(tile, v, cg::plus<int>()), largest = cg::reduce(small, v, cg::greater<int>());
    int odd = __popc(tile.ballot(v & 1)), place = cg::exclusive_scan(tile, 1);
    int scanned = cg::inclusive_scan(small, v), chosen = 0;
    if (v % 3 == 0) {
        cg::coalesced_group some = cg::coalesced_threads();
        chosen = (int)some.size() * 100 + (int)some.thread_rank() + (some.any(v == 0) ? 10000 : 0);
        chosen += some.shfl(i, 0) == i ? 20000 : 0;
    }
    out[i] = sum + 10000 * largest + odd + place + (int)tile.meta_group_rank() * 7 + tile.shfl_down(v, 3) + scanned;
    out[N + i] = chosen;
}

/* Each step needs the results of all blocks. */
__global__ void rounds(int *p, int steps)
{
    cg::grid_group grid = cg::this_grid();
    int i = (int)grid.thread_rank(), n = (int)grid.size();
    for (int s = 0; s < steps; s++) {
        int v = p[(s & 1) * n + (i + BLOCK + 1) % n] + p[(s & 1) * n + i];
        p[(~s & 1) * n + i] = v % 1009;
        grid.sync();
    }
}

int main()
{
    static int in[N], got[2 * N], want[2 * N];
    int *source, *out, wrong = 0, steps = 7, warp, twice = 2;
    for (int i = 0; i < N; i++)
        in[i] = i * 37 % 101;
    CHECK(cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, 0));
    CHECK(cudaMalloc(&source, sizeof(in)));
    CHECK(cudaMalloc(&out, sizeof(got)));
    CHECK(cudaMemcpy(source, in, sizeof(in), cudaMemcpyHostToDevice));
    tiles<<<GRID, BLOCK>>>(out, source);
    CHECK(cudaMemcpy(got, out, sizeof(got), cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++) {
        int first = i / 16 * 16, sum = 0, odd = 0, largest = 0, scanned = 0, size = 0, rank = 0, zero = 0;
        for (int k = first; k < first + 16; k++) {
            sum += in[k];
            odd += in[k] & 1;
        }
        for (int k = i / 4 * 4; k < i / 4 * 4 + 4; k++) {
            largest = in[k] > largest ? in[k] : largest;
            scanned += k <= i ? in[k] : 0;
        }
        for (int k = i / warp * warp; k < i / warp * warp + warp; k++) {
            size += in[k] % 3 == 0;
            rank += in[k] % 3 == 0 && k < i;
            zero |= in[k] == 0;
        }
        int down = in[i % 16 + 3 < 16 ? i + 3 : i];
        wrong += got[i] != sum + 10000 * largest + odd + i % 16 + i % BLOCK / 16 * 7 + down + scanned;
        wrong += got[N + i] != (in[i] % 3 ? 0 : size * 100 + rank + (zero ? 10000 : 0) + (rank == 0 ? 20000 : 0));
    }
    for (int launch = 0; launch < twice; launch++) {
        void *args[] = {&out, &steps};
        CHECK(cudaMemcpy(out, in, sizeof(in), cudaMemcpyHostToDevice));
        CHECK(cudaLaunchCooperativeKernel(rounds, dim3(GRID), dim3(BLOCK), args, 0, 0));
        CHECK(cudaMemcpy(got, out, sizeof(got), cudaMemcpyDeviceToHost));
        for (int i = 0; i < N; i++)
            want[i] = in[i];
        for (int s = 0; s < steps; s++)
            for (int i = 0; i < N; i++)
                want[(~s & 1) * N + i] = (want[(s & 1) * N + (i + BLOCK + 1) % N] + want[(s & 1) * N + i]) % 1009;
        for (int i = 0; i < N; i++)
            wrong += got[(steps & 1) * N + i] != want[(steps & 1) * N + i];
    }
    void *args[] = {&out, &steps};
    wrong += cudaLaunchCooperativeKernel(rounds, dim3(100000), dim3(BLOCK), args, 0, 0) !=
             cudaErrorCooperativeLaunchTooLarge;
    return verdict("groups", wrong);
}
