// SPDX-License-Identifier: Apache-2.0
// Part of simd_rows_pkg: what surrounds an operation, on a row: SDWA, DPP, modifiers of sources and results.  Not
// responsible for: one lane of it (valu_lane_pkg).
  // Each uses some fields of the second dword
  /* verilator lint_off UNUSEDSIGNAL */
  // Sources through SDWA dword ext.
  function automatic void sdwa_sources(`LANES_ARG input logic [31:0] ext);
    `NO_INLINE
    logic [31:0] sel0, sel1, sext0, sext1;
    sel0 = 32'(ext[18:16]);
    sel1 = 32'(ext[26:24]);
    sext0 = 32'(ext[19]);
    sext1 = 32'(ext[27]);
    for (int unsigned l = 0; l < Lanes; l++) begin
      v.x[l] = sdwa_select(v.x[l], sel0, sext0);
      v.y[l] = sdwa_select(v.y[l], sel1, sext1);
    end
  endfunction

  // The row to write through SDWA dword ext; r: where old bits of the destination wait.
  function automatic void sdwa_result(`LANES_ARG input logic [1:0] r, input logic [31:0] ext);
    `NO_INLINE
    logic [31:0] sel, unused;
    sel = 32'(ext[10:8]);
    unused = 32'(ext[12:11]);
    for (int unsigned l = 0; l < Lanes; l++) v.out[l] = sdwa_merge(v.out[l], v.old[r][l], sel, unused);
  endfunction

  // First source through DPP dword ext, part `part` of row `row` of 16 lanes.  own and other: lanes of EXEC in that row
  // and in the other one.  16 lanes: v.x is the own row, v.z the other; fewer: v.row16 and the lane v.other16.
  // Returns the lanes that are written.
  function automatic logic [31:0] dpp_row(`LANES_ARG input logic [31:0] ext, input logic [1:0] row,
                                          input logic [1:0] part, input logic [31:0] own, input logic [31:0] other);
    `NO_INLINE
    logic [31:0] at, n, t, set, written;
    written = Parts == 1 ? own : own >> (32'(part) * Lanes);
    for (int unsigned l = 0; l < Lanes; l++) begin
      at = Parts == 1 ? l : 32'(part) * Lanes + l;
      n = dpp_lane(32'(ext[16:8]), at, 32'(row));
      t = (n & 32'd16) == 32'd0 ? (((n & 32'd32) != 32'd0 ? other : own) >> (n & 32'd15)) & 32'd1 : 32'd0;
      if (Parts == 1) begin
        v.w[l] = t == 32'd0 ? 32'd0 : (n & 32'd32) != 32'd0 ? v.z[n[LaneW-1:0]] : v.x[n[LaneW-1:0]];
      end else begin
        v.w[l] = t == 32'd0 ? 32'd0 : (n & 32'd32) != 32'd0 ? v.other16 : v.row16[n[3:0]];
      end
      set = 32'(ext[31:28] >> row) & 32'(ext[27:24] >> at[3:2]) & 32'd1;
      set = set & (t | 32'(ext[19]));
      written = written & ~((set ^ 32'd1) << l);
    end
    for (int unsigned l = 0; l < Lanes; l++) v.x[l] = v.w[l];
    return written;
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

  // Absolute value, then negation, of sources 0 to 2.
  function automatic void modify_sources(`LANES_ARG input logic [2:0] absolute, input logic [2:0] negate,
                                         input logic half);
    `NO_INLINE
    logic [31:0] sign, keep0, keep1, keep2, flip0, flip1, flip2;
    sign = half ? 32'h8000 : 32'h80000000;
    keep0 = absolute[0] ? ~sign : 32'hffffffff;
    keep1 = absolute[1] ? ~sign : 32'hffffffff;
    keep2 = absolute[2] ? ~sign : 32'hffffffff;
    flip0 = negate[0] ? sign : 32'd0;
    flip1 = negate[1] ? sign : 32'd0;
    flip2 = negate[2] ? sign : 32'd0;
    for (int unsigned l = 0; l < Lanes; l++) begin
      v.x[l] = (v.x[l] & keep0) ^ flip0;
      v.y[l] = (v.y[l] & keep1) ^ flip1;
      v.z[l] = (v.z[l] & keep2) ^ flip2;
    end
  endfunction

  // Output multiplier and clamp on the row to write.  omod 0: none (also when subnormals are kept).
  function automatic void modify_result(`LANES_ARG input logic half, input logic [1:0] omod,
                                        input logic [1:0] round, input logic clamp, input logic dx10);
    `NO_INLINE
    if (omod != 2'd0) begin
      if (half) for (int unsigned l = 0; l < Lanes; l++) v.out[l] = omod_f16(v.out[l], 32'(omod), 32'(round));
      else for (int unsigned l = 0; l < Lanes; l++) v.out[l] = omod_f32(v.out[l], 32'(omod), 32'(round));
    end
    if (clamp) begin
      if (half) begin
        for (int unsigned l = 0; l < Lanes; l++) v.out[l] = clamp_float(v.out[l], 32'h7c00, 32'h8000, 32'h3c00, dx10);
      end else begin
        for (int unsigned l = 0; l < Lanes; l++) begin
          v.out[l] = clamp_float(v.out[l], 32'h7f800000, 32'h80000000, 32'h3f800000, dx10);
        end
      end
    end
  endfunction
