// SPDX-License-Identifier: Apache-2.0
// Scalar ALU of the compute unit as pure functions: one result (up to 64 bits) and SCC per instruction, by format.
// Semantics follow host/isa/salu.c.  Not responsible for: operand fetch, EXEC updates of s_*_saveexec, hardware
// registers and branches (cu_scalar).
package salu_pkg;
  import gcn3_pkg::*;

  function automatic logic [63:0] reverse64(input logic [63:0] x);
    logic [63:0] r;
    r = ((x & 64'h5555555555555555) << 1) | ((x >> 1) & 64'h5555555555555555);
    r = ((r & 64'h3333333333333333) << 2) | ((r >> 2) & 64'h3333333333333333);
    r = ((r & 64'h0F0F0F0F0F0F0F0F) << 4) | ((r >> 4) & 64'h0F0F0F0F0F0F0F0F);
    r = ((r & 64'h00FF00FF00FF00FF) << 8) | ((r >> 8) & 64'h00FF00FF00FF00FF);
    r = ((r & 64'h0000FFFF0000FFFF) << 16) | ((r >> 16) & 64'h0000FFFF0000FFFF);
    return (r << 32) | (r >> 32);
  endfunction

  // First set bit from the right, -1 if there is none.
  function automatic logic [63:0] find_first(input logic [63:0] x);
    return x == 64'd0 ? 64'hFFFFFFFF : {58'd0, pick_pkg::first64(x)};
  endfunction

  // x >> offset, `width` bits of it; control = {width[22:16], offset}.
  function automatic logic [63:0] extract(input logic [63:0] x, input logic [5:0] offset, input logic [6:0] width);
    return (x >> offset) & pick_pkg::ones64(width);
  endfunction

  // Signed field of the low `size` (32 or 64) bits of x, already sign-extended to 64.
  function automatic logic [63:0] extract_signed(input logic [63:0] x, input logic [5:0] offset,
                                                 input logic [6:0] width, input logic [6:0] size);
    logic [7:0] top;
    logic [63:0] up;
    top = {1'b0, width} + {2'b0, offset};
    up  = x << (8'd64 - top);
    if (width == 7'd0) return 64'd0;
    if (top >= {1'b0, size}) return $unsigned($signed(x) >>> offset);
    return $unsigned($signed(up) >>> (7'd64 - width));
  endfunction

  function automatic void logic_op(input logic [2:0] kind, input logic [63:0] a, input logic [63:0] b,
                                   output logic [63:0] r);
    case (kind)  // order of s_and .. s_xnor
      3'd0: r = a & b;
      3'd1: r = a | b;
      3'd2: r = a ^ b;
      3'd3: r = a & ~b;
      3'd4: r = a | ~b;
      3'd5: r = ~(a & b);
      3'd6: r = ~(a | b);
      default: r = ~(a ^ b);
    endcase
  endfunction

  // Add, subtract, minimum, maximum: opcodes 0 to 9.
  function automatic void sop2_arith(input logic [6:0] op, input logic [31:0] a, input logic [31:0] b,
                                     input logic scc_i, output logic [31:0] r, output logic scc_o);
    logic [32:0] sum, diff;
    logic less, uless;
    sum   = {1'b0, a} + {1'b0, b} + {32'd0, op == 7'd4 && scc_i};
    diff  = {1'b0, a} - {1'b0, b} - {32'd0, op == 7'd5 && scc_i};
    less  = $signed(a) < $signed(b);
    uless = a < b;
    case (op)
      7'd0, 7'd4: {scc_o, r} = sum;
      7'd1, 7'd5: {scc_o, r} = diff;
      7'd2: {scc_o, r} = {(a[31] == b[31]) && (sum[31] != a[31]), sum[31:0]};
      7'd3: {scc_o, r} = {(a[31] != b[31]) && (diff[31] != a[31]), diff[31:0]};
      7'd6: {scc_o, r} = {less, less ? a : b};
      7'd7: {scc_o, r} = {uless, uless ? a : b};
      7'd8: {scc_o, r} = {!less, !less ? a : b};
      default: {scc_o, r} = {!uless, !uless ? a : b};
    endcase
  endfunction

  // s_cselect_b32 and all from 10 on; `wide` for 64-bit operands.
  function automatic void sop2_other(input logic [6:0] op, input logic wide, input logic [63:0] a,
                                     input logic [63:0] b, input logic scc_i, output logic [63:0] r);
    logic [5:0] shift;
    logic [63:0] sa, diff;
    diff  = a - b;
    shift = wide ? b[5:0] : {1'b0, b[4:0]};
    sa    = wide ? a : {{32{a[31]}}, a[31:0]};
    case (op)
      7'd10, 7'd11: r = scc_i ? a : b;
      7'd28, 7'd29: r = a << shift;
      7'd30, 7'd31: r = a >> shift;
      7'd32, 7'd33: r = $unsigned($signed(sa) >>> shift);
      7'd34: r = pick_pkg::ones64({2'b0, a[4:0]}) << b[4:0];
      7'd35: r = pick_pkg::ones64({1'b0, a[5:0]}) << b[5:0];
      7'd36: r = {32'd0, a[31:0] * b[31:0]};
      7'd37, 7'd39: r = extract(a, shift, b[22:16]);
      7'd38, 7'd40: r = extract_signed(sa, shift, b[22:16], wide ? 7'd64 : 7'd32);
      7'd42: r = diff[31] ? b - a : diff;
      default: logic_op(op[3:1] - 3'd6, a, b, r);  // 12 to 27
    endcase
  endfunction

  function automatic void sop2(input logic [6:0] op, input logic wide, input logic [63:0] a, input logic [63:0] b,
                               input logic scc_i, output logic [63:0] r, output logic scc_o);
    logic [31:0] r32;
    if (op < 7'd10) begin
      sop2_arith(op, a[31:0], b[31:0], scc_i, r32, scc_o);
      r = {32'd0, r32};
    end else begin
      sop2_other(op, wide, a, b, scc_i, r);
      if (!wide && op != 7'd35) r = {32'd0, r[31:0]};
      scc_o = r != 64'd0;
    end
  endfunction

  // Everything but branches and relative moves; s_*_saveexec gives the new EXEC.
  function automatic void sop1(input logic [7:0] op, input logic wide, input logic [63:0] a, input logic [63:0] b,
                               input logic [63:0] exec, output logic [63:0] r, output logic scc_o);
    logic [63:0] all, flip, top;
    all  = wide ? 64'hFFFFFFFFFFFFFFFF : 64'hFFFFFFFF;
    flip = (wide ? a[63] : a[31]) ? ~a & all : a;
    top  = reverse64(op == 8'd20 || op == 8'd21 ? flip : a);
    if (!wide) top = top >> 32;
    case (op)
      8'd4, 8'd5: r = ~a & all;
      8'd8, 8'd9: r = top;
      8'd10, 8'd11: r = {57'd0, pick_pkg::count64(~a & all)};
      8'd12, 8'd13: r = {57'd0, pick_pkg::count64(a)};
      8'd14, 8'd15: r = find_first(~a & all);
      8'd16, 8'd17: r = find_first(a);
      8'd18, 8'd19, 8'd20, 8'd21: r = find_first(top);
      8'd22: r = {32'd0, {24{a[7]}}, a[7:0]};
      8'd23: r = {32'd0, {16{a[15]}}, a[15:0]};
      8'd24: r = b & ~(64'd1 << a[4:0]);
      8'd25: r = b & ~(64'd1 << a[5:0]);
      8'd26: r = b | (64'd1 << a[4:0]);
      8'd27: r = b | (64'd1 << a[5:0]);
      8'd32, 8'd33, 8'd34, 8'd35, 8'd36, 8'd37, 8'd38, 8'd39: logic_op(op[2:0], a, exec, r);
      8'd48: r = {32'd0, a[31] ? -a[31:0] : a[31:0]};
      default: r = a;
    endcase
    scc_o = r != 64'd0;
  endfunction

  // s_cmp_* and s_bitcmp*; s_cmpk_* use the same order from 2 on.
  function automatic logic compare(input logic [4:0] op, input logic [63:0] a, input logic [63:0] b);
    logic less, uless, equal;
    less  = $signed(a[31:0]) < $signed(b[31:0]);
    uless = a[31:0] < b[31:0];
    equal = a[31:0] == b[31:0];
    case (op)
      5'd0, 5'd6: return equal;
      5'd1, 5'd7: return !equal;
      5'd2: return !less && !equal;
      5'd3: return !less;
      5'd4: return less;
      5'd5: return less || equal;
      5'd8: return !uless && !equal;
      5'd9: return !uless;
      5'd10: return uless;
      5'd11: return uless || equal;
      5'd12: return !a[{1'b0, b[4:0]}];
      5'd13: return a[{1'b0, b[4:0]}];
      5'd14: return !a[b[5:0]];
      5'd15: return a[b[5:0]];
      5'd18: return a == b;
      default: return a != b;
    endcase
  endfunction

  // imm: simm16 sign-extended.  Not s_getreg and s_setreg.
  function automatic void sopk(input logic [4:0] op, input logic [31:0] a, input logic [31:0] imm,
                               output logic [63:0] r, output logic scc_o);
    logic [31:0] sum;
    sum   = a + imm;
    scc_o = a[31] == imm[31] && sum[31] != a[31];
    r     = {32'd0, imm};
    if (op == 5'd14) r = {32'd0, sum};
    if (op == 5'd15) r = {32'd0, a * imm};
    if (op >= 5'd2 && op < 5'd14) begin
      scc_o = compare(op - 5'd2, {32'd0, a}, {32'd0, op >= 5'd8 ? {16'd0, imm[15:0]} : imm});
    end
  endfunction
endpackage
