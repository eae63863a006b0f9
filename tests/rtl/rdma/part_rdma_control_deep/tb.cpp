// SPDX-License-Identifier: Apache-2.0
// Control messages to an RDMA engine whose queues and entries are RAMs.  Not responsible for: the bench itself (../part_rdma_control).
// top: part_rdma
// opt: -O0
// sources: build/gen/gantry_msg_pkg.sv rtl/common/stream_rules_pkg.sv build/gen/shape_far_deep/gantry_cfg_pkg.sv rtl/common/pick_pkg.sv rtl/common/credit_counter.sv rtl/common/rr_arbiter.sv rtl/common/stream_fifo.sv rtl/common/stream_queue.sv rtl/rdma/rdma_move_pkg.sv rtl/rdma/rdma_counts_pkg.sv rtl/rdma/rdma.sv rtl/common/stream_bounds.sv rtl/control/control_pkg.sv rtl/control/control_agent.sv rtl/tech/ram_1r1w.sv rtl/l2/l2_pkg.sv rtl/l2/l2_tags_pkg.sv rtl/tlb/tlb_pkg.sv rtl/rdma/rdma_cache_pkg.sv rtl/rdma/rdma_cache.sv rtl/rdma/rdma_push.sv rtl/rdma/rdma_store.sv rtl/rdma/rdma_move.sv rtl/rdma/rdma_counts.sv rtl/rdma/rdma_counts_report.sv rtl/gpu/part_rdma.sv
// args: -Wno-UNUSEDPARAM --x-initial unique
// mutate: rtl/rdma/rdma.sv: old_q      <= busy_q; => old_q <= '0;
// mutate: rtl/rdma/rdma.sv: (done_take && !old_q[done_entry]) => (done_take)
#define DEEP
#include "../part_rdma_control/tb.cpp"
