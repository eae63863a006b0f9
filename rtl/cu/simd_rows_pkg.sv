// SPDX-License-Identifier: Apache-2.0
// What the stages of a SIMD do to a row of 16 lanes.  The functions (simd_rows_*.svh) have one text and two homes.  In
// simulation they live here with the lane registers as `ref` argument, not inlined, hence once for all SIMDs of a model.
// Synthesis (yosys' read_slang drops what a function does to a `ref` argument, without a message) includes them into
// cu_simd, where they act on its own register v; tests/rtl/cu/simd_synth runs that form against the golden model.
// Not responsible for: one lane of an operation (valu_*_pkg, fpu_*_pkg), which function runs when (cu_simd).
package simd_rows_pkg;
`ifndef SYNTHESIS
  import gcn3_pkg::*;
  import valu_lanes_pkg::*;
  import valu_int_pkg::*;
  import valu_cmp_pkg::*;
  import valu_lane_pkg::*;
  import fpu_fma_pkg::half_to_f32;
  import fpu_sum_pkg::*;
  import fpu_misc_pkg::*;
  import fpu_div_pkg::*;
  import fpu_trans_pkg::*;

  `define LANES_ARG ref lanes_t v,
  `define LANES v,
  `define NO_INLINE /* verilator no_inline_task */
  `include "simd_rows_int.svh"
  `include "simd_rows_lane.svh"
  `include "simd_rows_misc.svh"
  `include "simd_rows_norm.svh"
  `include "simd_rows_quarter.svh"
`endif
endpackage
