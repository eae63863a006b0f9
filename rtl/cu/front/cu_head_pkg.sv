// SPDX-License-Identifier: Apache-2.0
// A decoded instruction at the head of its wavefront, in the form in which issue and operand stage keep it: a few
// packed words, each made for one reader, so that nothing is decided twice and little is copied.
// Responsible for: the words.  Not responsible for: making them (cu_decode_pkg), values of operands (cu_operand_pkg).
package cu_head_pkg;
  import cu_pkg::vgpr_t;
  import cu_pkg::turns_t;
  import cu_pkg::vmem_kind_e;
  import cu_front_pkg::class_e;
  import gcn3_pkg::fmt_e;

  // Pair of registers of which a vector instruction only reads the lane mask.
  typedef struct packed {
    logic valid;
    logic [5:0] pair;
  } mask_pair_t;

  // What cu_issue asks.
  typedef struct packed {
    class_e cls;
    logic [3:0] fault;  // status of its fetch
    turns_t turns;  // vector ALU: turns of its SIMD
    logic [6:0] sdst;  // vector ALU: scalar destination
    logic [1:0] we;  // its registers of the pair; 0: only EXEC
    logic exec;  // EXEC too
    logic gives_mask;  // vector ALU: sdst gets a lane mask, which a SIMD can hand on
    mask_pair_t mask;  // that a SIMD can hand to it
    logic waitcnt;  // s_waitcnt; s_trap and s_rfe, which wait for all (simm16 is 0)
    logic other_row;  // DPP that reads lanes of another row
    logic slow;  // scalar ALU: its wavefront issues nothing in the next turn (CLRX GcnTimings: 8 cycles)
    logic flags;  // scalar ALU: writes what branches look at (SCC, VCC, EXEC); branch: looks at it
    logic [2:0] hold;  // turns, with its own, in which it keeps the scalar port; 0: its own
    logic [9:0] op;
    logic [15:0] simm16;  // of scalar instructions
  } issue_word_t;

  // What the operand stage asks, by class.
  typedef struct packed {
    logic [9:0] op;
    logic [2:0][8:0] src;
    vgpr_t dst;
    logic dst_valid;
    logic [2:0] neg;
    logic [2:0] abs;
    logic [1:0] omod;
    logic clamp;
    logic sdwa;
    logic dpp;
    logic mask2;  // src[2] is a lane mask in SGPRs
    logic half;
    logic [2:0] wide;  // two registers
    logic f64;
  } valu_word_t;
  typedef struct packed {
    logic [2:0] scalar;  // this source needs a value
    logic [2:0] port1;  // which the register file reads at port 1
    logic reads;  // the file has one of them
    logic relative;  // v_movrel
    logic [6:0] code0;
    logic [6:0] code1;
  } valu_rows_t;  // its scalar operands, and what else is seldom
  typedef struct packed {
    fmt_e fmt;
    logic [9:0] op;
    logic smem;
    logic branch;  // s_getpc, s_setpc, s_swappc, s_rfe, s_trap
    logic movrels;
    logic [8:0] src0;
    logic [8:0] src1;
    logic one0;  // one register
    logic two0;  // two registers
    logic two1;
    logic [6:0] sdst;
    logic [4:0] sdst_w;
    logic writes_scc;
    logic saveexec;
    logic smem_imm;
    logic load;
    logic many;  // scalar memory with more operands than one turn reads: cu_scalar_long.svh
    logic buffer;
    logic store;  // sdst: data
    logic [2:0] dwords;  // stored
  } scalar_word_t;  // also branches and messages
  typedef struct packed {
    vmem_kind_e kind;
    logic store;
    logic load;
    logic atomic;
    logic [3:0] atomic_op;
    logic [2:0] size;
    logic [2:0] dwords;
    logic sext;
    logic glc;
    logic slc;
    vgpr_t addr;
    vgpr_t data;
    vgpr_t dst;
    logic idxen;
    logic offen;
    logic lds;  // between memory and the LDS
    logic [11:0] offset;
    logic [6:0] srsrc;
  } vmem_word_t;
  typedef struct packed {
    logic [7:0] op;
    vgpr_t addr;
    vgpr_t data0;
    vgpr_t data1;
    vgpr_t dst;
    logic [15:0] offset;
  } lds_word_t;

  // Registers of a wavefront.
  typedef struct packed {
    logic [6:0] sgprs;
    logic [8:0] vgprs;
  } registers_t;

  typedef struct {
    issue_word_t issue;
    logic [63:0] check;  // register pairs that must have no write pending
    logic [63:0] write;  // register pairs that it writes
    logic [47:0] pc;
    logic [63:0] inst;  // first dword; literal, SDWA or DPP word above
    logic [63:0] op;  // word of its class
    logic [31:0] more;  // vector ALU: valu_rows_t; vector memory: operand code of the buffer offset
  } head_t;

  // The register file holds this operand (VCC, M0, EXEC live in cu_scalar).
  function automatic logic in_file(input logic [8:0] code);
    return code < 9'd128 && code[6:1] != 6'd53 && code[6:1] != 6'd62 && code[6:1] != 6'd63;
  endfunction
endpackage
