// SPDX-License-Identifier: Apache-2.0
// Control messages to the RDMA engine in requester mode, where requests and answers pass the cache of far lines: what it holds, drains
// and drops with the engine.  Not responsible for: the bench itself (../part_rdma_control), lines that are kept (../rdma_cache).
// top: part_rdma
// opt: -O0
// sources: build/gen/gantry_msg_pkg.sv rtl/common/stream_rules_pkg.sv build/gen/shape_requester/gantry_cfg_pkg.sv rtl/common/pick_pkg.sv rtl/common/credit_counter.sv rtl/common/rr_arbiter.sv rtl/common/stream_fifo.sv rtl/common/stream_queue.sv rtl/rdma/rdma_move_pkg.sv rtl/rdma/rdma_counts_pkg.sv rtl/rdma/rdma.sv rtl/common/stream_bounds.sv rtl/control/control_pkg.sv rtl/control/control_agent.sv rtl/tech/ram_1r1w.sv rtl/l2/l2_pkg.sv rtl/l2/l2_tags_pkg.sv rtl/tlb/tlb_pkg.sv rtl/rdma/rdma_cache_pkg.sv rtl/rdma/rdma_cache.sv rtl/rdma/rdma_push.sv rtl/rdma/rdma_store.sv rtl/rdma/rdma_move.sv rtl/rdma/rdma_counts.sv rtl/rdma/rdma_counts_report.sv rtl/gpu/part_rdma.sv
// args: -Wno-UNUSEDPARAM --x-initial unique
// mutate: rtl/gpu/part_rdma.sv: assign drained        = engine_drained && cache_rests; => assign drained = engine_drained;
// mutate: rtl/gpu/part_rdma.sv: discard_q <= rst_ni && discard; => discard_q <= 1'b0 && discard;
// mutate: rtl/gpu/part_rdma.sv: .hold_take_i(hold_take), .hold_all_i(hold_all), .rests_o(cache_rests), => .hold_take_i(1'b0), .hold_all_i(hold_all), .rests_o(cache_rests),
// mutate: rtl/rdma/rdma_cache.sv: if (!hold_all_i) begin => if (1'b1) begin
// mutate: rtl/rdma/rdma_cache.sv: (dropping_q && req_valid) => 1'b0
// mutate: rtl/rdma/rdma_cache.sv: !stages && !far_rsp_valid_i && => !stages &&
#define REQUESTER
#include "../part_rdma_control/tb.cpp"
