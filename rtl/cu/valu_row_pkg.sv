// SPDX-License-Identifier: Apache-2.0
// Integer operations of the vector ALU on a row of 16 lanes (stage 1 of cu_simd): the opcode test outside, the lane
// loop inside.  Operands s.x, s.y, s.z; results s.res[r] or, one bit a lane, the return value.  Not responsible for:
// the operations themselves (valu_int_pkg, valu_cmp_pkg), modifiers, quarter-rate units (valu_quarter_pkg).
package valu_row_pkg;
  import gcn3_pkg::*;
  import valu_lanes_pkg::lanes_t;
  import valu_int_pkg::*;
  import valu_cmp_pkg::*;

  // Bit fields, shifts, minimum and maximum, 16-bit sums: everything of class ClsBit.
  function automatic void bit_row(ref lanes_t s, input logic [1:0] r, input logic [9:0] op, input logic [31:0] clamp);
    /* verilator no_inline_task */
    case (op)
      OP_V_MOV_B32, OP_V_MOVRELD_B32, OP_V_MOVRELS_B32, OP_V_MOVRELSD_B32: begin
        for (int unsigned l = 0; l < 16; l++) s.res[r][l] = s.x[l];
      end
      default: ;
      OP_V_NOT_B32: for (int unsigned l = 0; l < 16; l++) s.res[r][l] = ~s.x[l];
      OP_V_AND_B32: for (int unsigned l = 0; l < 16; l++) s.res[r][l] = s.x[l] & s.y[l];
      OP_V_OR_B32: for (int unsigned l = 0; l < 16; l++) s.res[r][l] = s.x[l] | s.y[l];
      OP_V_XOR_B32: for (int unsigned l = 0; l < 16; l++) s.res[r][l] = s.x[l] ^ s.y[l];
      OP_V_LSHRREV_B32: for (int unsigned l = 0; l < 16; l++) s.res[r][l] = s.y[l] >> (s.x[l] & 32'd31);
      OP_V_ASHRREV_I32: begin
        for (int unsigned l = 0; l < 16; l++) s.res[r][l] = $unsigned($signed(s.y[l]) >>> (s.x[l] & 32'd31));
      end
      OP_V_LSHLREV_B32: for (int unsigned l = 0; l < 16; l++) s.res[r][l] = s.y[l] << (s.x[l] & 32'd31);
      OP_V_LSHRREV_B16: for (int unsigned l = 0; l < 16; l++) s.res[r][l] = (s.y[l] & 32'hffff) >> (s.x[l] & 32'd15);
      OP_V_ASHRREV_I16: begin
        for (int unsigned l = 0; l < 16; l++) begin
          s.res[r][l] = $unsigned($signed(sext16(s.y[l])) >>> (s.x[l] & 32'd15)) & 32'hffff;
        end
      end
      OP_V_LSHLREV_B16: for (int unsigned l = 0; l < 16; l++) s.res[r][l] = (s.y[l] << (s.x[l] & 32'd15)) & 32'hffff;
      OP_V_BFM_B32: begin
        for (int unsigned l = 0; l < 16; l++) begin
          s.res[r][l] = ((32'd1 << (s.x[l] & 32'd31)) - 32'd1) << (s.y[l] & 32'd31);
        end
      end
      OP_V_BFI_B32: for (int unsigned l = 0; l < 16; l++) s.res[r][l] = (s.x[l] & s.y[l]) | (~s.x[l] & s.z[l]);
      OP_V_ALIGNBIT_B32: begin
        for (int unsigned l = 0; l < 16; l++) s.res[r][l] = 32'({s.x[l], s.y[l]} >> (s.z[l] & 32'd31));
      end
      OP_V_ALIGNBYTE_B32: begin
        for (int unsigned l = 0; l < 16; l++) s.res[r][l] = 32'({s.x[l], s.y[l]} >> ((s.z[l] & 32'd3) << 3));
      end
      OP_V_BCNT_U32_B32: for (int unsigned l = 0; l < 16; l++) s.res[r][l] = popcount(s.x[l]) + s.y[l];
      OP_V_FFBH_U32: begin
        for (int unsigned l = 0; l < 16; l++) s.res[r][l] = s.x[l] == 32'd0 ? 32'hffffffff : clz32(s.x[l]);
      end
      OP_V_FFBL_B32: begin
        for (int unsigned l = 0; l < 16; l++) begin
          s.res[r][l] = s.x[l] == 32'd0 ? 32'hffffffff : popcount((s.x[l] & (~s.x[l] + 32'd1)) - 32'd1);
        end
      end
      OP_V_FFBH_I32: for (int unsigned l = 0; l < 16; l++) s.res[r][l] = ffbh_i(s.x[l]);
      OP_V_BFREV_B32: for (int unsigned l = 0; l < 16; l++) s.res[r][l] = reverse(s.x[l]);
      OP_V_BFE_U32: begin
        for (int unsigned l = 0; l < 16; l++) begin
          s.res[r][l] = (s.x[l] >> (s.y[l] & 32'd31)) & ((32'd1 << (s.z[l] & 32'd31)) - 32'd1);
        end
      end
      OP_V_BFE_I32: for (int unsigned l = 0; l < 16; l++) s.res[r][l] = bfe_i(s.x[l], s.y[l], s.z[l]);
      OP_V_PERM_B32: for (int unsigned l = 0; l < 16; l++) s.res[r][l] = perm(s.x[l], s.y[l], s.z[l]);
      OP_V_SAD_U8: for (int unsigned l = 0; l < 16; l++) s.res[r][l] = sad(s.x[l], s.y[l], 1'b0) + s.z[l];
      OP_V_SAD_HI_U8: for (int unsigned l = 0; l < 16; l++) s.res[r][l] = (sad(s.x[l], s.y[l], 1'b0) << 16) + s.z[l];
      OP_V_SAD_U16: begin
        for (int unsigned l = 0; l < 16; l++) begin
          s.res[r][l] = absdiff(s.x[l] & 32'hffff, s.y[l] & 32'hffff) + absdiff(s.x[l] >> 16, s.y[l] >> 16) + s.z[l];
        end
      end
      OP_V_SAD_U32: for (int unsigned l = 0; l < 16; l++) s.res[r][l] = absdiff(s.x[l], s.y[l]) + s.z[l];
      OP_V_MSAD_U8: for (int unsigned l = 0; l < 16; l++) s.res[r][l] = sad(s.x[l], s.y[l], 1'b1) + s.z[l];
      OP_V_LERP_U8: for (int unsigned l = 0; l < 16; l++) s.res[r][l] = lerp(s.x[l], s.y[l], s.z[l]);
      OP_V_MIN_I32: for (int unsigned l = 0; l < 16; l++) s.res[r][l] = min_s(s.x[l], s.y[l]);
      OP_V_MAX_I32: for (int unsigned l = 0; l < 16; l++) s.res[r][l] = max_s(s.x[l], s.y[l]);
      OP_V_MIN_U32: for (int unsigned l = 0; l < 16; l++) s.res[r][l] = min_u(s.x[l], s.y[l]);
      OP_V_MAX_U32: for (int unsigned l = 0; l < 16; l++) s.res[r][l] = max_u(s.x[l], s.y[l]);
      OP_V_MIN3_I32: for (int unsigned l = 0; l < 16; l++) s.res[r][l] = min_s(min_s(s.x[l], s.y[l]), s.z[l]);
      OP_V_MAX3_I32: for (int unsigned l = 0; l < 16; l++) s.res[r][l] = max_s(max_s(s.x[l], s.y[l]), s.z[l]);
      OP_V_MED3_I32: begin
        for (int unsigned l = 0; l < 16; l++) begin
          s.res[r][l] = max_s(min_s(s.x[l], s.y[l]), min_s(max_s(s.x[l], s.y[l]), s.z[l]));
        end
      end
      OP_V_MIN3_U32: for (int unsigned l = 0; l < 16; l++) s.res[r][l] = min_u(min_u(s.x[l], s.y[l]), s.z[l]);
      OP_V_MAX3_U32: for (int unsigned l = 0; l < 16; l++) s.res[r][l] = max_u(max_u(s.x[l], s.y[l]), s.z[l]);
      OP_V_MED3_U32: begin
        for (int unsigned l = 0; l < 16; l++) begin
          s.res[r][l] = max_u(min_u(s.x[l], s.y[l]), min_u(max_u(s.x[l], s.y[l]), s.z[l]));
        end
      end
      OP_V_MIN_U16: for (int unsigned l = 0; l < 16; l++) s.res[r][l] = min_u(s.x[l] & 32'hffff, s.y[l] & 32'hffff);
      OP_V_MAX_U16: for (int unsigned l = 0; l < 16; l++) s.res[r][l] = max_u(s.x[l] & 32'hffff, s.y[l] & 32'hffff);
      OP_V_MIN_I16: begin
        for (int unsigned l = 0; l < 16; l++) s.res[r][l] = min_s(sext16(s.x[l]), sext16(s.y[l])) & 32'hffff;
      end
      OP_V_MAX_I16: begin
        for (int unsigned l = 0; l < 16; l++) s.res[r][l] = max_s(sext16(s.x[l]), sext16(s.y[l])) & 32'hffff;
      end
      OP_V_ADD_U16: for (int unsigned l = 0; l < 16; l++) s.res[r][l] = add16(s.x[l], s.y[l], clamp);
      OP_V_SUB_U16: for (int unsigned l = 0; l < 16; l++) s.res[r][l] = sub16(s.x[l], s.y[l], clamp);
      OP_V_SUBREV_U16: for (int unsigned l = 0; l < 16; l++) s.res[r][l] = sub16(s.y[l], s.x[l], clamp);
      OP_V_CVT_PK_U16_U32: begin
        for (int unsigned l = 0; l < 16; l++) s.res[r][l] = sat_u16(s.x[l]) | (sat_u16(s.y[l]) << 16);
      end
      OP_V_CVT_PK_I16_I32: begin
        for (int unsigned l = 0; l < 16; l++) s.res[r][l] = sat_i16(s.x[l]) | (sat_i16(s.y[l]) << 16);
      end
    endcase
  endfunction

  // v_cndmask (mask: bits of this row), v_mbcnt.
  function automatic void select_row(ref lanes_t s, input logic [1:0] r, input logic [9:0] op, input logic [1:0] beat,
                                     input logic [31:0] mask);
    /* verilator no_inline_task */
    logic [31:0] first, n;
    if (op == OP_V_CNDMASK_B32) begin
      for (int unsigned l = 0; l < 16; l++) s.res[r][l] = ((mask >> l) & 32'd1) != 32'd0 ? s.y[l] : s.x[l];
    end else begin
      // ones below this lane, in the half of the wavefront that the opcode names
      first = op == OP_V_MBCNT_LO_U32_B32 ? 32'd0 : 32'd32;
      for (int unsigned l = 0; l < 16; l++) begin
        n = 32'({beat, l[3:0]});
        n = n >= first + 32'd32 ? 32'hffffffff : n < first ? 32'd0 : (32'd1 << (n & 32'd31)) - 32'd1;
        s.res[r][l] = popcount(s.x[l] & n) + s.y[l];
      end
    end
  endfunction

  // Carries or borrows of a row, from s.over.
  function automatic logic [31:0] gather(ref lanes_t s);
    logic [31:0] bits;
    bits = 32'd0;
    for (int unsigned l = 0; l < 16; l++) bits = bits | ((s.over[l] & 32'd1) << l);
    return bits;
  endfunction

  // Sum or difference with carry; carry: bits of this row, 0 where the opcode takes none.
  function automatic logic [31:0] add_row(ref lanes_t s, input logic [1:0] r, input logic [9:0] op,
                                          input logic [31:0] carry, input logic [31:0] clamp);
    /* verilator no_inline_task */
    if (op == OP_V_ADD_U32 && clamp == 32'd0 && carry == 32'd0) begin
      for (int unsigned l = 0; l < 16; l++) begin
        s.res[r][l] = s.x[l] + s.y[l];
        s.over[l] = 32'(s.res[r][l] < s.x[l]);
      end
    end else if (op == OP_V_ADD_U32 || op == OP_V_ADDC_U32) begin
      for (int unsigned l = 0; l < 16; l++) begin
        add_op(s.x[l], s.y[l], (carry >> l) & 32'd1, clamp, s.res[r][l], s.over[l]);
      end
    end else if (op == OP_V_SUB_U32 || op == OP_V_SUBB_U32) begin
      for (int unsigned l = 0; l < 16; l++) begin
        sub_op(s.x[l], s.y[l], (carry >> l) & 32'd1, clamp, s.res[r][l], s.over[l]);
      end
    end else begin
      for (int unsigned l = 0; l < 16; l++) begin
        sub_op(s.y[l], s.x[l], (carry >> l) & 32'd1, clamp, s.res[r][l], s.over[l]);
      end
    end
    return gather(s);
  endfunction

  function automatic void mul24_row(ref lanes_t s, input logic [1:0] r, input logic [9:0] op);
    /* verilator no_inline_task */
    case (op)
      OP_V_MUL_LO_U16, OP_V_MAD_U16, OP_V_MAD_I16: begin
        for (int unsigned l = 0; l < 16; l++) begin
          s.res[r][l] = ((s.x[l] & 32'hffff) * (s.y[l] & 32'hffff) + (op == OP_V_MUL_LO_U16 ? 32'd0 : s.z[l])) &
              32'hffff;
        end
      end
      OP_V_MUL_HI_I32_I24: begin
        for (int unsigned l = 0; l < 16; l++) s.res[r][l] = mul24_high(sext24(s.x[l]), sext24(s.y[l]));
      end
      OP_V_MUL_HI_U32_U24: begin
        for (int unsigned l = 0; l < 16; l++) s.res[r][l] = mul24_high(s.x[l] & 32'hffffff, s.y[l] & 32'hffffff);
      end
      OP_V_MUL_I32_I24: for (int unsigned l = 0; l < 16; l++) s.res[r][l] = sext24(s.x[l]) * sext24(s.y[l]);
      OP_V_MUL_U32_U24: begin
        for (int unsigned l = 0; l < 16; l++) s.res[r][l] = (s.x[l] & 32'hffffff) * (s.y[l] & 32'hffffff);
      end
      OP_V_MAD_I32_I24: for (int unsigned l = 0; l < 16; l++) s.res[r][l] = sext24(s.x[l]) * sext24(s.y[l]) + s.z[l];
      default: begin  // v_mad_u32_u24
        for (int unsigned l = 0; l < 16; l++) s.res[r][l] = (s.x[l] & 32'hffffff) * (s.y[l] & 32'hffffff) + s.z[l];
      end
    endcase
  endfunction

  // Compares of 32 and 16 bits and class tests.
  function automatic logic [31:0] cmp_row(ref lanes_t s, input logic [7:0] op, input logic half, input logic keep16,
                                          input logic keep32);
    /* verilator no_inline_task */
    logic [31:0] set, n;
    set = 32'(op[3:0]);
    n = set[3] ? 32'd0 : 32'h80000000;  // signed: sign bits flipped
    case (op[7:4])
      4'h1: begin  // class
        if (half) begin
          for (int unsigned l = 0; l < 16; l++) begin
            s.over[l] = class_float(s.x[l] & 32'hffff, 32'h7c00, 32'h8000, 32'h200, s.y[l]);
          end
        end else begin
          for (int unsigned l = 0; l < 16; l++) begin
            s.over[l] = class_float(s.x[l], 32'h7f800000, 32'h80000000, 32'h400000, s.y[l]);
          end
        end
      end
      4'h2, 4'h3: begin
        for (int unsigned l = 0; l < 16; l++) begin
          s.over[l] = compare_float(s.x[l] & 32'hffff, s.y[l] & 32'hffff, 32'h7c00, 32'h8000, keep16, set);
        end
      end
      4'h4, 4'h5: begin
        for (int unsigned l = 0; l < 16; l++) begin
          s.over[l] = compare_float(s.x[l], s.y[l], 32'h7f800000, 32'h80000000, keep32, set);
        end
      end
      4'ha, 4'hb: for (int unsigned l = 0; l < 16; l++) s.over[l] = compare32(s.x[l] << 16, s.y[l] << 16, n, set);
      default: for (int unsigned l = 0; l < 16; l++) s.over[l] = compare32(s.x[l], s.y[l], n, set);
    endcase
    return gather(s);
  endfunction

  // Pairs: high rows in s.x, s.y, low rows in s.xl, s.yl.
  function automatic logic [31:0] cmp64_row(ref lanes_t s, input logic [3:0] op);
    /* verilator no_inline_task */
    logic [63:0] n;
    logic [31:0] set;
    set = 32'(op[2:0]);
    n = op[3] ? 64'd0 : 64'h8000000000000000;
    for (int unsigned l = 0; l < 16; l++) begin
      s.over[l] = compare64({s.x[l], s.xl[l]}, {s.y[l], s.yl[l]}, n, set);
    end
    return gather(s);
  endfunction

  function automatic void shift64_row(ref lanes_t s, input logic [1:0] r0, input logic [1:0] r1, input logic [9:0] op);
    /* verilator no_inline_task */
    logic [63:0] t;
    logic [31:0] kind;
    kind = op == OP_V_LSHLREV_B64 ? 32'd0 : op == OP_V_LSHRREV_B64 ? 32'd1 : 32'd2;
    for (int unsigned l = 0; l < 16; l++) begin
      t = shift64({s.y[l], s.yl[l]}, s.xl[l], kind);
      s.res[r0][l] = 32'(t);
      s.res[r1][l] = 32'(t >> 32);
    end
  endfunction
endpackage
