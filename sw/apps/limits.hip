// SPDX-License-Identifier: Apache-2.0
// Launches at the limits that the device tells and one beyond: what is refused must say so in hipGetLastError, leave no
// trace in memory and not disturb the launch after it; what is accepted must run whole.
#include "check.h"

__global__ void arrive(unsigned long long *count)
{
    if (threadIdx.x + threadIdx.y + threadIdx.z == 0)
        atomicAdd(count, 1ull);
}
// The last dword of the dynamic LDS is there and is this work-group's own.
__global__ void to_the_end(unsigned long long *count, unsigned words)
{
    extern __shared__ unsigned lds[];
    if (threadIdx.x == 0)
        lds[words - 1] = blockIdx.x + 5;
    __syncthreads();
    if (threadIdx.x == blockDim.x - 1 && lds[words - 1] == blockIdx.x + 5)
        atomicAdd(count, 1ull);
}

static unsigned wrong, launches;
static unsigned long long *counter;

static void outcome(const char *what, unsigned long long wanted)
{
    const hipError_t asked = hipGetLastError(), waited = hipDeviceSynchronize();
    unsigned long long got = 0;
    HIP_OK(hipMemcpy(&got, counter, sizeof got, hipMemcpyDeviceToHost));
    HIP_OK(hipMemset(counter, 0, sizeof got));
    const bool good = got == wanted && waited == hipSuccess && (asked == hipSuccess) == (wanted != 0);
    std::printf("limits: %s: %s, %llu groups%s\n", what, hipGetErrorName(asked), got, good ? "" : ", WRONG");
    wrong += !good;
    launches++;
}

static void groups(const char *what, dim3 grid, dim3 group, unsigned long long wanted)
{
    arrive<<<grid, group>>>(counter);
    outcome(what, wanted);
}

// limits [GROUPS]: groups of a grid that is long in y or z.
int main(int argc, char **argv)
{
    const unsigned n = size_argument(argc, argv, 66000);
    hipDeviceProp_t is;
    HIP_OK(hipGetDeviceProperties(&is, 0));
    const unsigned most = static_cast<unsigned>(is.maxThreadsPerBlock), lds = static_cast<unsigned>(is.sharedMemPerBlock);
    HIP_OK(hipMalloc(&counter, sizeof *counter));
    HIP_OK(hipMemset(counter, 0, sizeof *counter));
    groups("largest group", 2, most, 2);
    groups("largest group, three dimensions", 2, dim3(4, 4, most / 16), 2);
    groups("one work-item more", 2, most + 1, 0);
    groups("one row more", 2, dim3(32, most / 32 + 1), 0);
    groups("one layer more", 2, dim3(8, 8, most / 64 + 1), 0);
    groups("no group in x", 0, 64, 0);
    groups("no group in z", dim3(1, 1, 0), 64, 0);
    groups("empty group", 1, 0, 0);
    groups("beyond 2^32 - 1 work-items in x", (1u << 31) / most * 2, most, 0);
    groups("long in y", dim3(1, n), 1, n);
    groups("long in z", dim3(1, 1, n), 1, n);
    to_the_end<<<3, 64, lds>>>(counter, lds / 4);
    outcome("all of the LDS", 3);
    to_the_end<<<3, 64, lds + 1>>>(counter, lds / 4);
    outcome("a byte more", 0);
    groups("what comes after", 5, 65, 5);
    HIP_OK(hipFree(counter));
    return verdict("limits", wrong, launches);
}
