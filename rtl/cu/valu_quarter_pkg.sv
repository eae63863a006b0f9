// SPDX-License-Identifier: Apache-2.0
// Quarter-rate units of the vector ALU on half a row (8 lanes, stage 2 of cu_simd): 32-bit multiplier, sums of absolute
// differences, transcendentals.  Operands s.qa to s.qe, results s.res; high: lanes 8 to 15.  Not responsible for:
// the operations themselves (valu_int_pkg, fpu_trans_pkg), when they run (cu_simd).
package valu_quarter_pkg;
  import gcn3_pkg::*;
  import valu_lanes_pkg::lanes_t;
  import valu_int_pkg::*;
  import fpu_fma_pkg::half_to_f32;
  import fpu_misc_pkg::f32_to_half;

  // Both rows of a slot's operands become those of the unit; pair: the third source has 64 bits.
  function automatic void quarter_low(ref lanes_t s, input logic pair);
    /* verilator no_inline_task */
    for (int unsigned l = 0; l < 16; l++) begin
      s.qa[l] = s.x[l];
      s.qb[l] = s.y[l];
      s.qc[l] = pair ? s.z[l] : 32'd0;
      s.qd[l] = 32'd0;
    end
  endfunction

  function automatic void quarter_high(ref lanes_t s);
    /* verilator no_inline_task */
    for (int unsigned l = 0; l < 16; l++) begin
      s.qd[l] = s.z[l];
      s.qe[l] = s.x[l];
    end
  endfunction

  // Returns carries and overflows, one bit a lane.
  function automatic logic [31:0] mul32_half(ref lanes_t s, input logic [1:0] r0, input logic [1:0] r1,
                                             input logic high, input logic [9:0] op);
    /* verilator no_inline_task */
    logic [31:0] bits, t, is_signed;
    logic [63:0] wide;
    is_signed = 32'(op == OP_V_MUL_HI_I32 || op == OP_V_MAD_I64_I32);
    bits = 32'd0;
    for (int unsigned l = 0; l < 8; l++) begin
      mul32_op(s.qa[{high, l[2:0]}], s.qb[{high, l[2:0]}], {s.qd[{high, l[2:0]}], s.qc[{high, l[2:0]}]}, is_signed,
               wide, t);
      s.res[r0][{high, l[2:0]}] = op == OP_V_MUL_HI_U32 || op == OP_V_MUL_HI_I32 ? 32'(wide >> 32) : 32'(wide);
      s.res[r1][{high, l[2:0]}] = 32'(wide >> 32);
      bits = bits | (t << {high, l[2:0]});
    end
    return bits;
  endfunction

  function automatic void qsad_half(ref lanes_t s, input logic [1:0] r0, input logic [1:0] r1, input logic high,
                                    input logic [9:0] op);
    /* verilator no_inline_task */
    logic masked;
    logic [63:0] wide;
    masked = op == OP_V_MQSAD_PK_U16_U8;
    for (int unsigned l = 0; l < 8; l++) begin
      wide = {s.qe[{high, l[2:0]}], s.qa[{high, l[2:0]}]};
      s.res[r0][{high, l[2:0]}] = qsad_pair(wide, s.qb[{high, l[2:0]}], s.qc[{high, l[2:0]}], masked);
      s.res[r1][{high, l[2:0]}] = qsad_pair(wide >> 16, s.qb[{high, l[2:0]}], s.qd[{high, l[2:0]}], masked);
    end
  endfunction

  // half: 16-bit floats; mode as in the issue record.
  /* verilator lint_off UNUSEDSIGNAL */  // of mode
  function automatic void trans_half(ref lanes_t s, input logic [1:0] r, input logic high, input logic [9:0] op,
                                     input logic half, input logic [7:0] mode);
    /* verilator lint_on UNUSEDSIGNAL */
    /* verilator no_inline_task */
    logic [31:0] kind, t;
    case (op)
      OP_V_RCP_F32, OP_V_RCP_IFLAG_F32, OP_V_RCP_F16: kind = fpu_trans_pkg::Rcp;
      OP_V_RSQ_F32, OP_V_RSQ_F16: kind = fpu_trans_pkg::Rsq;
      OP_V_SQRT_F32, OP_V_SQRT_F16: kind = fpu_trans_pkg::Sqrt;
      OP_V_EXP_F32, OP_V_EXP_F16: kind = fpu_trans_pkg::Exp;
      OP_V_LOG_F32, OP_V_LOG_F16: kind = fpu_trans_pkg::Log;
      OP_V_SIN_F32, OP_V_SIN_F16: kind = fpu_trans_pkg::Sin;
      default: kind = fpu_trans_pkg::Cos;
    endcase
    for (int unsigned l = 0; l < 8; l++) begin
      t = half ? half_to_f32(s.qa[{high, l[2:0]}], mode[6]) : s.qa[{high, l[2:0]}];
      fpu_trans_pkg::trans_f32(kind, t, s.res[r][{high, l[2:0]}]);
    end
    if (half) begin
      for (int unsigned l = 0; l < 8; l++) begin
        t = s.res[r][{high, l[2:0]}];
        s.res[r][{high, l[2:0]}] = f32_to_half(t, 32'd1 << mode[3:2], 1'b1, mode[7]);
      end
    end
  endfunction
endpackage
