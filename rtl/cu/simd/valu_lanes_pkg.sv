// SPDX-License-Identifier: Apache-2.0
// Lane registers between the stages of a SIMD (cu_simd): operands, results that wait for their write, and what passes
// from step to step of the normaliser and to the quarter-rate units.  One unpacked struct, so that a row function
// (simd_rows_pkg) takes all of it as one `ref` argument.  Not responsible for: any operation.
package valu_lanes_pkg;
  import cu_pkg::Lanes;

  typedef struct {
    // stage 1: operands as used, and temporaries; nothing of this is kept
    logic [31:0] x[Lanes];
    logic [31:0] y[Lanes];
    logic [31:0] z[Lanes];
    logic [31:0] w[Lanes];
    logic [31:0] over[Lanes];
    // results waiting for their write, and old destinations (SDWA) or sources (v_div_scale)
    logic [31:0] res[4][Lanes];
    logic [31:0] old[4][Lanes];
    // low rows of pairs; operands of quarter rate
    logic [31:0] xl[Lanes];
    logic [31:0] yl[Lanes];
    logic [31:0] qa[Lanes];
    logic [31:0] qb[Lanes];
    logic [31:0] qc[Lanes];
    logic [31:0] qd[Lanes];
    logic [31:0] qe[Lanes];
    // normaliser, step 1 to 2: product, addend, exponent difference, exponent, flags, scale
    logic [31:0] ph1[Lanes];
    logic [31:0] pl1[Lanes];
    logic [31:0] ch1[Lanes];
    logic [31:0] d1[Lanes];
    logic [31:0] e1[Lanes];
    logic [31:0] g1[Lanes];
    logic [31:0] n1[Lanes];
    // step 2 to 3: sum, exponent, flags
    logic [31:0] sh2[Lanes];
    logic [31:0] sl2[Lanes];
    logic [31:0] e2[Lanes];
    logic [31:0] g2[Lanes];
    // stage 4: row to write
    logic [31:0] out[Lanes];
    // stage 1: one bit of each lane; behind the rows, so that these stay on borders of a host's cache lines
    logic [31:0] bits;
    // DPP with fewer than 16 lanes: the row of 16 whose lanes are asked for, and the lane of another row
    logic [31:0] row16[16];
    logic [31:0] other16;
    // with a stage for operands: those of stage 1, and where rows that are read stand aside for them
    logic [31:0] xo[Lanes];
    logic [31:0] yo[Lanes];
    logic [31:0] zo[Lanes];
    logic [31:0] xr[Lanes];
    logic [31:0] yr[Lanes];
    logic [31:0] zr[Lanes];
  } lanes_t;
endpackage
