// SPDX-License-Identifier: Apache-2.0
// Vector addition: the smallest whole program (copies in, kernel with a partial last group, copy out).  A third
// argument names a byte of the first input whose lowest bit is the other one.
#include <vector>

#include "check.h"

__global__ void vector_add(const int *a, const int *b, int *c, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

int main(int argc, char **argv)
{
    const unsigned n = size_argument(argc, argv, 1000);
    uint32_t seed = seed_argument(argc, argv);
    std::vector<int> a(n), b(n), c(n, -1);
    for (unsigned i = 0; i < n; i++) {
        a[i] = static_cast<int>(random_next(seed));
        b[i] = static_cast<int>(i);
    }
    if (argc > 3)
        reinterpret_cast<unsigned char *>(a.data())[std::strtoul(argv[3], nullptr, 0) % (n * sizeof(int))] ^= 1;
    int *da, *db, *dc;
    HIP_OK(hipMalloc(&da, n * sizeof(int)));
    HIP_OK(hipMalloc(&db, n * sizeof(int)));
    HIP_OK(hipMalloc(&dc, n * sizeof(int)));
    HIP_OK(hipMemcpy(da, a.data(), n * sizeof(int), hipMemcpyHostToDevice));
    HIP_OK(hipMemcpy(db, b.data(), n * sizeof(int), hipMemcpyHostToDevice));
    vector_add<<<(n + 255) / 256, 256>>>(da, db, dc, n);
    HIP_OK(hipGetLastError());
    HIP_OK(hipMemcpy(c.data(), dc, n * sizeof(int), hipMemcpyDeviceToHost));
    unsigned wrong = 0;
    for (unsigned i = 0; i < n; i++)
        wrong += c[i] != static_cast<int>(static_cast<uint32_t>(a[i]) + static_cast<uint32_t>(b[i]));
    HIP_OK(hipFree(da));
    HIP_OK(hipFree(db));
    HIP_OK(hipFree(dc));
    return verdict("vecadd", wrong, n);
}
