// SPDX-License-Identifier: Apache-2.0
// Three stages over several streams, tied by events: each chunk is copied in, worked on twice and copied out on its own
// stream, and a last kernel waits for the events of all streams.
#include <vector>

#include "check.h"

constexpr unsigned Streams = 3;

__global__ void stage_scale(uint32_t *data, unsigned n, uint32_t factor)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] *= factor;
}

__global__ void stage_offset(uint32_t *data, unsigned n, uint32_t offset)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] += offset;
}

__global__ void stage_join(const uint32_t *data, uint32_t *sum, unsigned n, unsigned chunks)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uint32_t total = 0;
    for (unsigned c = 0; c < chunks; c++)
        total += data[c * n + i];
    sum[i] = total;
}

int main(int argc, char **argv)
{
    const unsigned n = size_argument(argc, argv, 500);
    uint32_t seed = seed_argument(argc, argv);
    std::vector<uint32_t> in(n * Streams), out(n);
    for (auto &v : in)
        v = random_next(seed);
    uint32_t *data, *sum;
    hipStream_t stream[Streams];
    hipEvent_t begin, ready[Streams];
    HIP_OK(hipMalloc(&data, in.size() * 4));
    HIP_OK(hipMalloc(&sum, n * 4));
    HIP_OK(hipEventCreate(&begin));
    for (unsigned s = 0; s < Streams; s++) {
        HIP_OK(hipStreamCreate(&stream[s]));
        HIP_OK(hipEventCreate(&ready[s]));
    }
    HIP_OK(hipEventRecord(begin, stream[0]));
    for (unsigned s = 0; s < Streams; s++) {
        uint32_t *chunk = data + s * n;
        HIP_OK(hipMemcpyAsync(chunk, in.data() + s * n, n * 4, hipMemcpyHostToDevice, stream[s]));
        stage_scale<<<(n + 127) / 128, 128, 0, stream[s]>>>(chunk, n, s + 3);
        stage_offset<<<(n + 127) / 128, 128, 0, stream[s]>>>(chunk, n, s * 1000);
        HIP_OK(hipEventRecord(ready[s], stream[s]));
    }
    for (unsigned s = 1; s < Streams; s++)
        HIP_OK(hipStreamWaitEvent(stream[0], ready[s], 0));
    stage_join<<<(n + 127) / 128, 128, 0, stream[0]>>>(data, sum, n, Streams);
    HIP_OK(hipMemcpyAsync(out.data(), sum, n * 4, hipMemcpyDeviceToHost, stream[0]));
    HIP_OK(hipStreamSynchronize(stream[0]));
    float ms = -1;
    HIP_OK(hipEventElapsedTime(&ms, begin, ready[0]));
    unsigned wrong = ms < 0;
    for (unsigned i = 0; i < n; i++) {
        uint32_t total = 0;
        for (unsigned s = 0; s < Streams; s++)
            total += in[s * n + i] * (s + 3) + s * 1000;
        wrong += out[i] != total;
    }
    for (unsigned s = 0; s < Streams; s++)
        HIP_OK(hipStreamDestroy(stream[s]));
    return verdict("pipeline", wrong, n);
}
