// SPDX-License-Identifier: Apache-2.0
// Bench of ram_1r1w: random reads and lane writes against an array in C++; a read keeps its value while re_i is low.
// top: ram_1r1w
// args: -GWidth=64 -GDepth=40 -GLanes=8
// mutate: mem[waddr_i][l*LaneW+:LaneW] => mem[raddr_i][l*LaneW+:LaneW]
#include <cstdint>
#include <cstdio>

#include "tests/rtl/case_done.h"
#include "Vram_1r1w.h"

int main()
{
    Vram_1r1w d;
    uint64_t x = 88172645463325252ull, mem[40] = {}, expect = 0;
    auto rng = [&] { return x ^= x << 13, x ^= x >> 7, x ^= x << 17; };
    auto clock = [&] { d.clk_i = 1, d.eval(), d.clk_i = 0, d.eval(); };
    d.clk_i = 0, d.eval(); // the first call sees no edge
    for (unsigned n = 0; n < 100040; n++) {
        d.waddr_i = n < 40 ? n : rng() % 40;
        d.wdata_i = rng();
        d.we_i = n < 40 || rng() % 4 == 0 ? 0xff : rng() % 2 ? rng() & 0xff : 0;
        d.raddr_i = rng() % 40;
        d.re_i = n >= 40 && rng() & 1 && d.raddr_i != d.waddr_i;
        if (d.re_i)
            expect = mem[d.raddr_i];
        for (unsigned l = 0; l < 8; l++)
            if (d.we_i >> l & 1)
                mem[d.waddr_i] = (mem[d.waddr_i] & ~(0xffull << 8 * l)) | (d.wdata_i & 0xffull << 8 * l);
        bool known = expect != 0 || d.re_i;
        clock();
        if (known && d.rdata_o != expect) {
            std::printf("cycle %u: read %llx, expected %llx\n", n, (unsigned long long)d.rdata_o, (unsigned long long)expect);
            return 1;
        }
    }
    case_done("random against an array");
    return 0;
}
