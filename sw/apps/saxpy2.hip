// SPDX-License-Identifier: Apache-2.0
// a*x + y on all devices (at most two) at once, each driven by a host thread of its own.
#include <thread>
#include <vector>

#include "check.h"

__global__ void saxpy(float a, const float *x, float *y, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

static void device_work(int device, unsigned n, uint32_t seed, unsigned *wrong)
{
    const float a = static_cast<float>(device + 2);
    std::vector<float> x(n), y(n), out(n);
    for (unsigned i = 0; i < n; i++) {
        x[i] = static_cast<float>(random_next(seed) % 1000);
        y[i] = static_cast<float>(i % 100);
    }
    float *dx, *dy;
    HIP_OK(hipSetDevice(device));
    HIP_OK(hipMalloc(&dx, n * sizeof(float)));
    HIP_OK(hipMalloc(&dy, n * sizeof(float)));
    HIP_OK(hipMemcpy(dx, x.data(), n * sizeof(float), hipMemcpyHostToDevice));
    HIP_OK(hipMemcpy(dy, y.data(), n * sizeof(float), hipMemcpyHostToDevice));
    saxpy<<<(n + 255) / 256, 256>>>(a, dx, dy, n);
    HIP_OK(hipGetLastError());
    HIP_OK(hipMemcpy(out.data(), dy, n * sizeof(float), hipMemcpyDeviceToHost));
    for (unsigned i = 0; i < n; i++)
        *wrong += out[i] != a * x[i] + y[i];
}

int main(int argc, char **argv)
{
    const unsigned n = size_argument(argc, argv, 1000);
    const uint32_t seed = seed_argument(argc, argv);
    int devices = 0;
    HIP_OK(hipGetDeviceCount(&devices));
    if (devices > 2)
        devices = 2;
    unsigned wrong[2] = {0, 0};
    std::vector<std::thread> threads;
    for (int d = 0; d < devices; d++)
        threads.emplace_back(device_work, d, n, seed + static_cast<uint32_t>(d), &wrong[d]);
    for (auto &t : threads)
        t.join();
    return verdict("saxpy2", wrong[0] + wrong[1], n * static_cast<unsigned>(devices));
}
