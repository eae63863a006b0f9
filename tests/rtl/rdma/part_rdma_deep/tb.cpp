// SPDX-License-Identifier: Apache-2.0
// The bench of rdma with the queues and entries that links take at their default rates: rows and origins in RAMs, entries that
// come free in another order than they were taken.  Not responsible for: the bench itself.
// top: part_rdma
// opt: -O0
// sources: build/gen/gantry_msg_pkg.sv rtl/common/stream_rules_pkg.sv build/gen/shape_far_deep/gantry_cfg_pkg.sv rtl/common/pick_pkg.sv rtl/common/credit_counter.sv rtl/common/rr_arbiter.sv rtl/common/stream_fifo.sv rtl/common/stream_queue.sv rtl/rdma/rdma_move_pkg.sv rtl/rdma/rdma_counts_pkg.sv rtl/rdma/rdma.sv rtl/common/stream_bounds.sv rtl/control/control_pkg.sv rtl/control/control_agent.sv rtl/tech/ram_1r1w.sv rtl/l2/l2_pkg.sv rtl/l2/l2_tags_pkg.sv rtl/tlb/tlb_pkg.sv rtl/rdma/rdma_cache_pkg.sv rtl/rdma/rdma_cache.sv rtl/rdma/rdma_push.sv rtl/rdma/rdma_store.sv rtl/rdma/rdma_move.sv rtl/rdma/rdma_counts.sv rtl/rdma/rdma_counts_report.sv rtl/gpu/part_rdma.sv
// args: -Wno-UNUSEDPARAM --x-initial unique
// mutate: rtl/rdma/rdma.sv: .re_i(done_load), .raddr_i(entry_t'(done_next.tag)) => .re_i(done_load), .raddr_i(entry_t'(done_head.tag))
// mutate: rtl/common/stream_queue.sv: assign second     = late_valid_q ? late_q : row; => assign second     = row;
// mutate: rtl/common/stream_queue.sv: assign read_next  = pop && count_q > Cw'(1) ? next(read_q) : read_q; => assign read_next  = read_q;
// mutate: rtl/rdma/rdma.sv: mem_req_room && in_free && => mem_req_room &&
#define PART
#define DEEP
#include "../rdma/tb.cpp"
