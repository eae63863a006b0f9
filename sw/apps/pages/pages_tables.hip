// SPDX-License-Identifier: Apache-2.0
// Tables in GPU 0's memory in which all GPUs look at random places (make migration).
//   table SIZE ROUNDS  ROUNDS lookups of each work-item in SIZE KiB (a power of two): each GPU uses all pages, again
//   and again join SIZE ROUNDS   a hash join: a table of SIZE KiB, twice as many places as rows; each work-item probes
//   for ROUNDS keys, so that a line is
//                      hardly ever used twice
#include "share.h"

constexpr uint32_t Items = 8192,
                   Spread = 0x9e3779b1; // work-items of a GPU at most; odd, so that no two keys have one place
constexpr uint32_t Empty = 0xffffffff;

__global__ void look(uint32_t *sums, const uint32_t *table, uint32_t words, uint32_t times, uint32_t from)
{
    const uint32_t id = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t sum = 0;
    for (uint32_t n = 0; n < times; n++)
        sum += table[mixed(from + id * times + n) & (words - 1)];
    sums[id] = sum;
}

__global__ void fill_rows(uint2 *table, uint32_t places)
{
    for (uint32_t key = blockIdx.x * blockDim.x + threadIdx.x; key < places; key += gridDim.x * blockDim.x)
        table[(key * Spread) & (places - 1)] = key % 2 ? make_uint2(Empty, 0) : make_uint2(key, mixed(key));
}

__global__ void probe(uint32_t *sums, const uint2 *table, uint32_t places, uint32_t times, uint32_t from)
{
    const uint32_t id = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t sum = 0;
    for (uint32_t n = 0; n < times; n++) {
        const uint32_t key = mixed(from + id * times + n) & (places - 1);
        const uint2 row = table[(key * Spread) & (places - 1)];
        sum += row.x == key ? row.y : 1;
    }
    sums[id] = sum;
}

static uint32_t power_of_two(uint32_t n)
{
    uint32_t power = 1;
    while (power <= n / 2)
        power *= 2;
    return power;
}

int main(int argc, char **argv)
{
    const Machine m(argc, argv, 16, 4);
    const bool join = m.is("join");
    if (!join && !m.is("table"))
        return unknown(argv[0], "table, join");
    const uint32_t words = power_of_two(m.size * 256), places = words / 2, items = words < Items ? words : Items;
    uint32_t *table = join ? m.words(0, words) : m.input(words);
    if (join)
        m.on(0, [&] { fill_rows<<<groups_for(places), Group>>>(reinterpret_cast<uint2 *>(table), places); });
    std::vector<uint32_t *> sums(m.gpus);
    for (int gpu = 0; gpu < m.gpus; gpu++)
        sums[gpu] = m.words(gpu, items);
    m.each([&](int gpu) {
        if (join)
            probe<<<items / Group, Group>>>(sums[gpu], reinterpret_cast<uint2 *>(table), places, m.rounds,
                                            gpu * items * m.rounds);
        else
            look<<<items / Group, Group>>>(sums[gpu], table, words, m.rounds, gpu * items * m.rounds);
    });
    unsigned wrong = 0;
    for (int gpu = 0; gpu < m.gpus; gpu++) {
        std::vector<uint32_t> wanted(items);
        for (uint32_t n = 0; n < items * m.rounds; n++) {
            const uint32_t drawn = mixed(gpu * items * m.rounds + n), key = drawn & (places - 1);
            wanted[n / m.rounds] += !join ? mixed(drawn & (words - 1)) : key % 2 ? 1 : mixed(key);
        }
        wrong += different(m.output(sums[gpu], items), wanted);
    }
    return verdict(m.kind, wrong, items * m.gpus);
}
