// SPDX-License-Identifier: Apache-2.0
// Registers of a SIMD (cu_simd) beside its lanes (valu_lanes_pkg) and its VGPRs: instructions under way, slots, what the
// stages hand on.  One unpacked struct, so that the stages (simd_rows_pkg) take it as one `ref` argument and exist once
// for all SIMDs of a model.  Not responsible for: what happens with them.
package simd_regs_pkg;
  import cu_pkg::*;
  import gcn3_pkg::*;
  import valu_dec_pkg::*;

  typedef struct packed {
    logic valid;
    logic norm;     // goes through the normaliser
    logic quarter;  // goes through a quarter-rate unit
    logic entry;  // which of the two instructions under way
    logic last;
    logic read;   // operands were read
    logic write;  // a row is written
    logic [1:0] beat;
    logic [1:0] sub;
    logic [1:0] ring;  // where its result waits
  } slot_info_t;

  // what the stages must know of an instruction, in one word
  typedef struct packed {
    class_e cls;
    rate_e rate;
    out_e out;
    logic half;
    logic wide_norm;    // needs the wide normaliser
    logic small_kept;   // subnormal results are kept
    logic [1:0] round;  // MODE
    logic [2:0] vgpr;   // source i is a row
    logic use1;
    logic third;  // the third operand is used
    logic special;  // any of the next four
    logic dpp;
    logic sdwa;
    logic keep;  // old bits of the destination
    logic mod;   // any abs or neg
    logic bits;  // gives a bit a lane
    logic post;  // SDWA, omod or clamp after the operation
    logic clamp;
    logic fract;
  } ctl_t;

  typedef struct {
    // instructions under way, by entry
    ctl_t i_ctl[2];
    slot_t i_slot[2];
    tag_t i_tag[2];
    logic [9:0] i_op[2];
    vgpr_t i_src0[2];
    vgpr_t i_src1[2];
    vgpr_t i_src2[2];
    vgpr_t i_dst[2];
    logic [2:0] i_pair[2];
    logic [2:0] i_neg[2];
    logic [2:0] i_abs[2];
    logic i_write[2];
    logic i_wide[2];
    logic i_has_result[2];
    logic i_cross[2];
    logic i_halves[2];
    logic i_ieee[2];
    logic i_dx10[2];
    logic [1:0] i_omod[2];
    logic [7:0] i_mode[2];
    logic [31:0] i_ext[2];
    logic [63:0] i_s0[2];
    logic [63:0] i_s1[2];
    logic [63:0] i_s2[2];
    logic [63:0] i_mask[2];
    logic [63:0] i_exec[2];
    logic [63:0] i_result[2];
    logic [5:0] i_lane[2];
    // slots
    logic awake;  // something to do in the next cycle
    logic busy;  // an instruction is under way
    logic running;  // its slots are not over
    logic cur;
    logic [3:0] count;
    slot_info_t st1;
    slot_info_t st2;
    slot_info_t st3;
    slot_info_t st4;
    // rows to read, operands as read, bypassed row
    logic read_a;
    logic read_b;
    logic read_c;
    row_t ra;
    row_t rb;
    row_t rc;
    logic [31:0] a[16];
    logic [31:0] b[16];
    logic [31:0] c[16];
    logic [31:0] fwd[16];
    logic fwd_a;
    logic fwd_b;
    logic fwd_c;
    logic [15:0] fwd_lanes;
    logic [31:0] first_lane;  // DPP: lanes of rows that may be overwritten when they are asked for
    logic [31:0] lane31;
    logic [15:0] lanes_of[4];  // lanes to write of waiting results
    // the row that is written in this cycle
    logic write;
    logic from_alu;
    logic i_entry;  // then: of this instruction
    row_t wrow;
    logic [15:0] lanes;
    // who may write in the next cycle: initial rows, vector memory, LDS
    logic [2:0] granted;
    logic [1:0] waited;
    // end of an instruction
    logic done_valid;
    valu_done_t done;
`ifdef GANTRY_FAULTS
    int unsigned fault;  // cu_pkg::FaultSeed
`endif
  } simd_regs_t;
endpackage
