// SPDX-License-Identifier: Apache-2.0
// What only execution can tell: how long a kernel runs hangs on its data (collatz: steps until 1, from starts that the host chooses), and each lane has an
// array of its own in local memory, read at places that it computes (sorts).
#include <vector>

#include "check.h"

constexpr unsigned Lanes = 64, Own = 24, Groups = 32;

__global__ void collatz(const uint32_t *from, uint32_t *steps)
{
    uint32_t n = from[threadIdx.x], count = 0;
    while (n != 1) {
        n = n % 2 ? 3 * n + 1 : n / 2;
        count++;
    }
    steps[threadIdx.x] = count;
}

// Sorts Own numbers of its own by insertion; to[k * all + lane]: the k-th.  Groups run beside each other, each with local memory of its own.
__global__ void sorts(const uint32_t *from, uint32_t *to)
{
    const unsigned all = Groups * Lanes, lane = blockIdx.x * Lanes + threadIdx.x;
    uint32_t own[Own];
    for (unsigned k = 0; k < Own; k++)
        own[k] = from[k * all + lane];
    for (unsigned k = 1; k < Own; k++) {
        const uint32_t x = own[k];
        unsigned at = k;
        for (; at && own[at - 1] > x; at--)
            own[at] = own[at - 1];
        own[at] = x;
    }
    for (unsigned k = 0; k < Own; k++)
        to[k * all + lane] = own[k];
}

static std::vector<uint32_t> collatz_run(uint32_t start)
{
    std::vector<uint32_t> from(Lanes, start), steps(Lanes);
    uint32_t *a, *b;
    HIP_OK(hipMalloc(&a, Lanes * 4));
    HIP_OK(hipMalloc(&b, Lanes * 4));
    HIP_OK(hipMemcpy(a, from.data(), Lanes * 4, hipMemcpyHostToDevice));
    collatz<<<1, Lanes>>>(a, b);
    HIP_OK(hipMemcpy(steps.data(), b, Lanes * 4, hipMemcpyDeviceToHost));
    return steps;
}

static unsigned sorts_run()
{
    constexpr unsigned all = Groups * Lanes;
    std::vector<uint32_t> from(Own * all), got(Own * all);
    uint32_t seed = 7, *a, *b;
    for (uint32_t &x : from)
        x = random_next(seed);
    HIP_OK(hipMalloc(&a, from.size() * 4));
    HIP_OK(hipMalloc(&b, from.size() * 4));
    HIP_OK(hipMemcpy(a, from.data(), from.size() * 4, hipMemcpyHostToDevice));
    sorts<<<Groups, Lanes>>>(a, b);
    HIP_OK(hipMemcpy(got.data(), b, got.size() * 4, hipMemcpyDeviceToHost));
    unsigned wrong = 0;
    for (unsigned lane = 0; lane < all; lane++) { // in order, and the same numbers: by their sum and their product with their ranks
        uint64_t had = 0, has = 0;
        for (unsigned k = 0; k < Own; k++) {
            const uint32_t x = from[k * all + lane], y = got[k * all + lane];
            had += x * static_cast<uint64_t>(x | 1), has += y * static_cast<uint64_t>(y | 1);
            wrong += k && got[(k - 1) * all + lane] > y;
        }
        wrong += had != has;
    }
    return wrong;
}

int main()
{
    unsigned wrong = 0;
    for (uint32_t start : {1u, 27u, 97u}) { // 0, 111 and 118 steps
        const uint32_t want = start == 1 ? 0 : start == 27 ? 111 : 118;
        for (uint32_t steps : collatz_run(start))
            wrong += steps != want;
    }
    hipFuncAttributes attributes;
    HIP_OK(hipFuncGetAttributes(&attributes, reinterpret_cast<const void *>(sorts)));
    std::printf("executed: %zu bytes of local memory a lane\n", attributes.localSizeBytes);
    wrong += sorts_run();
    return verdict("executed", wrong, Own * Groups * Lanes);
}
