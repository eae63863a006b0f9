// SPDX-License-Identifier: Apache-2.0
// Bench of test_cells.py: random reads and writes of memories, each as RTL and as routed netlist, whose outputs `bench` compares.
// Words: how many cycles.  Prints for each memory how many reads were compared; 1 at the first difference.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "Vbench.h"

int main(int argc, char **argv)
{
    Vbench d;
    uint64_t x = 88172645463325252ull;
    auto rng = [&] { return x ^= x << 13, x ^= x >> 7, x ^= x << 17; };
    const unsigned long cycles = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 0;
    std::vector<unsigned long> compared(32);
    d.clk_i = 0, d.eval();
    for (unsigned long n = 0; n < cycles; n++) {
        for (unsigned w = 0; w < sizeof d.random_i / 4; w++)
            d.random_i[w] = static_cast<uint32_t>(rng() >> 16);
        d.clk_i = 1, d.eval();
        d.clk_i = 0, d.eval();
        for (unsigned k = 0; k < 32; k++)
            compared[k] += d.compared_o >> k & 1;
        if (d.wrong_o) {
            std::printf("cycle %lu: memories %x differ\n", n, d.wrong_o);
            return 1;
        }
    }
    for (const unsigned long n : compared)
        if (n)
            std::printf("%lu ", n);
    std::printf("reads compared\n");
    return 0;
}
