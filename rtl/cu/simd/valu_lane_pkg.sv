// SPDX-License-Identifier: Apache-2.0
// What surrounds an operation of the vector ALU in one lane: SDWA selection of source bytes and merging of results,
// DPP source lanes, output multiplier and clamp.  Not responsible for: the operations, rows (simd_rows_lane.svh).
package valu_lane_pkg;
  // Byte, half or dword `sel` of x, extended.
  function automatic logic [31:0] sdwa_select(input logic [31:0] x, input logic [31:0] sel, input logic [31:0] sext);
    logic [31:0] left, right;
    // shift the field to the top, then down again
    left  = sel < 32'd4 ? (sel ^ 32'd3) << 3 : sel == 32'd4 ? 32'd16 : 32'd0;
    right = sel < 32'd4 ? 32'd24 : sel < 32'd6 ? 32'd16 : 32'd0;
    return sext != 32'd0 ? $unsigned($signed(x << left) >>> right) : (x << left) >> right;
  endfunction

  // Place result x into its field: unused 0 zero, 1 sign above, 2 keep the old bits.
  function automatic logic [31:0] sdwa_merge(input logic [31:0] x, input logic [31:0] old, input logic [31:0] sel,
                                             input logic [31:0] unused);
    logic [31:0] shift, ones, field, top, above;
    shift = sel < 32'd4 ? sel << 3 : sel == 32'd5 ? 32'd16 : 32'd0;
    ones  = sel < 32'd4 ? 32'hff : sel < 32'd6 ? 32'hffff : 32'hffffffff;
    field = ones << shift;
    top   = x & (ones ^ (ones >> 1));
    above = ~(field | (field - 32'd1));
    return ((x << shift) & field) | (unused == 32'd2 ? old & ~field : unused == 32'd1 && top != 32'd0 ? above : 32'd0);
  endfunction

  // DPP control of lane l in its row -> lane to read (4 bits); bit 4: none; bit 5: from the other row (wave and
  // broadcast controls), see dpp_other.
  function automatic logic [31:0] dpp_lane(input logic [31:0] control, input logic [31:0] l, input logic [31:0] beat);
    logic [31:0] n, edge_lane;
    n = control & 32'd15;
    if (control < 32'h100) return (l & 32'd12) | ((control >> ((l & 32'd3) << 1)) & 32'd3);
    case (control >> 4)
      32'h10: return n != 32'd0 && l + n < 32'd16 ? l + n : 32'd16;
      32'h11: return n != 32'd0 && l >= n ? l - n : 32'd16;
      32'h12: return n != 32'd0 ? (l - n) & 32'd15 : 32'd16;
      32'h13: begin
        // 130 shl, 134 rol: next lane; 138 shr, 13c ror: lane before
        edge_lane = (control & 32'd8) == 32'd0 ? 32'd15 : 32'd0;
        if (n != 32'd0 && n != 32'd4 && n != 32'd8 && n != 32'd12) return 32'd16;
        if (l != edge_lane) return (control & 32'd8) == 32'd0 ? l + 32'd1 : l - 32'd1;
        if (n == 32'd0 && beat == 32'd3) return 32'd16;
        if (n == 32'd8 && beat == 32'd0) return 32'd16;
        return 32'd32 | (32'd15 - edge_lane);
      end
      default: begin
        case (control)
          32'h140: return 32'd15 - l;
          32'h141: return l ^ 32'd7;
          32'h142: return beat != 32'd0 ? 32'd47 : 32'd16;
          32'h143: return beat >= 32'd2 ? 32'd47 : 32'd16;
          default: return 32'd16;
        endcase
      end
    endcase
  endfunction

  // The other row that a wave or broadcast control reads at this beat.
  function automatic logic [1:0] dpp_other(input logic [8:0] control, input logic [1:0] beat);
    if (control == 9'h143) return 2'd1;
    return control[8:3] == 6'b100110 ? beat + 2'd1 : beat - 2'd1;
  endfunction

  // Output multiplier (1: x2, 2: x4, 3: /2) of a finished result; overflow and underflow follow the rounding mode; zero is +0.
  function automatic logic [31:0] omod_f32(input logic [31:0] x, input logic [31:0] omod, input logic [31:0] round);
    logic [31:0] e, m, sign, up, r;
    sign = x & 32'h80000000;
    e = (x >> 23) & 32'd255;
    m = x & 32'h7fffff;
    // rounding away from zero is possible in this mode and sign
    up = round == 32'd0 || (round == 32'd1 && sign == 32'd0) || (round == 32'd2 && sign != 32'd0) ? 32'd1 : 32'd0;
    if (e == 32'd255) return m != 32'd0 ? 32'h7fc00000 : x;
    // only minimum and maximum bring subnormals here
    r = m << omod;
    r = r >= 32'h1000000 ? 32'h1000000 | ((r >> 1) & 32'h7fffff) : r;
    if (e == 32'd0) return omod == 32'd3 || r < 32'h800000 ? 32'd0 : sign | r;
    if (omod == 32'd3) begin
      r = e > 32'd1 ? ((e - 32'd1) << 23) | m : m == 32'h7fffff && up != 32'd0 ? 32'h800000 : 32'd0;
      return r == 32'd0 ? 32'd0 : sign | r;
    end
    e = e + omod;
    return sign | (e < 32'd255 ? (e << 23) | m : up != 32'd0 ? 32'h7f800000 : 32'h7f7fffff);
  endfunction

  function automatic logic [31:0] omod_f16(input logic [31:0] x, input logic [31:0] omod, input logic [31:0] round);
    logic [31:0] e, m, sign, up, r;
    sign = x & 32'h8000;
    e = (x >> 10) & 32'd31;
    m = x & 32'h3ff;
    up = round == 32'd0 || (round == 32'd1 && sign == 32'd0) || (round == 32'd2 && sign != 32'd0) ? 32'd1 : 32'd0;
    if (e == 32'd31) return m != 32'd0 ? 32'h7e00 : x & 32'hffff;
    r = m << omod;
    r = r >= 32'h800 ? 32'h800 | ((r >> 1) & 32'h3ff) : r;
    if (e == 32'd0) return omod == 32'd3 || r < 32'h400 ? 32'd0 : sign | r;
    if (omod == 32'd3) begin
      r = e > 32'd1 ? ((e - 32'd1) << 10) | m : m == 32'h3ff && up != 32'd0 ? 32'h400 : 32'd0;
      return r == 32'd0 ? 32'd0 : sign | r;
    end
    e = e + omod;
    return sign | (e < 32'd31 ? (e << 10) | m : up != 32'd0 ? 32'h7c00 : 32'h7bff);
  endfunction

  // Clamp to 0..1; NaN gives 0 with DX10_CLAMP.
  function automatic logic [31:0] clamp_float(input logic [31:0] x, input logic [31:0] infv, input logic [31:0] sign,
                                              input logic [31:0] one, input logic dx10);
    return (x & (sign - 32'd1)) > infv ? (dx10 ? 32'd0 : x) : (x & sign) != 32'd0 ? 32'd0 : x > one ? one : x;
  endfunction
endpackage
