// SPDX-License-Identifier: Apache-2.0
// Value of a scalar operand from its 9-bit code: constants here, registers from what their owner holds.
// Not responsible for: which pair a register file read (cu_scalar).
package cu_operand_pkg;
  function automatic logic [63:0] inline_float(input logic [3:0] code, input logic wide, input logic half);
    logic [15:0] h;
    logic [31:0] f;
    case (code)
      4'd0: {h, f} = {16'h3800, 32'h3f000000};
      4'd1: {h, f} = {16'hb800, 32'hbf000000};
      4'd2: {h, f} = {16'h3c00, 32'h3f800000};
      4'd3: {h, f} = {16'hbc00, 32'hbf800000};
      4'd4: {h, f} = {16'h4000, 32'h40000000};
      4'd5: {h, f} = {16'hc000, 32'hc0000000};
      4'd6: {h, f} = {16'h4400, 32'h40800000};
      4'd7: {h, f} = {16'hc400, 32'hc0800000};
      default: {h, f} = {16'h3118, 32'h3e22f983};
    endcase
    if (wide && code == 4'd8) return 64'h3fc45f306dc9c882;
    if (wide) return {f[31:30], {3{~f[30]}}, f[29:0], 29'd0};
    return half ? {48'd0, h} : {32'd0, f};
  endfunction

  // Constants, codes from 128 on; `zero`: {SCC, EXEC is 0, VCC is 0}.
  function automatic logic [63:0] constant(input logic [7:0] code, input logic wide, input logic half,
                                           input logic [31:0] literal, input logic [2:0] zero);
    logic [63:0] r;
    if (code <= 8'd192) return {57'd0, code[6:0]};
    if (code <= 8'd208) begin
      r = 64'd192 - {56'd0, code};
      return wide ? r : {32'd0, r[31:0]};
    end
    if (code >= 8'd240 && code <= 8'd248) return inline_float(code[3:0], wide, half);
    case (code)
      8'd251: return {63'd0, zero[0]};
      8'd252: return {63'd0, zero[1]};
      8'd253: return {63'd0, zero[2]};
      8'd255: return {32'd0, literal};
      default: return 64'd0;
    endcase
  endfunction

  // One register of a pair, or both.
  function automatic logic [63:0] registers(input logic odd, input logic wide, input logic [63:0] pair);
    return wide ? pair : {32'd0, odd ? pair[63:32] : pair[31:0]};
  endfunction
endpackage
