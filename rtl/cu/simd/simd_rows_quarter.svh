// SPDX-License-Identifier: Apache-2.0
// Part of simd_rows_pkg: quarter-rate units on half a row (Lanes / 2 lanes, stage 2 of cu_simd): 32-bit multiplier, sums of
// absolute differences, transcendentals.  Operands v.qa to v.qe, results v.res; high: the upper ones.  Not responsible
// for: the operations themselves (valu_int_pkg, fpu_trans_pkg), when they run (cu_simd).
  // Operands of a quarter-rate unit, in two slots; pair: the third source has 64 bits.
  function automatic void quarter_row(`LANES_ARG input logic high, input logic pair);
    `NO_INLINE
    if (!high) begin
      for (int unsigned l = 0; l < Lanes; l++) begin
        v.qa[l] = v.x[l];
        v.qb[l] = v.y[l];
        v.qc[l] = pair ? v.z[l] : 32'd0;
        v.qd[l] = 32'd0;
      end
    end else if (pair) begin
      for (int unsigned l = 0; l < Lanes; l++) begin
        v.qd[l] = v.z[l];
        v.qe[l] = v.x[l];
      end
    end
  endfunction

  // v.bits are carries and overflows.
  function automatic void mul32_half(`LANES_ARG input logic [1:0] r0, input logic [1:0] r1, input logic high,
                                     input logic [9:0] op);
    `NO_INLINE
    logic [31:0] bits, t, is_signed;
    logic [63:0] wide;
    is_signed = 32'(op == OP_V_MUL_HI_I32 || op == OP_V_MAD_I64_I32);
    bits = 32'd0;
    for (int unsigned l = 0; l < Lanes / 2; l++) begin
      mul32_op(v.qa[{high, l[LaneW-2:0]}], v.qb[{high, l[LaneW-2:0]}],
               {v.qd[{high, l[LaneW-2:0]}], v.qc[{high, l[LaneW-2:0]}]}, is_signed, wide, t);
      `RESULT(r0)[{high, l[LaneW-2:0]}] = op == OP_V_MUL_HI_U32 || op == OP_V_MUL_HI_I32 ? 32'(wide >> 32) : 32'(wide);
      `RESULT_HIGH(r1)[{high, l[LaneW-2:0]}] = 32'(wide >> 32);
      bits = bits | (t << {high, l[LaneW-2:0]});
    end
    v.bits = bits;
  endfunction

  // second: sums 2 and 3 of v_mqsad_u32_u8.
  function automatic void qsad_half(`LANES_ARG input logic [1:0] r0, input logic [1:0] r1, input logic high,
                                    input logic second, input logic [9:0] op);
    `NO_INLINE
    logic masked;
    logic [63:0] wide;
    masked = op == OP_V_MQSAD_PK_U16_U8;
    if (op == OP_V_MQSAD_U32_U8) begin
      for (int unsigned l = 0; l < Lanes / 2; l++) begin
        wide = {v.qe[{high, l[LaneW-2:0]}], v.qa[{high, l[LaneW-2:0]}]} >> {second, 4'd0};
        `RESULT(r0)[{high, l[LaneW-2:0]}] = sad_sum(32'(wide), v.qb[{high, l[LaneW-2:0]}], v.qc[{high, l[LaneW-2:0]}]);
        `RESULT_HIGH(r1)[{high, l[LaneW-2:0]}] = sad_sum(32'(wide >> 8), v.qb[{high, l[LaneW-2:0]}],
                                                  v.qd[{high, l[LaneW-2:0]}]);
      end
    end else
    for (int unsigned l = 0; l < Lanes / 2; l++) begin
      wide = {v.qe[{high, l[LaneW-2:0]}], v.qa[{high, l[LaneW-2:0]}]};
      `RESULT(r0)[{high, l[LaneW-2:0]}] = qsad_pair(wide, v.qb[{high, l[LaneW-2:0]}],
                                                    v.qc[{high, l[LaneW-2:0]}], masked);
      `RESULT_HIGH(r1)[{high, l[LaneW-2:0]}] = qsad_pair(wide >> 16, v.qb[{high, l[LaneW-2:0]}],
                                                  v.qd[{high, l[LaneW-2:0]}], masked);
    end
  endfunction

`ifndef SYNTHESIS  // hardware: simd_rows_shared_trans.svh
  // half: 16-bit floats; mode as in the issue record.
  /* verilator lint_off UNUSEDSIGNAL */  // of mode
  function automatic void trans_half(`LANES_ARG input logic [1:0] r, input logic high, input logic [9:0] op,
                                     input logic half, input logic [7:0] mode);
    /* verilator lint_on UNUSEDSIGNAL */
    `NO_INLINE
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
    for (int unsigned l = 0; l < Lanes / 2; l++) begin
      t = half ? half_to_f32(v.qa[{high, l[LaneW-2:0]}], mode[6]) : v.qa[{high, l[LaneW-2:0]}];
      fpu_trans_pkg::trans_f32(kind, t, `RESULT(r)[{high, l[LaneW-2:0]}]);
    end
    if (half) begin
      for (int unsigned l = 0; l < Lanes / 2; l++) begin
        t = `RESULT(r)[{high, l[LaneW-2:0]}];
        `RESULT(r)[{high, l[LaneW-2:0]}] = f32_to_half(t, 32'd1 << mode[3:2], 1'b1, mode[7]);
      end
    end
  endfunction
`endif
