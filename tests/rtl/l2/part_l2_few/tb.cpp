// SPDX-License-Identifier: Apache-2.0
// Traffic of part_l2 on a slice of 32 sets of two ways with four misses under way and four DRAM channels: requests wait for a way, for a miss and for fills most of the time.
// Not responsible for: the traffic itself and what it is held against (../part_l2/bench.h).
// nightly: yes
// top: part_l2
// args: -Wno-UNUSEDPARAM -GDepth=16 -GKib=4 -GWays=2 -GMshrs=4 -GChannels=4 --x-initial unique
// mutate: mshrs_free > 9'(ahead) => mshrs_free != 9'd0 || ahead
#include "../part_l2/bench.h"

int main()
{
    Verilated::randReset(2);
    start();
    traffic("few lines", 4000, 8, 0, 256);
    traffic("of few sets", 8000, 48, 0, 256);
    traffic("conflicts", 6000, 4096, 0, 256);
    traffic("slow answers", 3000, 600, 0, 30);
    traffic("sparse", 1000, 4096, 12, 256);
    case_done("traffic with little room", "S1.2");
    host_writes();
    case_done("host writes");
    return bench_end("part_l2_few");
}
