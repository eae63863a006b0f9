// SPDX-License-Identifier: Apache-2.0
// Two kernels that each fill the GPU many times over: `behind` begins, `urgent` is launched while it runs, in a stream of
// the greatest priority (argument "high") or of the same one ("same").  What each computes is checked.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#define OK(call)                                                                                                       \
    do {                                                                                                               \
        if (auto status_ = (call)) {                                                                                   \
            std::fprintf(stderr, "%s: %d\n", #call, (int)status_);                                                     \
            std::exit(2);                                                                                              \
        }                                                                                                              \
    } while (0)

enum { GROUPS = 200, ITEMS = 256, ROUNDS = 150 };

__device__ __host__ unsigned work(unsigned item, unsigned seed)
{
    unsigned v = seed ^ item;
    for (unsigned i = 0; i < ROUNDS; i++)
        v = v * 1664525u + 1013904223u + seed;
    return v;
}

__global__ void behind(unsigned *out)
{
    out[blockIdx.x * ITEMS + threadIdx.x] = work(blockIdx.x * ITEMS + threadIdx.x, 1);
}
__global__ void urgent(unsigned *out)
{
    out[blockIdx.x * ITEMS + threadIdx.x] = work(blockIdx.x * ITEMS + threadIdx.x, 2);
}

int main(int argc, char **argv)
{
    static unsigned back[GROUPS * ITEMS];
    const bool high = argc > 1 && std::strcmp(argv[1], "high") == 0;
    int least, greatest;
    hipStream_t stream[2];
    unsigned *out[2], wrong = 0;
    OK(hipDeviceGetStreamPriorityRange(&least, &greatest));
    OK(hipStreamCreateWithPriority(&stream[0], hipStreamNonBlocking, 0));
    OK(hipStreamCreateWithPriority(&stream[1], hipStreamNonBlocking, high ? greatest : 0));
    for (auto &o : out)
        OK(hipMalloc(&o, sizeof back));
    for (int groups : {1, (int)GROUPS}) { // code, queues and arguments are there
        behind<<<groups, ITEMS, 0, stream[0]>>>(out[0]);
        urgent<<<groups, ITEMS, 0, stream[1]>>>(out[1]);
        OK(hipDeviceSynchronize());
    }
    for (unsigned n = 0; n < 2; n++) {
        OK(hipMemcpy(back, out[n], sizeof back, hipMemcpyDeviceToHost));
        for (unsigned i = 0; i < GROUPS * ITEMS; i++)
            wrong += back[i] != work(i, n + 1);
    }
    std::printf("priority: %s, %u wrong\n", wrong ? "FAILED" : "PASSED", wrong);
    return wrong != 0;
}
