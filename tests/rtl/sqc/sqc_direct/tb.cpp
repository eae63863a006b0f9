// SPDX-License-Identifier: Apache-2.0
// The bench of rtl/sqc/sqc.sv on caches of one and two ways. They miss more, so less is answered.
// Not responsible for: the bench itself.
// nightly: yes
// top: sqc
// args: -Irtl/common -GNumSlices=4 -GIKib=1 -GIWays=1 -GKKib=1 -GKWays=2 -GTlbEntries=8 --x-initial unique
// mutate: late[n].way == way) late[n].valid = 1'b0 => late[n].way == way) late[n].valid = late[n].valid
#define ENOUGH 10000
#include "../sqc/tb.cpp"
