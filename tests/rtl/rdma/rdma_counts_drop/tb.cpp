// SPDX-License-Identifier: Apache-2.0
// As rdma_counts, with entries that are dropped: losses are counted, saturate and are cleared; nothing waits.
// top: counts_top
// opt: -O0
// own: tests/rtl/rdma/rdma_counts/counts_top.sv
// args: -Irtl/common -GDrop=1 --x-initial unique
// mutate: lost_q         <= drops ? 16'(taken_total) : '0; => lost_q         <= lost_q;
// mutate: plus_saturating(lost_q, 16'(taken_total)) => lost_q + 16'(taken_total)
// mutate: plus_saturating(lost_q, 16'(taken_total)) => plus_saturating(lost_q, 16'd1)
#define DROP 1
#include "tests/rtl/rdma/rdma_counts/tb.cpp"
