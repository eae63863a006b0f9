// SPDX-License-Identifier: Apache-2.0
// The stages of a SIMD (simd_stage_*.svh) and what they do to a row of 16 lanes (simd_rows_*.svh).  The functions have
// one text and two homes.  In simulation they live here with the registers as `ref` arguments, not inlined, hence once
// for all SIMDs of a model: a host core's instruction cache holds one copy, not four.  Synthesis (yosys' read_slang
// drops what a function does to a `ref` argument, without a message) includes them into cu_simd, where they act on its
// own registers v and r; tests/rtl/cu/simd_synth runs that form against the golden model.
// Not responsible for: one lane of an operation (valu_*_pkg, fpu_*_pkg), ports (cu_simd).
`ifdef GANTRY_FAULTS  // a function that is not inlined may name no variable outside
`define SIMD_FAULT r.fault
`else
`define SIMD_FAULT FaultSeed
`endif

package simd_rows_pkg;
`ifndef SYNTHESIS
  import cu_pkg::*;
  import gcn3_pkg::*;
  import valu_dec_pkg::*;
  import valu_lanes_pkg::*;
  import simd_regs_pkg::*;
  import valu_int_pkg::*;
  import valu_cmp_pkg::*;
  import valu_lane_pkg::*;
  import fpu_fma_pkg::half_to_f32;
  import fpu_sum_pkg::*;
  import fpu_misc_pkg::*;
  import fpu_div_pkg::*;
  import fpu_trans_pkg::*;
  import fpu_serial_pkg::*;

  `define LANES_ARG ref lanes_t v,
  `define LANES v,
  `define LANES_ONLY ref lanes_t v
  `define LANES_CALL v
  `define STATE_ONLY ref lanes_t v, ref simd_regs_t r
  `define STATE_ARG ref lanes_t v, ref simd_regs_t r,
  `define STATE v, r,
  `define STATE_CALL v, r
  `define NO_INLINE /* verilator no_inline_task */
  `define OP_INFO(op) OpTable[op]  // synthesis: the functions behind the tables
  `define RESULT(r) v.res[r]
  `define RESULT_HIGH(r) v.res[r]
  `define SLOT(at) SlotTable[at]
  `include "simd_rows_int.svh"
  `include "simd_rows_lane.svh"
  `include "simd_rows_misc.svh"
  `include "simd_rows_norm.svh"
  `include "simd_rows_quarter.svh"
  `include "simd_serial.svh"
  `include "simd_stage_write.svh"
  `include "simd_stage_execute.svh"
  `include "simd_stage_read.svh"
`endif
endpackage
