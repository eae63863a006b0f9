// SPDX-License-Identifier: Apache-2.0
// For tests/system: device code that ends itself.  Argument: "abort", "trap" (__builtin_trap), "assert" (a device
// assertion fails), "some" (one lane of the last work-group alone), "printf" (device printf from two work-groups).
#include <cassert>
#include <cstdio>
#include <cstring>
#include <hip/hip_runtime.h>

__global__ void aborts(int *out, int group, int lane)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
    if (static_cast<int>(blockIdx.x) >= group && (lane < 0 || static_cast<int>(threadIdx.x) == lane))
        abort();
    out[blockIdx.x * blockDim.x + threadIdx.x] = 2;
}

__global__ void traps(int n)
{
    if (n == 5)
        __builtin_trap();
}

__global__ void asserts(int n)
{
    assert(n + static_cast<int>(threadIdx.x) != 7 && "two and five");
}

__global__ void prints(int n)
{
    printf("group %d lane %d: %d %s\n", static_cast<int>(blockIdx.x), static_cast<int>(threadIdx.x), n * 3, "times");
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int *memory = nullptr;
    if (hipMalloc(&memory, 4096) != hipSuccess)
        return 2;
    if (!strcmp(what, "abort"))
        aborts<<<4, 64>>>(memory, 0, -1);
    else if (!strcmp(what, "some"))
        aborts<<<4, 64>>>(memory, 3, 17);
    else if (!strcmp(what, "trap"))
        traps<<<1, 64>>>(5);
    else if (!strcmp(what, "assert"))
        asserts<<<1, 4>>>(5);
    else if (!strcmp(what, "printf"))
        prints<<<2, 3>>>(14);
    else
        return 3;
    hipError_t status = hipDeviceSynchronize();
    printf("trap %s: went on: %s\n", what, hipGetErrorString(status));
    return 0;
}
