// SPDX-License-Identifier: Apache-2.0
// Part of cu_simd, hardware form only: integer operations of stage 1 and compares, which share in each lane one shifter,
// three comparisons, a count of zeros, one adder.  In simulation each operation has its own text (simd_rows_int.svh),
// which is faster; tests/rtl/cu/simd and simd_synth run both forms against the golden model.  Not responsible for:
// multiplications (simd_rows_shared.svh).

  // n ones.
  function automatic logic [31:0] ones(input logic [4:0] n);
    logic [31:0] m;
    for (int unsigned k = 0; k < 32; k++) m[k[4:0]] = n > k[4:0];
    return m;
  endfunction

  // Shifts and bit fields: everything that is {high, low} >> n, with a mask.
  function automatic logic [31:0] shift_op(input logic [9:0] op, input logic [31:0] x, input logic [31:0] y,
                                           input logic [31:0] z);
    logic [31:0] high, low, mask, t;
    logic [4:0] n;
    logic left, field, signed_field, sign;
    left = op == OP_V_LSHLREV_B32 || op == OP_V_LSHLREV_B16 || op == OP_V_BFM_B32;
    signed_field = op == OP_V_BFE_I32;
    field = op == OP_V_BFE_U32 || signed_field;
    mask = ones(op == OP_V_BFM_B32 ? x[4:0] : z[4:0]);
    high = 32'd0;
    low = y;
    n = x[4:0];
    case (op)
      OP_V_ASHRREV_I32: high = {32{y[31]}};
      OP_V_LSHRREV_B16: low[31:16] = '0;
      OP_V_ASHRREV_I16: low[31:16] = {16{y[15]}};
      OP_V_ALIGNBIT_B32: begin
        high = x;
        n = z[4:0];
      end
      OP_V_ALIGNBYTE_B32: begin
        high = x;
        n = {z[1:0], 3'd0};
      end
      OP_V_BFM_B32: begin
        low = mask;
        n = y[4:0];
      end
      OP_V_BFE_U32, OP_V_BFE_I32: begin
        high = {32{signed_field && x[31]}};
        low = x;
        n = y[4:0];
      end
      default: ;
    endcase
    if (op == OP_V_LSHRREV_B16 || op == OP_V_ASHRREV_I16 || op == OP_V_LSHLREV_B16) n[4] = 1'b0;
    if (left) begin  // {low, 0} >> (32 - n)
      high = low >> 1;
      low = {low[0], 31'd0};
      n = ~n;
    end
    t = 32'({high, low} >> n);
    sign = signed_field && (t & mask & ~(mask >> 1)) != '0;  // the field's highest bit
    if (field) t = (t & mask) | (sign ? ~mask : 32'd0);
    if (op == OP_V_LSHRREV_B16 || op == OP_V_ASHRREV_I16 || op == OP_V_LSHLREV_B16) t[31:16] = '0;
    return t;
  endfunction

  // Minimum, maximum, median of two or three, and sums of differences and counts.
  function automatic logic [31:0] order_op(input logic [9:0] op, input logic [31:0] x, input logic [31:0] y,
                                           input logic [31:0] z);
    logic [31:0] a, b, c, flip, low, high, third, t, u;
    logic shorts, is_signed, three, median, maximum, counts;
    shorts = op == OP_V_MIN_U16 || op == OP_V_MAX_U16 || op == OP_V_MIN_I16 || op == OP_V_MAX_I16;
    is_signed = op == OP_V_MIN_I32 || op == OP_V_MAX_I32 || op == OP_V_MIN3_I32 || op == OP_V_MAX3_I32 ||
        op == OP_V_MED3_I32 || op == OP_V_MIN_I16 || op == OP_V_MAX_I16;
    maximum = op == OP_V_MAX_I32 || op == OP_V_MAX_U32 || op == OP_V_MAX3_I32 || op == OP_V_MAX3_U32 ||
        op == OP_V_MAX_U16 || op == OP_V_MAX_I16;
    median = op == OP_V_MED3_I32 || op == OP_V_MED3_U32;
    three = median || op == OP_V_MIN3_I32 || op == OP_V_MAX3_I32 || op == OP_V_MIN3_U32 || op == OP_V_MAX3_U32;
    flip = is_signed ? 32'h80000000 : 32'd0;
    a = (shorts ? {x[15:0], 16'd0} : x) ^ flip;
    b = (shorts ? {y[15:0], 16'd0} : y) ^ flip;
    c = z ^ flip;
    low = a < b ? a : b;
    high = a < b ? b : a;
    // median: the larger of `low` and the smaller of `high` and c
    t = maximum || median ? high : low;
    third = (t < c) == maximum ? c : t;
    if (three) t = median ? (low > third ? low : third) : third;
    t = t ^ flip;
    if (shorts) t = t >> 16;
    case (op)
      OP_V_SAD_U8, OP_V_MSAD_U8, OP_V_SAD_HI_U8: begin
        t = sad(x, y, op == OP_V_MSAD_U8);
        if (op == OP_V_SAD_HI_U8) t = t << 16;
      end
      OP_V_SAD_U16: t = absdiff(x & 32'hffff, y & 32'hffff) + absdiff(x >> 16, y >> 16);
      OP_V_SAD_U32: t = high - low;
      OP_V_BCNT_U32_B32: t = popcount(x);
      default: ;
    endcase
    counts = op == OP_V_BCNT_U32_B32;
    u = counts ? y : op == OP_V_SAD_U8 || op == OP_V_MSAD_U8 || op == OP_V_SAD_HI_U8 || op == OP_V_SAD_U16 ||
        op == OP_V_SAD_U32 ? z : 32'd0;
    return t + u;
  endfunction

  // Zeros before the first one.
  function automatic logic [31:0] zeros_op(input logic [9:0] op, input logic [31:0] x);
    logic [31:0] t, n;
    t = op == OP_V_FFBL_B32 ? reverse(x) : op == OP_V_FFBH_I32 && x[31] ? ~x : x;
    fpu_sum_pkg::leading(t, n);
    return t == 32'd0 ? 32'hffffffff : n;
  endfunction

  // Everything of class ClsBit.
  function automatic void bit_row(input logic [1:0] r, input logic [9:0] op, input logic [31:0] clamp);
    logic [31:0] x, y, z, t;
    for (int unsigned l = 0; l < Lanes; l++) begin
      x = v.x[l];
      y = v.y[l];
      z = v.z[l];
      case (op)
        OP_V_MOV_B32, OP_V_MOVRELD_B32, OP_V_MOVRELS_B32, OP_V_MOVRELSD_B32: t = x;
        OP_V_NOT_B32: t = ~x;
        OP_V_AND_B32: t = x & y;
        OP_V_OR_B32: t = x | y;
        OP_V_XOR_B32: t = x ^ y;
        OP_V_BFI_B32: t = (x & y) | (~x & z);
        OP_V_BFREV_B32: t = reverse(x);
        OP_V_FFBH_U32, OP_V_FFBH_I32, OP_V_FFBL_B32: t = zeros_op(op, x);
        OP_V_PERM_B32: t = perm(x, y, z);
        OP_V_LERP_U8: t = lerp(x, y, z);
        OP_V_ADD_U16: t = add16(x, y, clamp);
        OP_V_SUB_U16: t = sub16(x, y, clamp);
        OP_V_SUBREV_U16: t = sub16(y, x, clamp);
        OP_V_CVT_PK_U16_U32: t = sat_u16(x) | (sat_u16(y) << 16);
        OP_V_CVT_PK_I16_I32: t = sat_i16(x) | (sat_i16(y) << 16);
        OP_V_LSHRREV_B32, OP_V_ASHRREV_I32, OP_V_LSHLREV_B32, OP_V_LSHRREV_B16, OP_V_ASHRREV_I16, OP_V_LSHLREV_B16,
        OP_V_BFM_B32, OP_V_ALIGNBIT_B32, OP_V_ALIGNBYTE_B32, OP_V_BFE_U32, OP_V_BFE_I32: t = shift_op(op, x, y, z);
        default: t = order_op(op, x, y, z);
      endcase
      result[l] = t;
    end
  endfunction

  // Sum or difference with carry; carry: bits of this row, 0 where the opcode takes none.
  function automatic void add_row(input logic [1:0] r, input logic [9:0] op, input logic [31:0] carry,
                                  input logic [31:0] clamp);
    logic [32:0] sum;
    logic [31:0] x, y;
    logic adds, reversed, over;
    adds = op == OP_V_ADD_U32 || op == OP_V_ADDC_U32;
    reversed = !(adds || op == OP_V_SUB_U32 || op == OP_V_SUBB_U32);
    for (int unsigned l = 0; l < Lanes; l++) begin
      x = reversed ? v.y[l] : v.x[l];
      y = (reversed ? v.x[l] : v.y[l]) ^ {32{!adds}};
      sum = {1'b0, x} + {1'b0, y} + 33'(carry[l[4:0]] ^ !adds);
      over = sum[32] ^ !adds;  // carry or borrow
      result[l] = clamp[0] && over ? {32{adds}} : sum[31:0];
      v.over[l] = 32'(over);
    end
    gather();
  endfunction

  // Compares of 32 and 16 bits and class tests; 16 bits stand in the upper half.
  function automatic void cmp_row(input logic [7:0] op, input logic half, input logic keep16, input logic keep32);
    logic [31:0] set, n, x, y;
    logic shorts, floats;
    set = 32'(op[3:0]);
    n = set[3] ? 32'd0 : 32'h80000000;  // signed: sign bits flipped
    floats = op[7:4] >= 4'h2 && op[7:4] <= 4'h5;
    shorts = op[7:4] == 4'h1 ? half : op[7:4] == 4'h2 || op[7:4] == 4'h3 || op[7:5] == 3'b101;
    for (int unsigned l = 0; l < Lanes; l++) begin
      x = shorts ? v.x[l] << 16 : v.x[l];
      y = shorts ? v.y[l] << 16 : v.y[l];
      v.over[l] = op[7:4] == 4'h1 ? class_float(x, shorts ? 32'h7c000000 : 32'h7f800000, 32'h80000000,
                                                shorts ? 32'h2000000 : 32'h400000, v.y[l]) :
          floats ? compare_float(x, y, shorts ? 32'h7c000000 : 32'h7f800000, 32'h80000000, shorts ? keep16 : keep32,
                                 set) :
          compare32(x, y, n, set);
    end
    gather();
  endfunction

  // Pairs: high rows in v.x, v.y, low rows in v.xl, v.yl.  To the left is to the right with the bits turned round.
  function automatic void shift64_row(input logic [1:0] r0, input logic [1:0] r1, input logic [9:0] op);
    logic [63:0] t;
    logic left;
    left = op == OP_V_LSHLREV_B64;
    for (int unsigned l = 0; l < Lanes; l++) begin
      t = left ? {reverse(v.yl[l]), reverse(v.y[l])} : {v.y[l], v.yl[l]};
      t = 64'($unsigned($signed({op == OP_V_ASHRREV_I64 && t[63], t}) >>> v.xl[l][5:0]));
      result[l] = left ? reverse(t[63:32]) : t[31:0];
      result_high[l] = left ? reverse(t[31:0]) : t[63:32];
    end
  endfunction
