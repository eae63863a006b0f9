// SPDX-License-Identifier: Apache-2.0
// The bench of part_utcl2 with the shortest queues of requests and answers (gpu.noc.target_queue: 2).  Not responsible
// for: the bench itself.
// nightly: yes
// top: part_utcl2
// opt: -O0
// args: -Wno-UNUSEDPARAM -Wno-UNUSEDSIGNAL -GDepth=2 -GReqDepth=16 --x-initial unique
// mutate: RspDepth > 2 ? RspDepth - 2 : 1 => RspDepth - 2
#define DEPTH 2
#include "../part_utcl2/tb.cpp"
