// SPDX-License-Identifier: Apache-2.0
// One kernel, timed as benchmarks do: by gettimeofday, clock, omp_get_wtime's clock, the samples' stop watch and events.  Prints "NAME NS".
#include <cstdio>
#include <ctime>

#include <helper_cuda.h>
#include <helper_timer.h>
#include <sys/time.h>

__global__ void work(unsigned *out, unsigned rounds)
{
    unsigned x = threadIdx.x;
    for (unsigned r = 0; r < rounds; r++)
        x = x * 1664525u + 1013904223u;
    out[threadIdx.x] = x;
}

static double seconds()
{
    timeval t;
    gettimeofday(&t, nullptr);
    return t.tv_sec + t.tv_usec * 1e-6;
}

int main()
{
    unsigned *out;
    cudaEvent_t begin, end;
    float ms;
    StopWatchInterface *watch = nullptr;
    checkCudaErrors(cudaMalloc(&out, 256));
    checkCudaErrors(cudaEventCreate(&begin));
    checkCudaErrors(cudaEventCreate(&end));
    sdkCreateTimer(&watch);
    work<<<1, 64>>>(out, 100);
    checkCudaErrors(cudaDeviceSynchronize());

    timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    const double first = seconds();
    const clock_t ticks = clock();
    sdkStartTimer(&watch);
    checkCudaErrors(cudaEventRecord(begin));
    work<<<1, 64>>>(out, 50000);
    checkCudaErrors(cudaEventRecord(end));
    checkCudaErrors(cudaDeviceSynchronize());
    sdkStopTimer(&watch);
    const clock_t ticks_end = clock();
    const double last = seconds();
    clock_gettime(CLOCK_MONOTONIC, &to);
    checkCudaErrors(cudaEventElapsedTime(&ms, begin, end));
    std::printf("gettimeofday %.0f\nclock %.0f\nmonotonic %.0f\nwatch %.0f\nevents %.0f\n", (last - first) * 1e9, (double)(ticks_end - ticks) * 1e9 / CLOCKS_PER_SEC,
                (to.tv_sec - from.tv_sec) * 1e9 + (to.tv_nsec - from.tv_nsec), sdkGetTimerValue(&watch) * 1e6, ms * 1e6);
    return 0;
}
