/* SPDX-License-Identifier: Apache-2.0
 * What the programs of this folder share: arrays in GPU 0's memory that all GPUs have mapped, kernels on each GPU, the
 * words of the command line. An example: `pages_turns reuse 1024 16` is KIND SIZE ROUNDS; each program says what they
 * are.  All arithmetic is that of 32-bit integers and no result depends on an order, so `data` is the same whichever
 * pages move.  Arrays are not freed: `data` is of them all.
 */
#ifndef GANTRY_APPS_PAGES_SHARE_H
#define GANTRY_APPS_PAGES_SHARE_H
#include <cstring>
#include <vector>

#include "check.h"

constexpr unsigned Group = 256,
                   GroupsAtMost = 256; /* work-items of a group; groups of a launch: 16 wavefronts on each of 64 CUs */

/* Word i of an input: a bijection of 32-bit words that looks random. */
__host__ __device__ static inline uint32_t mixed(uint32_t i)
{
    i = (i ^ i >> 16) * 0x7feb352d;
    i = (i ^ i >> 15) * 0x846ca68b;
    return i ^ i >> 16;
}

__global__ void fill(uint32_t *to, uint32_t words, uint32_t from)
{
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += gridDim.x * blockDim.x)
        to[i] = mixed(from + i);
}

static inline unsigned groups_for(size_t items)
{
    size_t groups = (items + Group - 1) / Group;
    return static_cast<unsigned>(groups < GroupsAtMost ? groups : GroupsAtMost);
}

/* All GPUs of the process; each reaches the memory of all others.  `size`, `rounds`: argv[2], argv[3]. */
struct Machine {
    int gpus = 0;
    const char *kind;
    unsigned size, rounds;

    Machine(int argc, char **argv, unsigned usual_size, unsigned usual_rounds)
        : kind(argc > 1 ? argv[1] : ""), size(size_argument(argc - 1, argv + 1, usual_size)),
          rounds(size_argument(argc - 2, argv + 2, usual_rounds))
    {
        HIP_OK(hipGetDeviceCount(&gpus));
        for (int of = 0; of < gpus; of++) {
            HIP_OK(hipSetDevice(of));
            for (int other = 0; other < gpus; other++)
                if (other != of)
                    HIP_OK(hipDeviceEnablePeerAccess(other, 0));
        }
    }
    bool is(const char *name) const { return std::strcmp(kind, name) == 0; }
    int last() const { return gpus - 1; }
    /* Words [begin(g), begin(g + 1)) of n are those of GPU g. */
    uint32_t begin(int gpu, uint32_t n) const { return static_cast<uint32_t>(static_cast<uint64_t>(n) * gpu / gpus); }
    template <class F> void on(int gpu, F launch) const
    {
        HIP_OK(hipSetDevice(gpu));
        launch();
        HIP_OK(hipGetLastError());
        HIP_OK(hipDeviceSynchronize());
    }
    /* launch(gpu) on each, beside each other; returns when all have ended. */
    template <class F> void each(F launch) const
    {
        for (int gpu = 0; gpu < gpus; gpu++) {
            HIP_OK(hipSetDevice(gpu));
            launch(gpu);
            HIP_OK(hipGetLastError());
        }
        for (int gpu = 0; gpu < gpus; gpu++) {
            HIP_OK(hipSetDevice(gpu));
            HIP_OK(hipDeviceSynchronize());
        }
    }
    uint32_t *words(int gpu, size_t n) const
    {
        void *at = nullptr;
        HIP_OK(hipSetDevice(gpu));
        HIP_OK(hipMalloc(&at, n * sizeof(uint32_t)));
        return static_cast<uint32_t *>(at);
    }
    /* n words that GPU 0 has and has initialised with mixed(from + i). */
    uint32_t *input(uint32_t n, uint32_t from = 0) const
    {
        uint32_t *at = words(0, n);
        on(0, [&] { fill<<<groups_for(n), Group>>>(at, n, from); });
        return at;
    }
    std::vector<uint32_t> output(const uint32_t *at, size_t n) const
    {
        std::vector<uint32_t> host(n);
        HIP_OK(hipMemcpy(host.data(), at, n * sizeof(uint32_t), hipMemcpyDeviceToHost));
        return host;
    }
};

static inline std::vector<uint32_t> mixed_words(uint32_t n, uint32_t from = 0)
{
    std::vector<uint32_t> host(n);
    for (uint32_t i = 0; i < n; i++)
        host[i] = mixed(from + i);
    return host;
}

static inline unsigned different(const std::vector<uint32_t> &got, const std::vector<uint32_t> &wanted)
{
    unsigned wrong = got.size() != wanted.size();
    for (size_t i = 0; i < got.size() && i < wanted.size(); i++)
        wrong += got[i] != wanted[i];
    return wrong;
}

static inline int unknown(const char *program, const char *kinds)
{
    std::fprintf(stderr, "%s: KIND [SIZE [ROUNDS]]; KIND is one of %s\n", program, kinds);
    return 2;
}
#endif
