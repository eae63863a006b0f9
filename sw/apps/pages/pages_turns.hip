// SPDX-License-Identifier: Apache-2.0
// Memory of GPU 0 that GPUs use one after the other (make migration).
//   reuse SIZE ROUNDS     GPU 0 initialises SIZE KiB (rounded down to a power of two), GPU 1 reads all of it ROUNDS
//   times in one kernel writers SIZE ROUNDS   GPUs add to all SIZE KiB in turn, a kernel each, ROUNDS kernels pipeline
//   SIZE ROUNDS  each of four blocks of SIZE KiB goes through all GPUs: ROUNDS kernels on one, then on the next
#include "share.h"

constexpr unsigned Blocks = 4;
constexpr uint32_t Step =
    67 * Group; // words between the places of a work-item in two passes: no CU reads a line twice soon

__global__ void use(uint32_t *sums, const uint32_t *from, uint32_t words, uint32_t times)
{
    uint32_t id = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    for (uint32_t n = 0; n < times; n++)
        for (uint32_t i = id; i < words; i += gridDim.x * blockDim.x)
            sum += from[(i + n * Step) & (words - 1)] ^ n;
    sums[id] = sum;
}

__global__ void work(uint32_t *block, uint32_t words, uint32_t with)
{
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += gridDim.x * blockDim.x)
        block[i] = block[i] * 3 + with;
}

static int reuse(const Machine &m)
{
    uint32_t words = Group;
    while (words * 2 <= m.size * 256)
        words *= 2;
    const unsigned groups = groups_for(words);
    uint32_t *from = m.input(words), *sums = m.words(m.gpus > 1, groups * Group);
    m.on(m.gpus > 1, [&] { use<<<groups, Group>>>(sums, from, words, m.rounds); });
    std::vector<uint32_t> wanted(groups * Group);
    for (uint32_t id = 0; id < wanted.size(); id++)
        for (uint32_t n = 0; n < m.rounds; n++)
            for (uint32_t i = id; i < words; i += groups * Group)
                wanted[id] += mixed((i + n * Step) & (words - 1)) ^ n;
    return verdict("reuse", different(m.output(sums, wanted.size()), wanted), groups * Group);
}

static int writers(const Machine &m)
{
    const uint32_t words = m.size * 256;
    uint32_t *block = m.input(words);
    std::vector<uint32_t> wanted = mixed_words(words);
    for (unsigned n = 0; n < m.rounds; n++) {
        m.on(static_cast<int>((n + 1) % m.gpus), [&] { work<<<groups_for(words), Group>>>(block, words, n); });
        for (uint32_t &word : wanted)
            word = word * 3 + n;
    }
    return verdict("writers", different(m.output(block, words), wanted), words);
}

static int pipeline(const Machine &m)
{
    const uint32_t words = m.size * 256;
    uint32_t *all = m.input(Blocks * words);
    std::vector<uint32_t> wanted = mixed_words(Blocks * words);
    const int steps = static_cast<int>(Blocks) + m.gpus - 1;
    for (int step = 0; step < steps; step++)
        m.each([&](int gpu) {
            const int block = step - gpu;
            for (unsigned n = 0; block >= 0 && block < static_cast<int>(Blocks) && n < m.rounds; n++)
                work<<<groups_for(words), Group>>>(all + block * words, words, gpu * m.rounds + n);
        });
    for (uint32_t &word : wanted)
        for (uint32_t n = 0; n < m.gpus * m.rounds; n++)
            word = word * 3 + n;
    return verdict("pipeline", different(m.output(all, Blocks * words), wanted), Blocks * words);
}

int main(int argc, char **argv)
{
    const Machine m(argc, argv, 16, 4);
    return m.is("reuse")      ? reuse(m)
           : m.is("writers")  ? writers(m)
           : m.is("pipeline") ? pipeline(m)
                              : unknown(argv[0], "reuse, writers, pipeline");
}
