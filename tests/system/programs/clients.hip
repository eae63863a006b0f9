// SPDX-License-Identifier: Apache-2.0
// clients N STREAMS LAUNCHES: N processes of this program, forked before any of them uses the GPU.  Each launches a small kernel
// LAUNCHES times on each of its streams, all of them dependent, and compares the result.  Exit status 0: all are right.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

constexpr unsigned Lanes = 64;

__global__ void turn(unsigned *values, unsigned add)
{
    unsigned &value = values[threadIdx.x];
    value = value * 5 + add + threadIdx.x;
}

#define HIP_OK(call)                                                                                        \
    do {                                                                                                    \
        if (hipError_t status_ = (call)) {                                                                  \
            std::fprintf(stderr, "process %u: %s: %s\n", number, #call, hipGetErrorString(status_));         \
            _exit(2);                                                                                       \
        }                                                                                                   \
    } while (0)

static unsigned wrong_values(unsigned number, unsigned streams, unsigned launches)
{
    const size_t bytes = streams * Lanes * sizeof(unsigned);
    std::vector<unsigned> values(streams * Lanes, number);
    std::vector<hipStream_t> stream(streams);
    unsigned *gpu, wrong = 0;
    HIP_OK(hipMalloc(&gpu, bytes));
    HIP_OK(hipMemcpy(gpu, values.data(), bytes, hipMemcpyHostToDevice));
    for (auto &s : stream)
        HIP_OK(hipStreamCreate(&s));
    for (unsigned n = 0; n < launches; n++)
        for (unsigned s = 0; s < streams; s++)
            turn<<<1, Lanes, 0, stream[s]>>>(gpu + s * Lanes, n);
    HIP_OK(hipDeviceSynchronize());
    HIP_OK(hipMemcpy(values.data(), gpu, bytes, hipMemcpyDeviceToHost));
    for (unsigned i = 0; i < values.size(); i++) {
        unsigned want = number;
        for (unsigned n = 0; n < launches; n++)
            want = want * 5 + n + i % Lanes;
        wrong += values[i] != want;
    }
    return wrong;
}

int main(int argc, char **argv)
{
    const unsigned processes = argc > 1 ? std::atoi(argv[1]) : 2, streams = argc > 2 ? std::atoi(argv[2]) : 1;
    unsigned number = 0;
    for (unsigned n = 1; n < processes && number == 0; n++)
        if (fork() == 0)
            number = n;
    int bad = wrong_values(number, streams, argc > 3 ? std::atoi(argv[3]) : 4) != 0, status;
    if (number)
        _exit(bad); // without a word to the runtime
    while (wait(&status) > 0)
        bad |= status != 0;
    std::printf("clients: %s\n", bad ? "FAILED" : "PASSED");
    return bad;
}
