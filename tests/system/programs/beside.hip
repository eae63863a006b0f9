// SPDX-License-Identifier: Apache-2.0
// A kernel of many work-groups in one stream and, launched right behind it, one of a single group in another: nothing waits for anything.  Then three
// kernels that each hold a value in registers for as long as the others run, in three streams: what each computes is checked.
// usage: beside
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>

#define OK(call)                                                                                                       \
    do {                                                                                                               \
        if (auto status_ = (call)) {                                                                                   \
            std::fprintf(stderr, "%s: %d\n", #call, (int)status_);                                                     \
            std::exit(2);                                                                                              \
        }                                                                                                              \
    } while (0)

__global__ void many(int *) {}
__global__ void single(int *) {}

__global__ void mixed(unsigned *out, unsigned seed, unsigned rounds)
{
    unsigned v = seed ^ (blockIdx.x * blockDim.x + threadIdx.x);
    for (unsigned i = 0; i < rounds; i++)
        v = v * 1664525u + 1013904223u + seed;
    out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

static unsigned mixed_want(unsigned item, unsigned seed, unsigned rounds)
{
    unsigned v = seed ^ item;
    for (unsigned i = 0; i < rounds; i++)
        v = v * 1664525u + 1013904223u + seed;
    return v;
}

int main()
{
    enum { Streams = 3, Items = 512 };
    hipStream_t stream[Streams];
    unsigned *out[Streams], back[Items], wrong = 0;
    for (int s = 0; s < Streams; s++) {
        OK(hipStreamCreateWithFlags(&stream[s], hipStreamNonBlocking));
        OK(hipMalloc(&out[s], sizeof back));
    }
    // both have been launched before: code, queues and arguments are there
    for (int n = 0; n < 2; n++) {
        many<<<n ? 3000 : 1, 64, 0, stream[0]>>>(nullptr);
        single<<<1, 64, 0, stream[1]>>>(nullptr);
        OK(hipDeviceSynchronize());
    }
    for (unsigned s = 0; s < Streams; s++)
        mixed<<<Items / 64, 64, 0, stream[s]>>>(out[s], 1000u * s + 7, 400);
    for (unsigned s = 0; s < Streams; s++) {
        OK(hipStreamSynchronize(stream[s]));
        OK(hipMemcpy(back, out[s], sizeof back, hipMemcpyDeviceToHost));
        for (unsigned i = 0; i < Items; i++)
            wrong += back[i] != mixed_want(i, 1000u * s + 7, 400);
    }
    std::printf("beside: %s, %u wrong\n", wrong ? "FAILED" : "PASSED", wrong);
    return wrong != 0;
}
