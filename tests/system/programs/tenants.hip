// SPDX-License-Identifier: Apache-2.0
// tenants GPU HOME LAUNCHES START: one of the programs that share a machine.  Its kernel reads lines of one L2 slice (256 bytes of
// each KiB) of the memory of GPU `HOME` on GPU `GPU`, each once, past the L1V: DRAM of that slice is all that it is about.  One launch
// brings translations; then LAUNCHES stand one behind the other in a queue, from microsecond START of target time on, whenever the
// process itself has begun.
#include <chrono>
#include <thread>
#include <vector>

#include "check.h"

typedef uint32_t four __attribute__((ext_vector_type(4)));
constexpr unsigned Lines = 4096, Groups = 2, Lanes = 256, PieceLines = 4;

__global__ void warm(const four *from, uint32_t *to)
{
    uint32_t sum = 0;
    for (unsigned page = threadIdx.x; page < Lines / PieceLines / 4; page += Lanes)
        sum += from[page * 256].x;
    to[threadIdx.x] = sum;
}

// Two work-groups of it do not fit into one CU.
__global__ void tenant(const four *from, uint32_t *to)
{
    __shared__ uint32_t room[10240];
    const unsigned lane = blockIdx.x * Lanes + threadIdx.x;
    uint32_t sum = 0;
#pragma unroll 4
    for (unsigned n = 0; n < Lines * 4 / (Groups * Lanes); n++) {
        const unsigned at = n * Groups * Lanes + lane; // of the 16 bytes of a piece of 256 there are 16
        const four got = __builtin_nontemporal_load(from + at / 16 * 64 + at % 16);
        sum += got.x ^ got.y ^ got.z ^ got.w;
    }
    room[threadIdx.x] = sum;
    __syncthreads();
    to[lane] = room[Lanes - 1 - threadIdx.x];
}

int main(int argc, char **argv)
{
    if (argc != 5)
        return 64;
    const int gpu = std::atoi(argv[1]), home = std::atoi(argv[2]), launches = std::atoi(argv[3]);
    std::vector<uint32_t> words(Lines / PieceLines * 256), sums(Groups * Lanes);
    uint32_t *from, *to, *warmed, wrong = 0;
    for (size_t i = 0; i < words.size(); i++)
        words[i] = static_cast<uint32_t>(i * 2654435761u);
    HIP_OK(hipSetDevice(home));
    HIP_OK(hipMalloc(&from, words.size() * 4));
    HIP_OK(hipMemcpy(from, words.data(), words.size() * 4, hipMemcpyHostToDevice));
    HIP_OK(hipSetDevice(gpu));
    if (gpu != home)
        HIP_OK(hipDeviceEnablePeerAccess(home, 0));
    HIP_OK(hipMalloc(&to, sums.size() * 4));
    HIP_OK(hipMalloc(&warmed, Lanes * 4));
    warm<<<1, Lanes>>>(reinterpret_cast<four *>(from), warmed);
    HIP_OK(hipDeviceSynchronize());
    std::this_thread::sleep_until(std::chrono::steady_clock::time_point(std::chrono::microseconds(1000000 + std::atoi(argv[4]))));
    for (int n = 0; n < launches; n++)
        tenant<<<Groups, Lanes>>>(reinterpret_cast<four *>(from), to);
    HIP_OK(hipMemcpy(sums.data(), to, sums.size() * 4, hipMemcpyDeviceToHost));
    for (unsigned g = 0; g < Groups; g++)
        for (unsigned t = 0; t < Lanes; t++) {
            uint32_t want = 0;
            for (unsigned n = 0; n < Lines * 4 / (Groups * Lanes); n++) {
                const unsigned at = n * Groups * Lanes + g * Lanes + Lanes - 1 - t;
                const uint32_t *got = &words[(at / 16 * 64 + at % 16) * 4];
                want += got[0] ^ got[1] ^ got[2] ^ got[3];
            }
            wrong += sums[g * Lanes + t] != want;
        }
    return verdict("tenants", wrong, static_cast<unsigned>(sums.size()));
}
