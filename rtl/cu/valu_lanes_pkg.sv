// SPDX-License-Identifier: Apache-2.0
// Lane registers between the stages of a SIMD (cu_simd): operands, results that wait for their write, and what passes
// from step to step of the normaliser and to the quarter-rate units.  One unpacked struct, so that a row function
// (simd_rows_pkg) takes all of it as one `ref` argument.  Not responsible for: any operation.
package valu_lanes_pkg;
  typedef struct {
    // stage 1: operands as used, and temporaries; nothing of this is kept
    logic [31:0] x[16];
    logic [31:0] y[16];
    logic [31:0] z[16];
    logic [31:0] w[16];
    logic [31:0] over[16];
    // results waiting for their write, and old destinations (SDWA) or sources (v_div_scale)
    logic [31:0] res[4][16];
    logic [31:0] old[4][16];
    // low rows of pairs; operands of quarter rate
    logic [31:0] xl[16];
    logic [31:0] yl[16];
    logic [31:0] qa[16];
    logic [31:0] qb[16];
    logic [31:0] qc[16];
    logic [31:0] qd[16];
    logic [31:0] qe[16];
    // normaliser, step 1 to 2: product, addend, exponent difference, exponent, flags, scale
    logic [31:0] ph1[16];
    logic [31:0] pl1[16];
    logic [31:0] ch1[16];
    logic [31:0] d1[16];
    logic [31:0] e1[16];
    logic [31:0] g1[16];
    logic [31:0] n1[16];
    // step 2 to 3: sum, exponent, flags
    logic [31:0] sh2[16];
    logic [31:0] sl2[16];
    logic [31:0] e2[16];
    logic [31:0] g2[16];
    // stage 4: row to write
    logic [31:0] out[16];
    // stage 1: one bit of each lane; last, so that the rows stay on borders of a host's cache lines
    logic [31:0] bits;
  } lanes_t;
endpackage
