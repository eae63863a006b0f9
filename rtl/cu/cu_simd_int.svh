// SPDX-License-Identifier: Apache-2.0
// Part of cu_simd.sv, stage 1: cases of the integer, select and compare classes.  Operands x, y, z, mask bits mb;
// results res[r0], lane bits in `bits`.  Not responsible for: anything outside this case.
        ClsBit: begin
          case (i_op[q])
            OP_V_MOV_B32, OP_V_MOVRELD_B32, OP_V_MOVRELS_B32, OP_V_MOVRELSD_B32: begin
              for (int unsigned l = 0; l < 16; l++) res[r0][l] = x[l];
            end
            default: ;
            `SIMD_BIT(OP_V_NOT_B32, ~x[l])
            `SIMD_BIT(OP_V_AND_B32, x[l] & y[l])
            `SIMD_BIT(OP_V_OR_B32, x[l] | y[l])
            `SIMD_BIT(OP_V_XOR_B32, x[l] ^ y[l])
            `SIMD_BIT(OP_V_LSHRREV_B32, y[l] >> (x[l] & 32'd31))
            `SIMD_BIT(OP_V_ASHRREV_I32, $unsigned($signed(y[l]) >>> (x[l] & 32'd31)))
            `SIMD_BIT(OP_V_LSHLREV_B32, y[l] << (x[l] & 32'd31))
            `SIMD_BIT(OP_V_LSHRREV_B16, (y[l] & 32'hffff) >> (x[l] & 32'd15))
            `SIMD_BIT(OP_V_ASHRREV_I16, $unsigned($signed(sext16(y[l])) >>> (x[l] & 32'd15)) & 32'hffff)
            `SIMD_BIT(OP_V_LSHLREV_B16, (y[l] << (x[l] & 32'd15)) & 32'hffff)
            `SIMD_BIT(OP_V_BFM_B32, ((32'd1 << (x[l] & 32'd31)) - 32'd1) << (y[l] & 32'd31))
            `SIMD_BIT(OP_V_BFI_B32, (x[l] & y[l]) | (~x[l] & z[l]))
            `SIMD_BIT(OP_V_ALIGNBIT_B32, 32'({x[l], y[l]} >> (z[l] & 32'd31)))
            `SIMD_BIT(OP_V_ALIGNBYTE_B32, 32'({x[l], y[l]} >> ((z[l] & 32'd3) << 3)))
            `SIMD_BIT(OP_V_BCNT_U32_B32, popcount(x[l]) + y[l])
            `SIMD_BIT(OP_V_FFBH_U32, x[l] == 32'd0 ? 32'hffffffff : clz32(x[l]))
            `SIMD_BIT(OP_V_FFBL_B32, x[l] == 32'd0 ? 32'hffffffff : popcount((x[l] & (~x[l] + 32'd1)) - 32'd1))
            `SIMD_BIT(OP_V_FFBH_I32, ffbh_i(x[l]))
            `SIMD_BIT(OP_V_BFREV_B32, reverse(x[l]))
            `SIMD_BIT(OP_V_BFE_U32, (x[l] >> (y[l] & 32'd31)) & ((32'd1 << (z[l] & 32'd31)) - 32'd1))
            `SIMD_BIT(OP_V_BFE_I32, bfe_i(x[l], y[l], z[l]))
            `SIMD_BIT(OP_V_PERM_B32, perm(x[l], y[l], z[l]))
            `SIMD_BIT(OP_V_SAD_U8, sad(x[l], y[l], 1'b0) + z[l])
            `SIMD_BIT(OP_V_SAD_HI_U8, (sad(x[l], y[l], 1'b0) << 16) + z[l])
            `SIMD_BIT(OP_V_SAD_U16, absdiff(x[l] & 32'hffff, y[l] & 32'hffff) + absdiff(x[l] >> 16, y[l] >> 16) + z[l])
            `SIMD_BIT(OP_V_SAD_U32, absdiff(x[l], y[l]) + z[l])
            `SIMD_BIT(OP_V_MSAD_U8, sad(x[l], y[l], 1'b1) + z[l])
            `SIMD_BIT(OP_V_LERP_U8, lerp(x[l], y[l], z[l]))
            `SIMD_BIT(OP_V_MIN_I32, min_s(x[l], y[l]))
            `SIMD_BIT(OP_V_MAX_I32, max_s(x[l], y[l]))
            `SIMD_BIT(OP_V_MIN_U32, min_u(x[l], y[l]))
            `SIMD_BIT(OP_V_MAX_U32, max_u(x[l], y[l]))
            `SIMD_BIT(OP_V_MIN3_I32, min_s(min_s(x[l], y[l]), z[l]))
            `SIMD_BIT(OP_V_MAX3_I32, max_s(max_s(x[l], y[l]), z[l]))
            `SIMD_BIT(OP_V_MED3_I32, max_s(min_s(x[l], y[l]), min_s(max_s(x[l], y[l]), z[l])))
            `SIMD_BIT(OP_V_MIN3_U32, min_u(min_u(x[l], y[l]), z[l]))
            `SIMD_BIT(OP_V_MAX3_U32, max_u(max_u(x[l], y[l]), z[l]))
            `SIMD_BIT(OP_V_MED3_U32, max_u(min_u(x[l], y[l]), min_u(max_u(x[l], y[l]), z[l])))
            `SIMD_BIT(OP_V_MIN_U16, min_u(x[l] & 32'hffff, y[l] & 32'hffff))
            `SIMD_BIT(OP_V_MAX_U16, max_u(x[l] & 32'hffff, y[l] & 32'hffff))
            `SIMD_BIT(OP_V_MIN_I16, min_s(sext16(x[l]), sext16(y[l])) & 32'hffff)
            `SIMD_BIT(OP_V_MAX_I16, max_s(sext16(x[l]), sext16(y[l])) & 32'hffff)
            `SIMD_BIT(OP_V_ADD_U16, add16(x[l], y[l], clamp))
            `SIMD_BIT(OP_V_SUB_U16, sub16(x[l], y[l], clamp))
            `SIMD_BIT(OP_V_SUBREV_U16, sub16(y[l], x[l], clamp))
            `SIMD_BIT(OP_V_CVT_PK_U16_U32, sat_u16(x[l]) | (sat_u16(y[l]) << 16))
            `SIMD_BIT(OP_V_CVT_PK_I16_I32, sat_i16(x[l]) | (sat_i16(y[l]) << 16))
          endcase
        end
        ClsSelect: begin
          if (i_op[q] == OP_V_CNDMASK_B32) begin
            for (int unsigned l = 0; l < 16; l++) res[r0][l] = ((mb >> l) & 32'd1) != 32'd0 ? y[l] : x[l];
          end else begin
            // ones below this lane, in the half of the wavefront that the opcode names
            kind = i_op[q] == OP_V_MBCNT_LO_U32_B32 ? 32'd0 : 32'd32;
            for (int unsigned l = 0; l < 16; l++) begin
              n = 32'({st1.beat, l[3:0]});
              n = n >= kind + 32'd32 ? 32'hffffffff : n < kind ? 32'd0 : (32'd1 << (n & 32'd31)) - 32'd1;
              res[r0][l] = popcount(x[l] & n) + y[l];
            end
          end
        end
        ClsAdd: begin
          // operands swapped for subrev; carry-in only for the second three opcodes
          n = i_op[q] >= OP_V_ADDC_U32 ? mb : 32'd0;
          n = SeedFault == 4'd4 ? n ^ 32'h10 : n;
          kind = 32'(i_op[q] != OP_V_ADD_U32 && i_op[q] != OP_V_ADDC_U32);
          if (i_op[q] == OP_V_SUBREV_U32 || i_op[q] == OP_V_SUBBREV_U32) begin
            for (int unsigned l = 0; l < 16; l++) begin
              add_op(y[l], x[l], (n >> l) & 32'd1, kind, clamp, res[r0][l], over[l]);
            end
          end else begin
            for (int unsigned l = 0; l < 16; l++) begin
              add_op(x[l], y[l], (n >> l) & 32'd1, kind, clamp, res[r0][l], over[l]);
            end
          end
          for (int unsigned l = 0; l < 16; l++) bits = bits | ((over[l] & 32'd1) << l);
        end
        ClsMul24: begin
          n = i_op[q] == OP_V_MUL_LO_U16 || i_op[q] == OP_V_MAD_U16 || i_op[q] == OP_V_MAD_I16 ? 32'd2 :
              i_op[q] == OP_V_MUL_I32_I24 || i_op[q] == OP_V_MUL_HI_I32_I24 || i_op[q] == OP_V_MAD_I32_I24 ? 32'd1 :
              32'd0;
          kind = 32'(i_op[q] == OP_V_MUL_HI_I32_I24 || i_op[q] == OP_V_MUL_HI_U32_U24);
          set = n == 32'd2 ? 32'hffff : 32'hffffffff;
          // two-operand forms have no third source
          t = i_op[q] >= 10'h180 ? 32'hffffffff : 32'd0;
          for (int unsigned l = 0; l < 16; l++) res[r0][l] = mul24_op(x[l], y[l], z[l] & t, n, kind, set);
        end
        ClsCmp: begin
          keep16 = i_mode[q][6];
          set = 32'(i_op[q][3:0]);
          case (i_op[q][7:4])
            4'h1: begin  // class
              if (i_dec[q].half) begin
                for (int unsigned l = 0; l < 16; l++) begin
                  over[l] = class_float(x[l] & 32'hffff, 32'h7c00, 32'h8000, 32'h200, y[l]);
                end
              end else begin
                for (int unsigned l = 0; l < 16; l++) begin
                  over[l] = class_float(x[l], 32'h7f800000, 32'h80000000, 32'h400000, y[l]);
                end
              end
            end
            4'h2, 4'h3: begin
              for (int unsigned l = 0; l < 16; l++) begin
                over[l] = compare_float(x[l] & 32'hffff, y[l] & 32'hffff, 32'h7c00, 32'h8000, keep16, set);
              end
            end
            4'h4, 4'h5: begin
              for (int unsigned l = 0; l < 16; l++) begin
                over[l] = compare_float(x[l], y[l], 32'h7f800000, 32'h80000000, i_in[q], set);
              end
            end
            4'ha, 4'hb: begin
              n = set[3] ? 32'd0 : 32'h80000000;
              for (int unsigned l = 0; l < 16; l++) over[l] = compare32(x[l] << 16, y[l] << 16, n, set);
            end
            default: begin
              n = set[3] ? 32'd0 : 32'h80000000;
              for (int unsigned l = 0; l < 16; l++) over[l] = compare32(x[l], y[l], n, set);
            end
          endcase
          for (int unsigned l = 0; l < 16; l++) bits = bits | ((over[l] & 32'd1) << l);
        end
