// SPDX-License-Identifier: Apache-2.0
// The bench of rdma on the partition's top with three GPUs and 16 credits a far channel: ports, strap,
// credits and counters.  Not responsible for: the bench itself.
// top: part_rdma
// opt: -O0
// sources: build/gen/gantry_msg_pkg.sv rtl/common/stream_rules_pkg.sv build/gen/shape_far/gantry_cfg_pkg.sv rtl/common/pick_pkg.sv rtl/common/credit_counter.sv rtl/common/rr_arbiter.sv rtl/common/stream_fifo.sv rtl/common/stream_queue.sv rtl/rdma/rdma_move_pkg.sv rtl/rdma/rdma_counts_pkg.sv rtl/rdma/rdma.sv rtl/common/stream_bounds.sv rtl/control/control_pkg.sv rtl/control/control_agent.sv rtl/tech/ram_1r1w.sv rtl/l2/l2_pkg.sv rtl/l2/l2_tags_pkg.sv rtl/tlb/tlb_pkg.sv rtl/rdma/rdma_cache_pkg.sv rtl/rdma/rdma_cache.sv rtl/rdma/rdma_push.sv rtl/rdma/rdma_store.sv rtl/rdma/rdma_move.sv rtl/rdma/rdma_counts.sv rtl/rdma/rdma_counts_report.sv rtl/gpu/part_rdma.sv
// args: -Wno-UNUSEDPARAM --x-initial unique
// mutate: rtl/gpu/part_rdma.sv: in_read_q + 64'(count[2]) => in_read_q + 64'(count[3])
#define PART
#include "../rdma/tb.cpp"
