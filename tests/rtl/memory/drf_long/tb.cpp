// SPDX-License-Identifier: Apache-2.0
// The random tester of the memory path for a million episodes, in runs of 20,000 with seeds of their own, so that a failure is
// found again quickly.  Not responsible for: the tester itself.
// nightly: yes
// opt: -O3
// lib: yes
// cflags: -Ihost -Ibuild/gen
// top: drf_top
// sources: tests/rtl/memory/drf/ports.vlt build/gen/gantry_msg_pkg.sv rtl/common/stream_rules_pkg.sv build/gen/shape_drf/gantry_cfg_pkg.sv rtl/cu/cu_pkg.sv rtl/cu/cu_vmem_pkg.sv rtl/tlb/tlb_pkg.sv rtl/cu/cu_vmem_xlat_pkg.sv rtl/l1/l1v_pkg.sv rtl/common/pick_pkg.sv rtl/control/control_pkg.sv rtl/control/control_agent.sv rtl/l2/l2_pkg.sv rtl/l2/l2_choose_pkg.sv rtl/l2/l2_tags_pkg.sv rtl/l2/l2_mshr_pkg.sv rtl/l2/l2_data_pkg.sv rtl/l2/l2_miss_pkg.sv rtl/l2/l2_answer_pkg.sv rtl/l2/l2_flush_pkg.sv rtl/tlb/utcl2_choose_pkg.sv rtl/tlb/utcl2_tags_pkg.sv rtl/tlb/utcl2_misses_pkg.sv rtl/tlb/utcl2_withheld_pkg.sv rtl/tlb/utcl2_answers_pkg.sv rtl/tlb/utcl2_walks_pkg.sv rtl/dram/dram_pkg.sv rtl/dram/dram_bank_pkg.sv rtl/dram/dram_choose_pkg.sv rtl/dram/dram_refresh_pkg.sv rtl/common/latency_floor.sv rtl/common/credit_counter.sv rtl/common/stream_fifo.sv rtl/common/stream_queue.sv rtl/common/stream_bounds.sv rtl/common/rr_arbiter.sv rtl/tech/ram_1r1w.sv rtl/cu/cu_vmem_slots.sv rtl/cu/cu_vmem_coalesce.sv rtl/cu/cu_vmem_request.sv rtl/cu/cu_vmem_return.sv rtl/cu/cu_vmem_writeback.sv rtl/cu/cu_vmem_parts.sv rtl/cu/cu_vmem_coalesce_narrow.sv rtl/cu/cu_vmem_request_narrow.sv rtl/cu/cu_vmem_return_narrow.sv rtl/cu/cu_vmem_pipe.sv rtl/l1/l1v.sv rtl/tlb/tlb_l1.sv rtl/cu/cu_vmem.sv rtl/l1/sqc_queue_pkg.sv rtl/l1/sqc_entries_pkg.sv rtl/l1/sqc_data_pkg.sv rtl/l1/sqc_cache.sv rtl/l1/sqc.sv rtl/gpu/part_sqc.sv rtl/noc/noc_xbar.sv rtl/noc/noc_meter_pkg.sv rtl/noc/noc_meter.sv rtl/gpu/part_noc.sv rtl/dram/dram_checker.sv rtl/dram/dram_channel.sv rtl/l2/l2_slice.sv rtl/gpu/part_l2.sv rtl/tlb/utcl2_store.sv rtl/tlb/utcl2_tlb.sv rtl/tlb/utcl2_walker.sv rtl/gpu/part_utcl2.sv rtl/rdma/rdma_move_pkg.sv rtl/rdma/rdma_counts_pkg.sv rtl/rdma/rdma.sv rtl/rdma/rdma_cache_pkg.sv rtl/rdma/rdma_cache.sv rtl/rdma/rdma_push.sv rtl/rdma/rdma_store.sv rtl/rdma/rdma_move.sv rtl/rdma/rdma_counts.sv rtl/rdma/rdma_counts_report.sv rtl/gpu/part_rdma.sv tests/rtl/memory/drf/drf_top.sv
// args: -Wno-UNUSEDPARAM -Wno-UNUSEDSIGNAL --x-initial unique --x-assign unique -fno-dfg
// run: runs=50 seed=100001 other=2000
// limit: 14400
#include "../drf/tb.cpp"
