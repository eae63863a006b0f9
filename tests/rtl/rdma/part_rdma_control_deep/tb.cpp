// SPDX-License-Identifier: Apache-2.0
// Control messages to an RDMA engine whose queues and entries are RAMs.  Not responsible for: the bench itself (../part_rdma_control).
// top: part_rdma
// opt: -O0
// constants: shape_far_deep
// args: -Wno-UNUSEDPARAM --x-initial unique
// mutate: old_q      <= busy_q; => old_q <= '0;
// mutate: (done_take && !old_q[done_entry]) => (done_take)
#define DEEP
#include "../part_rdma_control/tb.cpp"
