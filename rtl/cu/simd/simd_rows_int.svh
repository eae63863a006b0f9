// SPDX-License-Identifier: Apache-2.0
// Part of simd_rows_pkg: integer operations on a row (stage 1 of cu_simd), the opcode test outside, the lane loop
// inside.  Operands v.x, v.y, v.z; results v.res[r] and, one bit a lane, v.bits.  Not responsible for: the
// operations themselves (valu_int_pkg, valu_cmp_pkg), modifiers, quarter-rate units.
`ifndef SYNTHESIS  // hardware: simd_rows_shared_int.svh
  // Bit fields, shifts, minimum and maximum, 16-bit sums: everything of class ClsBit.
  function automatic void bit_row(`LANES_ARG input logic [1:0] r, input logic [9:0] op, input logic [31:0] clamp);
    `NO_INLINE
    case (op)
      OP_V_MOV_B32, OP_V_MOVRELD_B32, OP_V_MOVRELS_B32, OP_V_MOVRELSD_B32: begin
        for (int unsigned l = 0; l < Lanes; l++) v.res[r][l] = v.x[l];
      end
      default: ;
      OP_V_NOT_B32: for (int unsigned l = 0; l < Lanes; l++) v.res[r][l] = ~v.x[l];
      OP_V_AND_B32: for (int unsigned l = 0; l < Lanes; l++) v.res[r][l] = v.x[l] & v.y[l];
      OP_V_OR_B32: for (int unsigned l = 0; l < Lanes; l++) v.res[r][l] = v.x[l] | v.y[l];
      OP_V_XOR_B32: for (int unsigned l = 0; l < Lanes; l++) v.res[r][l] = v.x[l] ^ v.y[l];
      OP_V_LSHRREV_B32: for (int unsigned l = 0; l < Lanes; l++) v.res[r][l] = v.y[l] >> (v.x[l] & 32'd31);
      OP_V_ASHRREV_I32: begin
        for (int unsigned l = 0; l < Lanes; l++) v.res[r][l] = $unsigned($signed(v.y[l]) >>> (v.x[l] & 32'd31));
      end
      OP_V_LSHLREV_B32: for (int unsigned l = 0; l < Lanes; l++) v.res[r][l] = v.y[l] << (v.x[l] & 32'd31);
      OP_V_LSHRREV_B16: for (int unsigned l = 0; l < Lanes; l++) v.res[r][l] = (v.y[l] & 32'hffff) >> (v.x[l] & 32'd15);
      OP_V_ASHRREV_I16: begin
        for (int unsigned l = 0; l < Lanes; l++) begin
          v.res[r][l] = $unsigned($signed(sext16(v.y[l])) >>> (v.x[l] & 32'd15)) & 32'hffff;
        end
      end
      OP_V_LSHLREV_B16: for (int unsigned l = 0; l < Lanes; l++) v.res[r][l] = (v.y[l] << (v.x[l] & 32'd15)) & 32'hffff;
      OP_V_BFM_B32: begin
        for (int unsigned l = 0; l < Lanes; l++) begin
          v.res[r][l] = ((32'd1 << (v.x[l] & 32'd31)) - 32'd1) << (v.y[l] & 32'd31);
        end
      end
      OP_V_BFI_B32: for (int unsigned l = 0; l < Lanes; l++) v.res[r][l] = (v.x[l] & v.y[l]) | (~v.x[l] & v.z[l]);
      OP_V_ALIGNBIT_B32: begin
        for (int unsigned l = 0; l < Lanes; l++) v.res[r][l] = 32'({v.x[l], v.y[l]} >> (v.z[l] & 32'd31));
      end
      OP_V_ALIGNBYTE_B32: begin
        for (int unsigned l = 0; l < Lanes; l++) v.res[r][l] = 32'({v.x[l], v.y[l]} >> ((v.z[l] & 32'd3) << 3));
      end
      OP_V_BCNT_U32_B32: for (int unsigned l = 0; l < Lanes; l++) v.res[r][l] = popcount(v.x[l]) + v.y[l];
      OP_V_FFBH_U32: begin
        for (int unsigned l = 0; l < Lanes; l++) v.res[r][l] = v.x[l] == 32'd0 ? 32'hffffffff : clz32(v.x[l]);
      end
      OP_V_FFBL_B32: begin
        for (int unsigned l = 0; l < Lanes; l++) begin
          v.res[r][l] = v.x[l] == 32'd0 ? 32'hffffffff : popcount((v.x[l] & (~v.x[l] + 32'd1)) - 32'd1);
        end
      end
      OP_V_FFBH_I32: for (int unsigned l = 0; l < Lanes; l++) v.res[r][l] = ffbh_i(v.x[l]);
      OP_V_BFREV_B32: for (int unsigned l = 0; l < Lanes; l++) v.res[r][l] = reverse(v.x[l]);
      OP_V_BFE_U32: begin
        for (int unsigned l = 0; l < Lanes; l++) begin
          v.res[r][l] = (v.x[l] >> (v.y[l] & 32'd31)) & ((32'd1 << (v.z[l] & 32'd31)) - 32'd1);
        end
      end
      OP_V_BFE_I32: for (int unsigned l = 0; l < Lanes; l++) v.res[r][l] = bfe_i(v.x[l], v.y[l], v.z[l]);
      OP_V_PERM_B32: for (int unsigned l = 0; l < Lanes; l++) v.res[r][l] = perm(v.x[l], v.y[l], v.z[l]);
      OP_V_SAD_U8: for (int unsigned l = 0; l < Lanes; l++) v.res[r][l] = sad(v.x[l], v.y[l], 1'b0) + v.z[l];
      OP_V_SAD_HI_U8: for (int unsigned l = 0; l < Lanes; l++) v.res[r][l] = (sad(v.x[l], v.y[l], 1'b0) << 16) + v.z[l];
      OP_V_SAD_U16: begin
        for (int unsigned l = 0; l < Lanes; l++) begin
          v.res[r][l] = absdiff(v.x[l] & 32'hffff, v.y[l] & 32'hffff) + absdiff(v.x[l] >> 16, v.y[l] >> 16) + v.z[l];
        end
      end
      OP_V_SAD_U32: for (int unsigned l = 0; l < Lanes; l++) v.res[r][l] = absdiff(v.x[l], v.y[l]) + v.z[l];
      OP_V_MSAD_U8: for (int unsigned l = 0; l < Lanes; l++) v.res[r][l] = sad(v.x[l], v.y[l], 1'b1) + v.z[l];
      OP_V_LERP_U8: for (int unsigned l = 0; l < Lanes; l++) v.res[r][l] = lerp(v.x[l], v.y[l], v.z[l]);
      OP_V_MIN_I32: for (int unsigned l = 0; l < Lanes; l++) v.res[r][l] = min_s(v.x[l], v.y[l]);
      OP_V_MAX_I32: for (int unsigned l = 0; l < Lanes; l++) v.res[r][l] = max_s(v.x[l], v.y[l]);
      OP_V_MIN_U32: for (int unsigned l = 0; l < Lanes; l++) v.res[r][l] = min_u(v.x[l], v.y[l]);
      OP_V_MAX_U32: for (int unsigned l = 0; l < Lanes; l++) v.res[r][l] = max_u(v.x[l], v.y[l]);
      OP_V_MIN3_I32: for (int unsigned l = 0; l < Lanes; l++) v.res[r][l] = min_s(min_s(v.x[l], v.y[l]), v.z[l]);
      OP_V_MAX3_I32: for (int unsigned l = 0; l < Lanes; l++) v.res[r][l] = max_s(max_s(v.x[l], v.y[l]), v.z[l]);
      OP_V_MED3_I32: begin
        for (int unsigned l = 0; l < Lanes; l++) begin
          v.res[r][l] = max_s(min_s(v.x[l], v.y[l]), min_s(max_s(v.x[l], v.y[l]), v.z[l]));
        end
      end
      OP_V_MIN3_U32: for (int unsigned l = 0; l < Lanes; l++) v.res[r][l] = min_u(min_u(v.x[l], v.y[l]), v.z[l]);
      OP_V_MAX3_U32: for (int unsigned l = 0; l < Lanes; l++) v.res[r][l] = max_u(max_u(v.x[l], v.y[l]), v.z[l]);
      OP_V_MED3_U32: begin
        for (int unsigned l = 0; l < Lanes; l++) begin
          v.res[r][l] = max_u(min_u(v.x[l], v.y[l]), min_u(max_u(v.x[l], v.y[l]), v.z[l]));
        end
      end
      OP_V_MIN_U16: for (int unsigned l = 0; l < Lanes; l++) v.res[r][l] = min_u(v.x[l] & 32'hffff, v.y[l] & 32'hffff);
      OP_V_MAX_U16: for (int unsigned l = 0; l < Lanes; l++) v.res[r][l] = max_u(v.x[l] & 32'hffff, v.y[l] & 32'hffff);
      OP_V_MIN_I16: begin
        for (int unsigned l = 0; l < Lanes; l++) v.res[r][l] = min_s(sext16(v.x[l]), sext16(v.y[l])) & 32'hffff;
      end
      OP_V_MAX_I16: begin
        for (int unsigned l = 0; l < Lanes; l++) v.res[r][l] = max_s(sext16(v.x[l]), sext16(v.y[l])) & 32'hffff;
      end
      OP_V_ADD_U16: for (int unsigned l = 0; l < Lanes; l++) v.res[r][l] = add16(v.x[l], v.y[l], clamp);
      OP_V_SUB_U16: for (int unsigned l = 0; l < Lanes; l++) v.res[r][l] = sub16(v.x[l], v.y[l], clamp);
      OP_V_SUBREV_U16: for (int unsigned l = 0; l < Lanes; l++) v.res[r][l] = sub16(v.y[l], v.x[l], clamp);
      OP_V_CVT_PK_U16_U32: begin
        for (int unsigned l = 0; l < Lanes; l++) v.res[r][l] = sat_u16(v.x[l]) | (sat_u16(v.y[l]) << 16);
      end
      OP_V_CVT_PK_I16_I32: begin
        for (int unsigned l = 0; l < Lanes; l++) v.res[r][l] = sat_i16(v.x[l]) | (sat_i16(v.y[l]) << 16);
      end
    endcase
  endfunction
`endif

  // v_cndmask (mask: bits of this row), v_mbcnt.
  function automatic void select_row(`LANES_ARG input logic [1:0] r, input logic [9:0] op, input beat_t beat,
                                     input logic [31:0] mask);
    `NO_INLINE
    logic [31:0] first, n;
    if (op == OP_V_CNDMASK_B32) begin
      for (int unsigned l = 0; l < Lanes; l++) `RESULT(r)[l] = ((mask >> l) & 32'd1) != 32'd0 ? v.y[l] : v.x[l];
    end else begin
      // ones below this lane, in the half of the wavefront that the opcode names
      first = op == OP_V_MBCNT_LO_U32_B32 ? 32'd0 : 32'd32;
      for (int unsigned l = 0; l < Lanes; l++) begin
        n = 32'({beat, l[LaneW-1:0]});
        n = n >= first + 32'd32 ? 32'hffffffff : n < first ? 32'd0 : (32'd1 << (n & 32'd31)) - 32'd1;
        `RESULT(r)[l] = popcount(v.x[l] & n) + v.y[l];
      end
    end
  endfunction

  // v.bits of v.over.
  function automatic void gather(`LANES_ONLY);
    logic [31:0] bits;
    bits = 32'd0;
    for (int unsigned l = 0; l < Lanes; l++) bits = bits | ((v.over[l] & 32'd1) << l);
    v.bits = bits & 32'(enable_t'('1));
  endfunction

`ifndef SYNTHESIS  // hardware: simd_rows_shared_int.svh
  // Sum or difference with carry; carry: bits of this row, 0 where the opcode takes none.
  function automatic void add_row(`LANES_ARG input logic [1:0] r, input logic [9:0] op, input logic [31:0] carry,
                                  input logic [31:0] clamp);
    `NO_INLINE
    if (op == OP_V_ADD_U32 && clamp == 32'd0 && carry == 32'd0) begin
      for (int unsigned l = 0; l < Lanes; l++) begin
        v.res[r][l] = v.x[l] + v.y[l];
        v.over[l] = 32'(v.res[r][l] < v.x[l]);
      end
    end else if (op == OP_V_ADD_U32 || op == OP_V_ADDC_U32) begin
      for (int unsigned l = 0; l < Lanes; l++) begin
        add_op(v.x[l], v.y[l], (carry >> l) & 32'd1, clamp, v.res[r][l], v.over[l]);
      end
    end else if (op == OP_V_SUB_U32 || op == OP_V_SUBB_U32) begin
      for (int unsigned l = 0; l < Lanes; l++) begin
        sub_op(v.x[l], v.y[l], (carry >> l) & 32'd1, clamp, v.res[r][l], v.over[l]);
      end
    end else begin
      for (int unsigned l = 0; l < Lanes; l++) begin
        sub_op(v.y[l], v.x[l], (carry >> l) & 32'd1, clamp, v.res[r][l], v.over[l]);
      end
    end
    gather(`LANES_CALL);
  endfunction
`endif

`ifndef SYNTHESIS  // hardware: simd_rows_shared.svh
  function automatic void mul24_row(`LANES_ARG input logic [1:0] r, input logic [9:0] op, input logic [31:0] clamp);
    `NO_INLINE
    case (op)
      OP_V_MAD_I16: for (int unsigned l = 0; l < Lanes; l++) v.res[r][l] = mad_i16(v.x[l], v.y[l], v.z[l], clamp);
      OP_V_MUL_LO_U16, OP_V_MAD_U16: begin
        for (int unsigned l = 0; l < Lanes; l++) begin
          v.res[r][l] = mad_u16(v.x[l], v.y[l], op == OP_V_MUL_LO_U16 ? 32'd0 : v.z[l], clamp);
        end
      end
      OP_V_MUL_HI_I32_I24: begin
        for (int unsigned l = 0; l < Lanes; l++) v.res[r][l] = mul24_high(sext24(v.x[l]), sext24(v.y[l]));
      end
      OP_V_MUL_HI_U32_U24: begin
        for (int unsigned l = 0; l < Lanes; l++) v.res[r][l] = mul24_high(v.x[l] & 32'hffffff, v.y[l] & 32'hffffff);
      end
      OP_V_MUL_I32_I24: for (int unsigned l = 0; l < Lanes; l++) v.res[r][l] = sext24(v.x[l]) * sext24(v.y[l]);
      OP_V_MUL_U32_U24: begin
        for (int unsigned l = 0; l < Lanes; l++) v.res[r][l] = (v.x[l] & 32'hffffff) * (v.y[l] & 32'hffffff);
      end
      OP_V_MAD_I32_I24: for (int unsigned l = 0; l < Lanes; l++) v.res[r][l] = sext24(v.x[l]) * sext24(v.y[l]) + v.z[l];
      default: begin  // v_mad_u32_u24
        for (int unsigned l = 0; l < Lanes; l++) v.res[r][l] = (v.x[l] & 32'hffffff) * (v.y[l] & 32'hffffff) + v.z[l];
      end
    endcase
  endfunction
`endif

`ifndef SYNTHESIS  // hardware: simd_rows_shared_int.svh
  // Compares of 32 and 16 bits and class tests.
  function automatic void cmp_row(`LANES_ARG input logic [7:0] op, input logic half, input logic keep16,
                                  input logic keep32);
    `NO_INLINE
    logic [31:0] set, n;
    set = 32'(op[3:0]);
    n = set[3] ? 32'd0 : 32'h80000000;  // signed: sign bits flipped
    case (op[7:4])
      4'h1: begin  // class
        if (half) begin
          for (int unsigned l = 0; l < Lanes; l++) begin
            v.over[l] = class_float(v.x[l] & 32'hffff, 32'h7c00, 32'h8000, 32'h200, v.y[l]);
          end
        end else begin
          for (int unsigned l = 0; l < Lanes; l++) begin
            v.over[l] = class_float(v.x[l], 32'h7f800000, 32'h80000000, 32'h400000, v.y[l]);
          end
        end
      end
      4'h2, 4'h3: begin
        for (int unsigned l = 0; l < Lanes; l++) begin
          v.over[l] = compare_float(v.x[l] & 32'hffff, v.y[l] & 32'hffff, 32'h7c00, 32'h8000, keep16, set);
        end
      end
      4'h4, 4'h5: begin
        for (int unsigned l = 0; l < Lanes; l++) begin
          v.over[l] = compare_float(v.x[l], v.y[l], 32'h7f800000, 32'h80000000, keep32, set);
        end
      end
      4'ha, 4'hb: for (int unsigned l = 0; l < Lanes; l++) v.over[l] = compare32(v.x[l] << 16, v.y[l] << 16, n, set);
      default: for (int unsigned l = 0; l < Lanes; l++) v.over[l] = compare32(v.x[l], v.y[l], n, set);
    endcase
    gather(`LANES_CALL);
  endfunction
`endif

  // Pairs: high rows in v.x, v.y, low rows in v.xl, v.yl.
  function automatic void cmp64_row(`LANES_ARG input logic [3:0] op);
    `NO_INLINE
    logic [63:0] n;
    logic [31:0] set;
    set = 32'(op[2:0]);
    n = op[3] ? 64'd0 : 64'h8000000000000000;
    for (int unsigned l = 0; l < Lanes; l++) begin
      v.over[l] = compare64({v.x[l], v.xl[l]}, {v.y[l], v.yl[l]}, n, set);
    end
    gather(`LANES_CALL);
  endfunction

`ifndef SYNTHESIS
  function automatic void shift64_row(`LANES_ARG input logic [1:0] r0, input logic [1:0] r1, input logic [9:0] op);
    `NO_INLINE
    logic [63:0] t;
    logic [31:0] kind;
    kind = op == OP_V_LSHLREV_B64 ? 32'd0 : op == OP_V_LSHRREV_B64 ? 32'd1 : 32'd2;
    for (int unsigned l = 0; l < Lanes; l++) begin
      t = shift64({v.y[l], v.yl[l]}, v.xl[l], kind);
      v.res[r0][l] = 32'(t);
      v.res[r1][l] = 32'(t >> 32);
    end
  endfunction
`endif
