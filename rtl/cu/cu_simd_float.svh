// SPDX-License-Identifier: Apache-2.0
// Part of cu_simd.sv, stage 1: cases of the floating-point classes.  Operands x, y, z; results res[r0] (ClsMisc) or
// the registers p1, c1, d1, e1, g1 of the normaliser (ClsFma).  Not responsible for: anything outside this case.
        ClsMisc: begin
          keep16 = i_mode[q][6];
          rnd = 32'd1 << i_mode[q][1:0];
          case (i_op[q])
            OP_V_MIN_F32, OP_V_MAX_F32: begin
              signed_op = i_op[q] == OP_V_MAX_F32;
              for (int unsigned l = 0; l < 16; l++) res[r0][l] = pick32(x[l], y[l], i_ieee[q], signed_op);
            end
            OP_V_MIN3_F32, OP_V_MAX3_F32: begin
              for (int unsigned l = 0; l < 16; l++) begin
                n = pick32(x[l], y[l], i_ieee[q], i_op[q] == OP_V_MAX3_F32);
                res[r0][l] = pick32(n, z[l], i_ieee[q], i_op[q] == OP_V_MAX3_F32);
              end
            end
            OP_V_MED3_F32: begin
              for (int unsigned l = 0; l < 16; l++) res[r0][l] = med3(x[l], y[l], z[l], i_ieee[q]);
            end
            OP_V_MIN_F16, OP_V_MAX_F16: begin
              for (int unsigned l = 0; l < 16; l++) begin
                res[r0][l] = pick(x[l] & 32'hffff, y[l] & 32'hffff, 32'h7c00, 32'h8000, 32'h200, i_ieee[q],
                                  i_op[q] == OP_V_MAX_F16);
              end
            end
            OP_V_TRUNC_F32, OP_V_CEIL_F32, OP_V_RNDNE_F32, OP_V_FLOOR_F32: begin
              kind = 32'(i_op[q] - OP_V_TRUNC_F32);
              for (int unsigned l = 0; l < 16; l++) res[r0][l] = whole(x[l], kind, i_in[q], i_out[q]);
            end
            OP_V_TRUNC_F16, OP_V_CEIL_F16, OP_V_RNDNE_F16, OP_V_FLOOR_F16: begin
              kind = i_op[q] == OP_V_TRUNC_F16 ? 32'd0 : i_op[q] == OP_V_CEIL_F16 ? 32'd1 :
                  i_op[q] == OP_V_RNDNE_F16 ? 32'd2 : 32'd3;
              for (int unsigned l = 0; l < 16; l++) begin
                n = whole(half_to_f32(x[l], keep16), kind, 1'b1, 1'b1);
                res[r0][l] = f32_to_half(n, 32'd1, 1'b1, 1'b1);
              end
            end
            OP_V_CVT_I32_F32, OP_V_CVT_RPI_I32_F32, OP_V_CVT_FLR_I32_F32: begin
              kind = i_op[q] == OP_V_CVT_I32_F32 ? 32'd0 : i_op[q] == OP_V_CVT_RPI_I32_F32 ? 32'd1 : 32'd2;
              for (int unsigned l = 0; l < 16; l++) res[r0][l] = to_int(x[l], kind, 1'b1, i_in[q]);
            end
            OP_V_CVT_U32_F32: begin
              for (int unsigned l = 0; l < 16; l++) res[r0][l] = to_int(x[l], 32'd0, 1'b0, i_in[q]);
            end
            OP_V_CVT_U16_F16: begin
              for (int unsigned l = 0; l < 16; l++) begin
                res[r0][l] = sat_u16(to_int(half_to_f32(x[l], keep16), 32'd0, 1'b0, 1'b1));
              end
            end
            OP_V_CVT_I16_F16: begin
              for (int unsigned l = 0; l < 16; l++) begin
                res[r0][l] = sat_i16(to_int(half_to_f32(x[l], keep16), 32'd0, 1'b1, 1'b1));
              end
            end
            OP_V_CVT_F16_F32: begin
              for (int unsigned l = 0; l < 16; l++) res[r0][l] = f32_to_half(x[l], rnd, i_in[q], i_mode[q][7]);
            end
            OP_V_CVT_F32_F16: begin
              for (int unsigned l = 0; l < 16; l++) res[r0][l] = half_to_f32(x[l], keep16);
            end
            OP_V_CVT_PKRTZ_F16_F32: begin
              for (int unsigned l = 0; l < 16; l++) begin
                res[r0][l] = f32_to_half(x[l], 32'd8, i_in[q], i_mode[q][7]) |
                    (f32_to_half(y[l], 32'd8, i_in[q], i_mode[q][7]) << 16);
              end
            end
            OP_V_CVT_PKNORM_I16_F32, OP_V_CVT_PKNORM_U16_F32: begin
              signed_op = i_op[q] == OP_V_CVT_PKNORM_I16_F32;
              for (int unsigned l = 0; l < 16; l++) begin
                res[r0][l] = norm(x[l], signed_op, i_in[q]) | (norm(y[l], signed_op, i_in[q]) << 16);
              end
            end
            OP_V_FREXP_EXP_I32_F32: begin
              for (int unsigned l = 0; l < 16; l++) res[r0][l] = frexp_exp(x[l], i_in[q]);
            end
            OP_V_FREXP_MANT_F32: begin
              for (int unsigned l = 0; l < 16; l++) res[r0][l] = frexp_mant(x[l], i_in[q]);
            end
            OP_V_FREXP_EXP_I16_F16: begin
              for (int unsigned l = 0; l < 16; l++) begin
                res[r0][l] = frexp_exp(half_to_f32(x[l], keep16), 1'b1) & 32'hffff;
              end
            end
            OP_V_FREXP_MANT_F16: begin
              for (int unsigned l = 0; l < 16; l++) begin
                res[r0][l] = f32_to_half(frexp_mant(half_to_f32(x[l], keep16), 1'b1), 32'd1, 1'b1, 1'b1);
              end
            end
            OP_V_DIV_FIXUP_F32: begin
              for (int unsigned l = 0; l < 16; l++) begin
                res[r0][l] = div_fixup(x[l], y[l], z[l], 32'h80000000, 32'h7f800000, 32'h400000, 32'd23, 32'd150);
              end
            end
            OP_V_DIV_FIXUP_F16: begin
              for (int unsigned l = 0; l < 16; l++) begin
                res[r0][l] = div_fixup(x[l] & 32'hffff, y[l] & 32'hffff, z[l] & 32'hffff, 32'h8000, 32'h7c00,
                                                32'h200, 32'd10, 32'd1000);
              end
            end
            OP_V_CVT_PK_U8_F32, OP_V_CVT_PKACCUM_U8_F32: begin  // byte y of z is replaced
              for (int unsigned l = 0; l < 16; l++) begin
                n = min_u(to_int(x[l], 32'd3, 1'b0, i_in[q]), 32'd255);
                t = (y[l] & 32'd3) << 3;
                res[r0][l] = (z[l] & ~(32'd255 << t)) | (n << t);
              end
            end
            default: ;
          endcase
        end
        ClsFma: begin
          if (st1.sub == 2'd0) begin
            if (i_dec[q].half && i_dec[q].mods != '0) begin
              // halves become singles; v_mad_f16 flushes always
              keep16 = i_mode[q][6] && !(i_op[q] == OP_V_MAD_F16 || i_op[q] == OP_V_MAC_F16 ||
                  i_op[q] == OP_V_MADMK_F16 || i_op[q] == OP_V_MADAK_F16);
              for (int unsigned l = 0; l < 16; l++) x[l] = half_to_f32(x[l], keep16);
              if (i_op[q] != OP_V_LDEXP_F16) begin
                for (int unsigned l = 0; l < 16; l++) begin
                  y[l] = half_to_f32(y[l], keep16);
                  z[l] = half_to_f32(z[l], keep16);
                end
              end
            end
            signed_op = i_in[q] || i_dec[q].half;  // subnormals stay
            rnd = 32'd1 << i_round[q];
            case (i_op[q])
              OP_V_ADD_F32, OP_V_ADD_F16, OP_V_SUB_F32, OP_V_SUB_F16: begin
                n = i_op[q] == OP_V_SUB_F32 || i_op[q] == OP_V_SUB_F16 ? 32'h80000000 : 32'd0;
                for (int unsigned l = 0; l < 16; l++) begin
                  product(x[l], 32'h3f800000, y[l] ^ n, signed_op, ph1[l], pl1[l], ch1[l], d1[l], e1[l], g1[l]);
                end
              end
              OP_V_SUBREV_F32, OP_V_SUBREV_F16: begin
                for (int unsigned l = 0; l < 16; l++) begin
                  product(y[l], 32'h3f800000, x[l] ^ 32'h80000000, signed_op, ph1[l], pl1[l], ch1[l], d1[l], e1[l], g1[l]);
                end
              end
              OP_V_MUL_F32, OP_V_MUL_F16: begin
                for (int unsigned l = 0; l < 16; l++) begin
                  product(x[l], y[l], (x[l] ^ y[l]) & 32'h80000000, signed_op, ph1[l], pl1[l], ch1[l], d1[l], e1[l], g1[l]);
                end
              end
              OP_V_FMA_F32, OP_V_FMA_F16: begin
                for (int unsigned l = 0; l < 16; l++) begin
                  product(x[l], y[l], z[l], signed_op, ph1[l], pl1[l], ch1[l], d1[l], e1[l], g1[l]);
                end
              end
              OP_V_DIV_FMAS_F32: begin  // sources are not flushed; lanes of VCC are scaled, up if c is large
                for (int unsigned l = 0; l < 16; l++) begin
                  product(x[l], y[l], z[l], 1'b1, ph1[l], pl1[l], ch1[l], d1[l], e1[l], g1[l]);
                  t = ((z[l] >> 23) & 32'd255) > 32'd127 ? 32'd64 : -32'd64;
                  n1[l] = ((mb >> l) & 32'd1) != 32'd0 ? t : 32'd0;
                end
              end
              OP_V_DIV_SCALE_F32: begin
                bits = 32'd0;
                for (int unsigned l = 0; l < 16; l++) begin
                  div_scale(x[l], y[l], z[l], n, set, kind);
                  n1[l] = n;
                  bits = bits | (set << l);
                  product(x[l], 32'h3f800000, x[l] & 32'h80000000, 1'b1, ph1[l], pl1[l], ch1[l], d1[l], e1[l], g1[l]);
                  // bit 4: the source itself
                  g1[l] = kind != 32'd0 ? 32'd12 : n == 32'd0 ? g1[l] | 32'd16 : g1[l];
                  old[r0][l] = x[l];
                end
              end
              OP_V_MAD_F16, OP_V_MAC_F16, OP_V_MADMK_F16, OP_V_MADAK_F16: begin
                for (int unsigned l = 0; l < 16; l++) begin
                  product(x[l], y[l], (x[l] ^ y[l]) & 32'h80000000, 1'b1, ph1[l], pl1[l], ch1[l], d1[l], e1[l], g1[l]);
                  round_f16(ph1[l], pl1[l], e1[l], g1[l], rnd, 1'b0, n);
                  n = half_to_f32(n, 1'b0);
                  product(n, 32'h3f800000, z[l], 1'b1, ph1[l], pl1[l], ch1[l], d1[l], e1[l], g1[l]);
                end
              end
              OP_V_FRACT_F32, OP_V_FRACT_F16: begin
                for (int unsigned l = 0; l < 16; l++) begin
                  n = whole(x[l], 32'd3, signed_op, 1'b1) ^ 32'h80000000;
                  product(x[l], 32'h3f800000, n, signed_op, ph1[l], pl1[l], ch1[l], d1[l], e1[l], g1[l]);
                end
              end
              OP_V_LDEXP_F32, OP_V_LDEXP_F16: begin
                for (int unsigned l = 0; l < 16; l++) begin
                  n = i_dec[q].half ? sext16(y[l]) : y[l];
                  n = max_s(min_s(n, 32'd400), -32'd400);
                  t = (x[l] >> 23) & 32'd255;
                  mb = (x[l] & 32'h7fffff) | (t != 32'd0 ? 32'h800000 : 32'd0);
                  mb = t == 32'd0 && !signed_op ? 32'd0 : mb;
                  ph1[l] = mb << 6;
                  pl1[l] = 32'd0;
                  place((t == 32'd0 ? 32'd1 : t) + n, x[l] >> 31, ch1[l], d1[l], e1[l], g1[l]);
                  g1[l] = g1[l] | (t == 32'd255 ? 32'd4 : 32'd0) | (is_nan(x[l]) ? 32'd8 : 32'd0);
                end
              end
              OP_V_CVT_F32_I32, OP_V_CVT_F16_I16, OP_V_CVT_OFF_F32_I4: begin
                for (int unsigned l = 0; l < 16; l++) begin
                  n = i_op[q] == OP_V_CVT_F16_I16 ? sext16(x[l]) :
                      i_op[q] == OP_V_CVT_OFF_F32_I4 ? $unsigned($signed(x[l] << 28) >>> 28) : x[l];
                  t = n[31] ? 32'd0 - n : n;
                  ph1[l] = 32'd0;
                  pl1[l] = t;
                  place(i_op[q] == OP_V_CVT_OFF_F32_I4 ? 32'd184 : 32'd188, n >> 31, ch1[l], d1[l], e1[l], g1[l]);
                end
              end
              OP_V_CVT_F32_U32, OP_V_CVT_F16_U16, OP_V_CVT_F32_UBYTE0, OP_V_CVT_F32_UBYTE1, OP_V_CVT_F32_UBYTE2,
              OP_V_CVT_F32_UBYTE3: begin
                kind = i_op[q] == OP_V_CVT_F32_UBYTE3 ? 32'd24 : i_op[q] == OP_V_CVT_F32_UBYTE2 ? 32'd16 :
                    i_op[q] == OP_V_CVT_F32_UBYTE1 ? 32'd8 : 32'd0;
                set = i_op[q] == OP_V_CVT_F32_U32 ? 32'hffffffff : i_op[q] == OP_V_CVT_F16_U16 ? 32'hffff : 32'hff;
                for (int unsigned l = 0; l < 16; l++) begin
                  t = (x[l] >> kind) & set;
                  ph1[l] = 32'd0;
                  pl1[l] = t;
                  place(32'd188, 32'd0, ch1[l], d1[l], e1[l], g1[l]);
                end
              end
              OP_V_MAD_F32, OP_V_MAC_F32, OP_V_MADMK_F32, OP_V_MADAK_F32: begin
                for (int unsigned l = 0; l < 16; l++) mantissas(x[l], y[l], over[l], w[l]);
                for (int unsigned l = 0; l < 16; l++) begin
                  product_rounded(x[l], y[l], z[l], over[l], w[l], rnd, ph1[l], ch1[l], d1[l], e1[l], g1[l]);
                  pl1[l] = 32'd0;
                end
              end
              default: ;
            endcase
          end
        end
