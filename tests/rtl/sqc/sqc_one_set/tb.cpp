// SPDX-License-Identifier: Apache-2.0
// The bench of rtl/sqc/sqc.sv on caches of one set and the smallest TLBs. They miss more, so less is answered.
// Not responsible for: the bench itself.
// nightly: yes
// top: sqc
// args: -Irtl/common -GNumSlices=4 -GIKib=1 -GIWays=16 -GKKib=1 -GKWays=16 -GTlbEntries=4 --x-initial unique
// mutate: f.free[e] = 1'b1; => f.free[e] = e != 4'd15;
#define ENOUGH 10000
#include "../sqc/tb.cpp"
