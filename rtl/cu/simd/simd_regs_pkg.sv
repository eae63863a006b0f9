// SPDX-License-Identifier: Apache-2.0
// Registers of a SIMD (cu_simd) beside its lanes (valu_lanes_pkg) and its VGPRs: instructions under way, slots, what
// the stages hand on.  One unpacked struct, so that the stages (simd_rows_pkg) take it as one `ref` argument and exist once
// for all SIMDs of a model.  Small control fields stand together in words of at most 32 bits that move as one; what
// follows from the opcode or from the number of a slot alone is in two constant tables.
// Not responsible for: what happens with them.
package simd_regs_pkg;
  import cu_pkg::*;
  import gcn3_pkg::*;
  import valu_dec_pkg::*;
  import fpu_serial_pkg::f64_regs_t;

  typedef struct packed {
    logic gather;   // brings lanes for DPP: fewer than 16 lanes, and v_mac
    logic valid;
    logic norm;     // goes through the normaliser
    logic quarter;  // goes through a quarter-rate unit
    logic serial;   // the serial unit runs
    logic entry;    // which of the two instructions under way
    logic last;
    logic read;     // operands are read
    logic write;    // a row is written
    logic high;     // the second register of a pair
    logic second;   // of 128 bits the upper pair
    logic [1:0] sub;
    logic [1:0] ring;  // where its result waits
    logic [1:0] first;  // where results of what it executes go; pairs: the low half
    simd_row_t row;  // that is written; its low bits are the beat
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
    logic third;   // the third operand is used
    logic scalar;  // an operand that is used is no row
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

  localparam int unsigned Stages = OperandStage ? 5 : 4;

  // why there is something to do in the next cycle
  typedef struct packed {
    logic asked;  // somebody wants to write a row
    logic wrote;  // a row was written: outputs tell of it
    logic running;  // slots of the current instruction are to come
    logic [Stages:0] slots;  // there is one in stages 1 (or 0) to 4; highest: there was one in stage 4
  } live_t;
  localparam logic [Stages:0] Before = (Stages + 1)'((1 << Stages) - 1);  // all but the highest
  localparam live_t Busy = '{asked: 1'b1, wrote: 1'b0, running: 1'b1, slots: Before};  // not idle

  // ---- constant: an opcode
  typedef struct packed {
    ctl_t ctl;  // what does not hang on modifiers, MODE and operands
    logic [2:0] kind;  // row of SlotTable
    logic [2:0] pair;
    logic [2:0] mods;
    logic has_result;
    logic twice;  // 128 bits: all slots run twice, once for each pair
    logic halves;  // operands become singles
    logic wide_small;  // needs the wide normaliser if subnormal sources are kept
    logic small32;  // keeps subnormal results as MODE[5] says
    logic small16;  // as MODE[7] says
    logic round16;  // rounds as MODE[3:2] says
  } op_info_t;
  typedef logic [$bits(op_info_t)-1:0] op_table_t[1024];  // of op_info_t, which Verilator makes no constant array of

  function automatic op_info_t op_info(input logic [9:0] op);
    valu_dec_t d;
    op_info_t o;
    d = valu_decode(op);
    o = '0;
    o.ctl.cls = d.cls;
    o.ctl.rate = d.rate;
    o.ctl.out = d.out;
    o.ctl.half = d.half;
    o.ctl.wide_norm = is_wide(op, 1'b0);
    o.ctl.small_kept = keeps_small(op, 1'b0, 1'b0, d.out);
    o.ctl.use1 = d.use1;
    o.ctl.third = d.use2;
    o.ctl.bits = d.cls == ClsAdd || d.cls == ClsCmp || d.cls == ClsCmp64 || op == OP_V_DIV_SCALE_F32;
    o.ctl.fract = op == OP_V_FRACT_F32 || op == OP_V_FRACT_F16;
    o.kind = d.rate == RATE_FULL ? 3'd0 : d.rate == RATE_F64 ? 3'd2 :
        d.rate == RATE_HALF ? {1'b0, d.wide, 1'b1} : {1'b1, d.wide, d.pair != '0};
    o.pair = d.pair;
    o.mods = d.mods;
    o.has_result = d.has_result;
    o.twice = op == OP_V_MQSAD_U32_U8;
    o.halves = d.half && d.mods != '0;
    o.wide_small = is_wide(op, 1'b1);
    o.small32 = keeps_small(op, 1'b1, 1'b0, d.out);
    o.small16 = keeps_small(op, 1'b0, 1'b1, d.out);
    o.round16 = d.out == OutF16;
    return o;
  endfunction

  function automatic op_table_t op_table();
    op_table_t t;
    for (int unsigned n = 0; n < 1024; n++) t[n[9:0]] = op_info(n[9:0]);
    return t;
  endfunction
  localparam op_table_t OpTable = op_table();

  // ---- constant: slot `count` of an instruction; kind: 0 full rate, {0, wide, 1} half, {1, wide, pair} quarter;
  // 2: double precision, `Lanes` slots a beat, which serial_slot of simd_serial.svh completes
  typedef logic [$bits(slot_info_t)-1:0] slot_table_t[8<<CountW];  // of slot_info_t

  function automatic slot_info_t slot_of(input logic [2:0] kind, input logic [CountW-1:0] count);
    slot_info_t s;
    s = '0;
    s.valid = 1'b1;
    if (kind == 3'd0) begin
      s.row[BeatW-1:0] = count[BeatW-1:0];
      s.ring = count[1:0];
      s.read = 1'b1;
      s.write = 1'b1;
      s.last = count == CountW'(Beats - 1);
      s.norm = 1'b1;
    end else if (kind == 3'd2) begin
      s.serial = 1'b1;
      s.sub = {1'b0, count[0]};
      s.ring = {1'b0, count[0]};
      s.read = count < CountW'(2);
      s.write = count == CountW'(2) || count == CountW'(3);
    end else if (!kind[2]) begin
      s.row[BeatW-1:0] = count[BeatW:1];
      s.sub = {1'b0, count[0]};
      s.ring = count[1:0];
      s.read = 1'b1;
      s.write = kind[1] || !count[0];
      s.last = count == CountW'(2 * Beats - 1);
    end else begin
      s.row[BeatW-1:0] = count[BeatW+1:2];
      s.sub = count[1:0];
      s.ring = {count[2], count[0]};
      s.read = count[1:0] == 2'd0 || (count[1:0] == 2'd1 && kind[0]);
      s.write = count[1:0] == 2'd2 || (kind[1] && count[1:0] == 2'd3);
      s.last = count == '1;
      s.norm = count[1:0] == 2'd0;
      s.quarter = count[1:0] == 2'd1 || count[1:0] == 2'd2;
    end
    s.high = kind == 3'd2 ? count == CountW'(3) : kind != 3'd0 && s.ring[0];
    s.first = kind == 3'd0 ? s.ring : {s.ring[1], 1'b0};
    return s;
  endfunction

  function automatic slot_table_t slot_table();
    slot_table_t t;
    for (int unsigned n = 0; n < 8 << CountW; n++) begin
      t[n[CountW+2:0]] = slot_of(n[CountW+2:CountW], n[CountW-1:0]);
    end
    return t;
  endfunction
  localparam slot_table_t SlotTable = slot_table();

  // ---- registers
  typedef struct {
    // instructions under way, by entry
    ctl_t i_ctl[2];
    op_info_t i_info[2];
    valu_issue_t i_issue[2];
    logic [2:0] i_neg[2];
    logic [2:0] i_abs[2];
    logic [63:0] i_result[2];
    logic [5:0] i_lane[2];
    // slots
    live_t live;
    logic cur;
    logic [CountW+2:0] at;  // next slot in SlotTable: kind and number
    slot_info_t slot_and;  // what of SlotTable applies to the running instruction
    slot_info_t slot_or;   // what is the same in all its slots
    logic uneven;  // its rows follow from more than the beat
    slot_info_t st1;
    slot_info_t st2;
    slot_info_t st3;
    slot_info_t st4;
    // rows to read: of beat 0, and now; operands that the rows in v.x, v.y, v.z are not yet
    simd_row_t row0;
    simd_row_t row1;
    simd_row_t row2;
    simd_row_t ra;
    simd_row_t rb;
    simd_row_t rc;
    logic patch;  // any of the next, or a scalar
    logic [2:0] fwd;  // bypassed from v.out
    enable_t fwd_lanes;
    logic [31:0] first_lane;  // DPP: lanes of rows that may be overwritten when they are asked for
    logic [31:0] lane31;
    enable_t em;  // DPP: lanes that are written
    enable_t lanes_of[4];  // lanes to write of waiting results
    // the row that is written in this cycle
    logic write;
    logic from_alu;
    logic i_entry;  // then: of this instruction
    simd_row_t wrow;
    enable_t lanes;
    // who may write in the next cycle: initial rows, vector memory, LDS
    logic [2:0] granted;
    logic [1:0] waited;
    // end of an instruction
    logic done_valid;
    valu_done_t done;
    // double precision; last, so that the others keep their places in a host's cache lines
    f64_regs_t f;
    slot_info_t serial;
    // slots that still gather for DPP, for which row; fewer than 16 lanes: next parts of rows that the requesters write, and
    // that a memory unit reads
    logic [2:0] gather;
    logic [1:0] gather_row;
    logic [1:0] part[3];
    logic [1:0] read_part;
    slot_info_t st0;  // with a stage for operands: its slot
`ifdef GANTRY_FAULTS
    int unsigned fault;  // cu_pkg::FaultSeed
`endif
  } simd_regs_t;
endpackage
