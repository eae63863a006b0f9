// SPDX-License-Identifier: Apache-2.0
// The bench of the front end on the form that synthesis sees: each instruction decoded, a
// memory a bank.  Not responsible for: the bench itself.
// top: cu
// opt: -O0
// nightly: yes
// lib: yes
// args: -Wno-UNUSEDPARAM -Wno-UNUSEDSIGNAL -DSYNTHESIS --x-initial unique --x-assign unique
// sources: build/gen/gantry_msg_pkg.sv build/gen/gantry_cfg_pkg.sv build/gen/gcn3_pkg.sv rtl/common/pick_pkg.sv rtl/tlb/tlb_pkg.sv rtl/common/latency_floor.sv rtl/cu/cu_pkg.sv rtl/cu/cu_front_pkg.sv rtl/cu/cu_head_pkg.sv rtl/cu/cu_decode_pkg.sv rtl/cu/cu_operand_pkg.sv rtl/cu/salu_pkg.sv rtl/tech/ram_1r1w.sv rtl/tech/ram_2r1w.sv rtl/tech/ram_2r1w_banked.sv rtl/tech/ram_banked.sv rtl/lds/lds_fadd_pkg.sv rtl/lds/lds_atomic_pkg.sv rtl/lds/lds_pkg.sv rtl/lds/lds_collect.sv rtl/lds/lds_step_pkg.sv rtl/lds/lds_serial.sv rtl/lds/lds_execute.sv rtl/lds/lds_writeback.sv rtl/lds/lds_unit.sv rtl/cu/issue_queue.sv rtl/cu/cu_smem_pc.sv rtl/cu/cu_fill.sv rtl/cu/cu_fetch.sv rtl/cu/cu_issue.sv rtl/cu/cu_scalar.sv rtl/cu/cu_sgpr.sv rtl/cu/cu_perf.sv rtl/cu/cu_front.sv rtl/cu/cu.sv tests/rtl/cu/front/cu_simd.sv tests/rtl/cu/front/cu_vmem.sv
#include "../front/tb.cpp"
