// SPDX-License-Identifier: Apache-2.0
// Bench of ram_2r1w: random writes and reads on both ports against an array in C++.
// top: ram_2r1w
// mutate: if (re1_i) out1_q[0] => if (re0_i || re1_i) out1_q[0]
#include <cstdint>
#include <cstdio>

#include "tests/rtl/case_done.h"
#include "Vram_2r1w.h"

int main()
{
    Vram_2r1w d;
    uint64_t x = 88172645463325252ull;
    uint32_t mem[64] = {}, expect[2] = {};
    bool known[2] = {};
    auto rng = [&] { return x ^= x << 13, x ^= x >> 7, x ^= x << 17; };
    d.clk_i = 0, d.eval(); // the first call sees no edge
    for (unsigned n = 0; n < 100064; n++) {
        d.waddr_i = n < 64 ? n : rng() % 64;
        d.wdata_i = static_cast<uint32_t>(rng());
        d.we_i = n < 64 || rng() & 1;
        d.raddr0_i = rng() % 64, d.raddr1_i = rng() % 64;
        d.re0_i = n >= 64 && rng() & 1 && d.raddr0_i != d.waddr_i;
        d.re1_i = n >= 64 && rng() & 1 && d.raddr1_i != d.waddr_i;
        if (d.re0_i)
            expect[0] = mem[d.raddr0_i], known[0] = true;
        if (d.re1_i)
            expect[1] = mem[d.raddr1_i], known[1] = true;
        if (d.we_i)
            mem[d.waddr_i] = d.wdata_i;
        d.clk_i = 1, d.eval(), d.clk_i = 0, d.eval();
        if ((known[0] && d.rdata0_o != expect[0]) || (known[1] && d.rdata1_o != expect[1])) {
            std::printf("cycle %u: read %x %x, expected %x %x\n", n, d.rdata0_o, d.rdata1_o, expect[0], expect[1]);
            return 1;
        }
    }
    case_done("random against an array");
    return 0;
}
