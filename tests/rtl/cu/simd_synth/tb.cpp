// SPDX-License-Identifier: Apache-2.0
// The bench of cu_simd on the form that synthesis sees: row functions inside the module
// instead of simd_rows_pkg; by day the SIMD's own bench, and yosys reads this form.  Not responsible for: the bench itself.
// top: cu_simd
// sources: build/gen/gcn3_pkg.sv rtl/common/pick_pkg.sv build/gen/gantry_cfg_pkg.sv rtl/cu/cu_pkg.sv rtl/cu/valu_dec_pkg.sv rtl/cu/valu_int_pkg.sv rtl/cu/valu_cmp_pkg.sv rtl/cu/valu_lanes_pkg.sv rtl/fpu/fpu_serial_pkg.sv rtl/cu/simd_regs_pkg.sv rtl/cu/valu_lane_pkg.sv rtl/fpu/fpu_fma_pkg.sv rtl/fpu/fpu_sum_pkg.sv rtl/fpu/fpu_misc_pkg.sv build/gen/trans_tables_pkg.sv rtl/fpu/fpu_trans_pkg.sv rtl/fpu/fpu_div_pkg.sv rtl/tech/tech_mul_pkg.sv rtl/fpu/fpu_fma64_pkg.sv rtl/fpu/fpu_misc64_pkg.sv rtl/fpu/fpu_seed64_pkg.sv rtl/cu/simd_rows_pkg.sv rtl/cu/cu_simd.sv
// args: -Wno-UNUSEDPARAM -DSYNTHESIS -Wno-VARHIDDEN --x-initial unique --x-assign unique
// nightly: yes
// lib: yes
// limit: 7200
#define NIGHTLY_VECTORS 10000000 // the same arithmetic, a text that takes three times as long
#include "../simd/tb.cpp"
