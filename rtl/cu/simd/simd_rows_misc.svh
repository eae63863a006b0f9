// SPDX-License-Identifier: Apache-2.0
// Part of simd_rows_pkg: floating-point operations without a normaliser on a row (stage 1 of cu_simd, class ClsMisc).
// Operands v.x, v.y, v.z, result v.res[r].  Not responsible for: the operations themselves (fpu_misc_pkg,
// fpu_div_pkg), arithmetic that rounds after normalising (simd_rows_norm.svh).
`ifndef SYNTHESIS  // hardware: simd_rows_shared_misc.svh
  // mode as in the issue record: [3:2] rounding of halves; kept subnormals: [4], [5] sources, results of singles, [6], [7] of halves.
  /* verilator lint_off UNUSEDSIGNAL */  // of mode
  function automatic void misc_row(`LANES_ARG input logic [1:0] r, input logic [9:0] op, input logic [7:0] mode,
                                   input logic ieee);
    /* verilator lint_on UNUSEDSIGNAL */
    `NO_INLINE
    logic keep_in, keep_out, keep16, out16, signed_op;
    logic [31:0] rnd, kind, n, t;
    keep_in = mode[4];
    keep_out = mode[5];
    keep16 = mode[6];
    out16 = mode[7];
    rnd = 32'd1 << mode[3:2];
    case (op)
      OP_V_MIN_F32, OP_V_MAX_F32: begin
        signed_op = op == OP_V_MAX_F32;
        for (int unsigned l = 0; l < Lanes; l++) v.res[r][l] = pick32(v.x[l], v.y[l], ieee, signed_op);
      end
      OP_V_MIN3_F32, OP_V_MAX3_F32: begin
        for (int unsigned l = 0; l < Lanes; l++) begin
          n = pick32(v.x[l], v.y[l], ieee, op == OP_V_MAX3_F32);
          v.res[r][l] = pick32(n, v.z[l], ieee, op == OP_V_MAX3_F32);
        end
      end
      OP_V_MED3_F32: begin
        for (int unsigned l = 0; l < Lanes; l++) v.res[r][l] = med3(v.x[l], v.y[l], v.z[l], ieee);
      end
      OP_V_MIN_F16, OP_V_MAX_F16: begin
        for (int unsigned l = 0; l < Lanes; l++) begin
          v.res[r][l] = pick(v.x[l] & 32'hffff, v.y[l] & 32'hffff, 32'h7c00, 32'h8000, 32'h200, ieee,
                            op == OP_V_MAX_F16);
        end
      end
      OP_V_TRUNC_F32, OP_V_CEIL_F32, OP_V_RNDNE_F32, OP_V_FLOOR_F32: begin
        kind = 32'(op - OP_V_TRUNC_F32);
        for (int unsigned l = 0; l < Lanes; l++) v.res[r][l] = whole(v.x[l], kind, keep_in, keep_out);
      end
      OP_V_TRUNC_F16, OP_V_CEIL_F16, OP_V_RNDNE_F16, OP_V_FLOOR_F16: begin
        kind = op == OP_V_TRUNC_F16 ? 32'd0 : op == OP_V_CEIL_F16 ? 32'd1 :
            op == OP_V_RNDNE_F16 ? 32'd2 : 32'd3;
        for (int unsigned l = 0; l < Lanes; l++) begin
          n = whole(half_to_f32(v.x[l], keep16), kind, 1'b1, 1'b1);
          v.res[r][l] = f32_to_half(n, 32'd1, 1'b1, 1'b1);
        end
      end
      OP_V_CVT_I32_F32, OP_V_CVT_RPI_I32_F32, OP_V_CVT_FLR_I32_F32: begin
        kind = op == OP_V_CVT_I32_F32 ? 32'd0 : op == OP_V_CVT_RPI_I32_F32 ? 32'd1 : 32'd2;
        for (int unsigned l = 0; l < Lanes; l++) v.res[r][l] = to_int(v.x[l], kind, 1'b1, keep_in);
      end
      OP_V_CVT_U32_F32: begin
        for (int unsigned l = 0; l < Lanes; l++) v.res[r][l] = to_int(v.x[l], 32'd0, 1'b0, keep_in);
      end
      OP_V_CVT_U16_F16: begin
        for (int unsigned l = 0; l < Lanes; l++) begin
          v.res[r][l] = sat_u16(to_int(half_to_f32(v.x[l], keep16), 32'd0, 1'b0, 1'b1));
        end
      end
      OP_V_CVT_I16_F16: begin
        for (int unsigned l = 0; l < Lanes; l++) begin
          v.res[r][l] = sat_i16(to_int(half_to_f32(v.x[l], keep16), 32'd0, 1'b1, 1'b1));
        end
      end
      OP_V_CVT_F16_F32: begin
        for (int unsigned l = 0; l < Lanes; l++) v.res[r][l] = f32_to_half(v.x[l], rnd, keep_in, out16);
      end
      OP_V_CVT_F32_F16: begin
        for (int unsigned l = 0; l < Lanes; l++) v.res[r][l] = half_to_f32(v.x[l], keep16);
      end
      OP_V_CVT_PKRTZ_F16_F32: begin
        for (int unsigned l = 0; l < Lanes; l++) begin
          v.res[r][l] = f32_to_half(v.x[l], 32'd8, keep_in, out16) |
              (f32_to_half(v.y[l], 32'd8, keep_in, out16) << 16);
        end
      end
      OP_V_CVT_PKNORM_I16_F32, OP_V_CVT_PKNORM_U16_F32: begin
        signed_op = op == OP_V_CVT_PKNORM_I16_F32;
        for (int unsigned l = 0; l < Lanes; l++) begin
          v.res[r][l] = norm(v.x[l], signed_op, keep_in) | (norm(v.y[l], signed_op, keep_in) << 16);
        end
      end
      OP_V_FREXP_EXP_I32_F32: begin
        for (int unsigned l = 0; l < Lanes; l++) v.res[r][l] = frexp_exp(v.x[l], keep_in);
      end
      OP_V_FREXP_MANT_F32: begin
        for (int unsigned l = 0; l < Lanes; l++) v.res[r][l] = frexp_mant(v.x[l], keep_in);
      end
      OP_V_FREXP_EXP_I16_F16: begin
        for (int unsigned l = 0; l < Lanes; l++) begin
          v.res[r][l] = frexp_exp(half_to_f32(v.x[l], keep16), 1'b1) & 32'hffff;
        end
      end
      OP_V_FREXP_MANT_F16: begin
        for (int unsigned l = 0; l < Lanes; l++) begin
          v.res[r][l] = f32_to_half(frexp_mant(half_to_f32(v.x[l], keep16), 1'b1), 32'd1, 1'b1, 1'b1);
        end
      end
      OP_V_DIV_FIXUP_F32: begin
        for (int unsigned l = 0; l < Lanes; l++) begin
          v.res[r][l] = div_fixup(v.x[l], v.y[l], v.z[l], 32'h80000000, 32'h7f800000, 32'h400000, 32'd23, 32'd150);
        end
      end
      OP_V_DIV_FIXUP_F16: begin
        for (int unsigned l = 0; l < Lanes; l++) begin
          v.res[r][l] = div_fixup(v.x[l] & 32'hffff, v.y[l] & 32'hffff, v.z[l] & 32'hffff, 32'h8000, 32'h7c00,
                                          32'h200, 32'd10, 32'd1000);
        end
      end
      OP_V_CVT_PK_U8_F32, OP_V_CVT_PKACCUM_U8_F32: begin  // byte y of z is replaced
        for (int unsigned l = 0; l < Lanes; l++) begin
          n = min_u(to_int(v.x[l], 32'd3, 1'b0, keep_in), 32'd255);
          t = (v.y[l] & 32'd3) << 3;
          v.res[r][l] = (v.z[l] & ~(32'd255 << t)) | (n << t);
        end
      end
      default: ;
    endcase
  endfunction
`endif
