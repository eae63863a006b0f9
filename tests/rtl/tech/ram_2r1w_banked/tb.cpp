// SPDX-License-Identifier: Apache-2.0
// Bench of ram_2r1w_banked: random writes by lane and reads on both ports of all banks against an array in C++.
// top: ram_2r1w_banked
// args: -GLanes=2 -GDepth=48
// mutate: if (re1_i[b]) word1[b] => if (re0_i[b] || re1_i[b]) word1[b]
#include <cstdint>
#include <cstdio>

#include "tests/rtl/case_done.h"
#include "Vram_2r1w_banked.h"

int main()
{
    constexpr unsigned Depth = 48;
    Vram_2r1w_banked d;
    uint64_t x = 88172645463325252ull;
    uint64_t mem[4][Depth] = {}, expect[2][4] = {};
    bool known[2][4] = {};
    auto rng = [&] { return x ^= x << 13, x ^= x >> 7, x ^= x << 17; };
    d.clk_i = 0, d.eval(); // the first call sees no edge
    for (unsigned n = 0; n < 100000 + Depth; n++) {
        bool fill = n < Depth;
        d.en_i = fill || rng() % 4;
        d.we_i = fill ? 255 : rng() & rng() & 255;
        d.re0_i = fill ? 0 : rng() & 15, d.re1_i = fill ? 0 : rng() & 15;
        d.waddr_i = d.raddr0_i = d.raddr1_i = 0;
        for (unsigned b = 0; b < 4; b++) {
            unsigned to = fill ? n : rng() % Depth, from[2] = {static_cast<unsigned>(rng() % Depth), static_cast<unsigned>(rng() % Depth)};
            for (unsigned &row : from)
                row = row == to ? (row + 1) % Depth : row;
            d.waddr_i |= to << 6 * b, d.raddr0_i |= from[0] << 6 * b, d.raddr1_i |= from[1] << 6 * b;
            d.wdata_i[b] = rng();
            if (!d.en_i)
                continue;
            if (d.re0_i >> b & 1)
                expect[0][b] = mem[b][from[0]], known[0][b] = true;
            if (d.re1_i >> b & 1)
                expect[1][b] = mem[b][from[1]], known[1][b] = true;
            uint64_t mask = (d.we_i >> 2 * b & 1 ? 0xFFFFFFFFull : 0) | (d.we_i >> 2 * b & 2 ? 0xFFFFFFFFull << 32 : 0);
            mem[b][to] = (mem[b][to] & ~mask) | (d.wdata_i[b] & mask);
        }
        d.clk_i = 1, d.eval(), d.clk_i = 0, d.eval();
        for (unsigned b = 0; b < 4; b++)
            if ((known[0][b] && d.rdata0_o[b] != expect[0][b]) || (known[1][b] && d.rdata1_o[b] != expect[1][b])) {
                std::printf("cycle %u: bank %u read %llx %llx, expected %llx %llx\n", n, b, (unsigned long long)d.rdata0_o[b],
                    (unsigned long long)d.rdata1_o[b], (unsigned long long)expect[0][b], (unsigned long long)expect[1][b]);
                return 1;
            }
    }
    case_done("random against an array");
    return 0;
}
