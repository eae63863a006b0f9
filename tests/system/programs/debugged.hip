// SPDX-License-Identifier: Apache-2.0
// For tests/system: a program to be debugged; with an argument it crashes after its work.
#include <cstdio>
#include <hip/hip_runtime.h>

__global__ void twice(int *p) { p[threadIdx.x] *= 2; }

static int total;

__attribute__((noinline)) static void computed(int value)
{
    total += value;
    asm volatile("" ::: "memory");
}

__attribute__((noinline)) static void crash(volatile int *where) { *where = 1; }

int main(int argc, char **)
{
    int *p, v[64];
    hipEvent_t event;
    for (int i = 0; i < 64; i++)
        v[i] = i;
    if (hipMalloc(&p, sizeof v) != hipSuccess || hipMemcpy(p, v, sizeof v, hipMemcpyHostToDevice) != hipSuccess)
        return 2;
    twice<<<1, 64>>>(p);
    if (hipEventCreate(&event) != hipSuccess || hipEventRecord(event, nullptr) != hipSuccess ||
        hipEventSynchronize(event) != hipSuccess || hipMemcpy(v, p, sizeof v, hipMemcpyDeviceToHost) != hipSuccess)
        return 3;
    computed(v[21]);
    if (argc > 1)
        crash(reinterpret_cast<int *>(16l * argc));
    printf("total %d\n", total);
    return total != 42;
}
