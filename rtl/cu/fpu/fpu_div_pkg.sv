// SPDX-License-Identifier: Apache-2.0
// Helpers of correctly rounded division: scale decision of v_div_scale_f32 and special cases of v_div_fixup (single
// and half precision).  Rules: docs/reference/isa.md, "Division".  Not responsible for: the scaling and v_div_fmas
// themselves, which use the normaliser (fpu_fma_pkg).
package fpu_div_pkg;
  import valu_int_pkg::clz32;

  // |x / y| below the smallest normal number, from exponents and normalised mantissas.
  function automatic logic below_normal(input logic [31:0] ex, input logic [31:0] mx, input logic [31:0] ey,
                                        input logic [31:0] my);
    logic [31:0] e;
    e = ex - ey - (mx < my ? 32'd1 : 32'd0);
    return $signed(e) < -32'sd126;
  endfunction

  // Source a of denominator b and numerator c times 2**n; flag: VCC of the lane; nan: result is NaN.
  function automatic void div_scale(input logic [31:0] a, input logic [31:0] b, input logic [31:0] c,
                                output logic [31:0] n, output logic [31:0] flag, output logic [31:0] nan);
    logic [31:0] fd, fn, md, mn, ed, en, up, down;
    logic far, inverse, quotient, tiny;
    fd = (b >> 23) & 32'd255;
    fn = (c >> 23) & 32'd255;
    md = (b & 32'h7fffff) | (fd != 32'd0 ? 32'h800000 : 32'd0);
    mn = (c & 32'h7fffff) | (fn != 32'd0 ? 32'h800000 : 32'd0);
    ed = (fd != 32'd0 ? fd : 32'd1) - clz32(md) - 32'd119;
    en = (fn != 32'd0 ? fn : 32'd1) - clz32(mn) - 32'd119;
    nan = md == 32'd0 || mn == 32'd0 ? 32'd1 : 32'd0;
    md = md << (clz32(md) & 32'd31);
    mn = mn << (clz32(mn) & 32'd31);
    inverse = below_normal(32'd0, 32'h80000000, ed, md);
    quotient = below_normal(en, mn, ed, md);
    up = 32'd64;
    down = -32'd64;
    far = fn >= fd + 32'd96;
    tiny = fn <= 32'd23;
    flag = nan == 32'd0 && (far || (fd != 32'd0 && quotient)) ? 32'd1 : 32'd0;
    n = far ? (a == b ? up : 32'd0) : fd == 32'd0 ? up : inverse && quotient ? (a == b ? down : 32'd0) :
        inverse ? down : quotient ? (a == c ? up : 32'd0) : tiny ? up : 32'd0;
    n = nan != 32'd0 ? 32'd0 : n;
  endfunction

  // Quotient a of numerator c and denominator b with the special cases put in; far: exponent difference (as an
  // unsigned distance) from which the quotient is 0.
  function automatic logic [31:0] div_fixup(input logic [31:0] a, input logic [31:0] b, input logic [31:0] c,
                                        input logic [31:0] top, input logic [31:0] infinity,
                                        input logic [31:0] quiet, input logic [31:0] places,
                                        input logic [31:0] far);
    logic [31:0] sign, x, y;
    sign = (b ^ c) & top;
    x = b & (top - 32'd1);
    y = c & (top - 32'd1);
    return y > infinity ? c | quiet : x > infinity ? b | quiet :
        (x == 32'd0 && y == 32'd0) || (x == infinity && y == infinity) ? top | infinity | quiet :
        x == 32'd0 || y == infinity ? sign | infinity :
        x == infinity || y == 32'd0 || (y >> places) + far < (x >> places) ? sign :
        sign | ((a & (top - 32'd1)) > infinity ? infinity : a & (top - 32'd1));
  endfunction
endpackage
