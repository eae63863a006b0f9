// SPDX-License-Identifier: Apache-2.0
// Host threads that share the runtime: each has a stream, pinned and pageable memory and a buffer on the GPU of its own,
// and sends rounds of copy, kernel, copy, in which the two kinds of host memory change places.  All words are compared.
#include <atomic>
#include <thread>
#include <vector>

#include "check.h"

__global__ void scramble(uint32_t *data, unsigned n, uint32_t key)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        data[i] = (data[i] ^ key) * 2654435761u + i;
}

constexpr unsigned Rounds = 4;

static unsigned one_thread(unsigned number, unsigned n)
{
    uint32_t seed = number * 7 + 3, *pinned, *gpu;
    std::vector<uint32_t> pageable(n), sent(n);
    unsigned wrong = 0;
    hipStream_t stream;
    HIP_OK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    HIP_OK(hipHostMalloc(reinterpret_cast<void **>(&pinned), n * 4, hipHostMallocDefault));
    HIP_OK(hipMalloc(&gpu, n * 4));
    for (unsigned round = 0; round < Rounds; round++) {
        uint32_t *from = round % 2 ? pageable.data() : pinned, *to = round % 2 ? pinned : pageable.data();
        const uint32_t key = random_next(seed);
        for (unsigned i = 0; i < n; i++) {
            from[i] = sent[i] = random_next(seed);
            to[i] = 0;
        }
        HIP_OK(hipMemcpyAsync(gpu, from, n * 4, hipMemcpyHostToDevice, stream));
        scramble<<<2, 128, 0, stream>>>(gpu, n, key);
        HIP_OK(hipMemcpyAsync(to, gpu, n * 4, hipMemcpyDeviceToHost, stream));
        HIP_OK(hipStreamSynchronize(stream));
        for (unsigned i = 0; i < n; i++)
            wrong += to[i] != (sent[i] ^ key) * 2654435761u + i;
    }
    HIP_OK(hipFree(gpu));
    HIP_OK(hipHostFree(pinned));
    HIP_OK(hipStreamDestroy(stream));
    return wrong;
}

// threads [WORDS [THREADS]]
int main(int argc, char **argv)
{
    const unsigned n = size_argument(argc, argv, 5000), count = argc > 2 ? seed_argument(argc, argv) : 8;
    std::atomic<unsigned> wrong{0};
    std::vector<std::thread> threads;
    for (unsigned number = 0; number < count; number++)
        threads.emplace_back([&wrong, number, n] { wrong += one_thread(number, n); });
    for (auto &thread : threads)
        thread.join();
    return verdict("threads", wrong, n * count * Rounds);
}
