// SPDX-License-Identifier: Apache-2.0
// The C++ part: memory and the verdict.
#include <cstdio>
#include <vector>

#include "three.h"
int main()
{
    std::vector<float> host(500);
    float *p;
    int wrong = 0;
    for (size_t i = 0; i < host.size(); i++)
        host[i] = (float)i;
    if (cudaMalloc(&p, host.size() * sizeof(float)) || to_device(p, host.data(), host.size()) ||
        squares(p, (int)host.size()) || cudaMemcpy(host.data(), p, host.size() * sizeof(float), cudaMemcpyDeviceToHost))
        wrong++;
    for (size_t i = 0; i < host.size(); i++)
        wrong += host[i] != (float)i * (float)i;
    printf("three_files: %s (%d wrong)\n", wrong ? "FAILED" : "PASSED", wrong);
    return wrong != 0;
}
