// SPDX-License-Identifier: Apache-2.0
// Types and scalar functions inside the front end of the compute unit (cu_fetch, cu_issue, cu_scalar, cu_fill).
// Not responsible for: what other blocks of the CU see (cu_pkg), decoding (gcn3_pkg) and decoded heads (cu_head_pkg).
//
// Time of one instruction, t = cycle in which it is chosen (turn of its SIMD: t % 4 == simd):
//   t    cu_issue chooses, registers the pick            t+3  SALU executes, branches resolve, jumps leave
//   t+1  cu_scalar forms SGPR rows of the scalar class    t+4  SGPR row of the SALU result is written; next turn
//   t+2  register file reads; rows of the VALU class      t+5  VALU record valid at the SIMD, LDS record at the LDS
//   t+3  rows of the buffer resource                      t+7  vector-memory record queued
/* verilator lint_off UNUSEDSIGNAL */  // functions look at parts of wide records
package cu_front_pkg;
  import cu_pkg::*;

  localparam int unsigned Slots = gantry_cfg_pkg::WavesPerSimd;  // wavefronts a SIMD, at most 10
  localparam int unsigned Second = Slots > 1 ? 1 : 0;  // lowest index of all but one
  localparam int unsigned SgprRows = gantry_cfg_pkg::SgprsPerSimd / 2;
  typedef logic [15:0] slots_t;  // one bit a slot; those from Slots on stay 0
  typedef logic [63:0] waves_t;  // one bit a wavefront, by {simd, slot}
  typedef logic [Slots-1:0][3:0] order_t;  // slots of a SIMD from oldest to youngest, 15 = none
  typedef logic [5:0] widx_t;  // {simd, slot}: index of per-wavefront arrays

  // Heads that are decoded in a cycle; a lone narrow SIMD, whose vector instructions
  // take 8 or 16 cycles, is content with one.
  localparam int unsigned Decoders = Narrow ? 1 : 2;

  // What of an index the configuration uses; indices pass through `windex` where they come in.  In simulation arrays have an
  // entry for every value, so that no index has to be checked; hardware has those which can be named.
  localparam logic [1:0] SimdMask = 2'(gantry_cfg_pkg::NumSimd - 1);
  localparam slot_t SlotMask = 4'((1 << $clog2(Slots)) - 1);
  localparam logic [5:0] GroupMask = 6'((1 << $clog2(gantry_cfg_pkg::GroupsPerCu)) - 1);

`ifndef VERILATOR
  localparam int unsigned Turns = 32'(SimdMask) + 1;
  localparam int unsigned Waves = 32'({SimdMask, SlotMask}) + 1;
  localparam int unsigned Groups = 32'(GroupMask) + 1;
`else
  localparam int unsigned Turns = 4;
  localparam int unsigned Waves = 64;
  localparam int unsigned Groups = 64;
`endif

  function automatic widx_t windex(input widx_t at);
    return at & {SimdMask, SlotMask};
  endfunction

  // There is a SIMD with this turn.
  function automatic logic has_simd(input logic [1:0] turn);
    return (turn & ~SimdMask) == 2'd0;
  endfunction

  // Ports of the issue stage, by number.
  localparam logic [2:0] PortValu = 3'd0;
  localparam logic [2:0] PortSca = 3'd1;
  localparam logic [2:0] PortVmem = 3'd2;
  localparam logic [2:0] PortLds = 3'd3;
  localparam logic [2:0] PortBranch = 3'd4;
  localparam logic [2:0] PortInternal = 3'd5;
  typedef logic [5:0] ports_t;

  // Who issued in the last cycle: members of a port count while its bit of `valid` is set.
  typedef struct {
    ports_t valid;
    logic [1:0] simd;
    logic [5:0][3:0] slot;
    logic [4:0][7:0] tag;  // not of port 5
    mask_from_t mask_from;  // of port 0
  } issued_t;

  typedef enum logic [2:0] {
    ClsValu,
    ClsSalu,  // with s_getpc, s_setpc, s_swappc, s_trap, s_rfe
    ClsSmem,
    ClsVmem,
    ClsLds,
    ClsBranch,  // with messages, s_setprio, s_sethalt
    ClsInternal,
    ClsBad  // illegal, or its fetch faulted
  } class_e;

  // Records inside the front end are unpacked: their members are separate variables in simulation.
  // Fixed properties of a running wavefront.
  typedef struct {
    wave_t wave;
    logic [7:0] vmid;
    logic [7:0] launch;
    logic [7:0] group;
    logic [7:0] group_waves;
    logic first_of_group;
    vgpr_t vgpr_base;
    logic [9:0] sgpr_base;
    logic [8:0] vgprs;  // of the allocation
    logic [6:0] sgprs;  // at most 102
    logic [16:0] lds_base;
    logic [16:0] lds_bytes;
    logic [31:0] scratch_base;  // / 256
    logic [47:0] pc;
    logic [63:0] exec;
    logic [7:0] mode;
    logic ieee;
    logic dx10_clamp;
    logic trap_en;  // its address space has a trap handler
    logic [5:0] vgpr_size;  // allocated / 4 - 1
    logic [3:0] sgpr_size;  // allocated / 16 - 1
  } start_t;

  // A write of an SGPR pair (or special register) beside the SALU: SMEM data, VALU results, initial values.
  typedef struct {
    wave_t wave;
    logic [6:0] code;  // even
    logic [1:0] we;
    logic [63:0] data;
  } pair_write_t;

  // Scalar result of a vector instruction: mask or lane value.
  typedef struct {
    wave_t wave;
    tag_t tag;
    logic [6:0] code;
    logic [1:0] we;  // 0: only EXEC
    logic exec;  // v_cmpx: EXEC too
    logic [63:0] data;  // single registers in the half of their code
  } result_t;

  // Row of the register file of a SIMD that holds the pair of operand code `code`: rows of SGPRs, then 16 rows a
  // slot for codes 102 to 127 (VCC, M0 and EXEC live in cu_scalar).
  function automatic logic [9:0] sgpr_row(input logic [9:0] base, input slot_t slot, input logic [6:0] code);
    if (code < 7'd102) return {1'b0, base[9:1]} + {4'b0, code[6:1]};
    return 10'(SgprRows) + {2'b0, slot, code[4:1] - 4'd3};
  endfunction

  // Oldest set bit of `ready`; needs one.
  function automatic slot_t oldest(input slots_t ready, input order_t order);
    order_t rest;
    rest = order;
    for (int unsigned p = 0; p < Slots; p++) begin
      if (ready[rest[0]]) return rest[0];
      rest = order_t'({4'd15, rest[Slots-1:Second]});
    end
    return 4'd15;
  endfunction

  function automatic order_t order_remove(input order_t order, input slot_t slot);
    order_t r;
    logic found;
    found = 1'b0;
    for (int unsigned p = 0; p < Slots; p++) begin
      found = found || order[p] == slot;
      r[p]  = !found ? order[p] : p == Slots - 1 ? 4'd15 : order[p+1];
    end
    return r;
  endfunction

  function automatic order_t order_append(input order_t order, input slot_t slot);
    order_t r;
    logic done;
    done = 1'b0;
    for (int unsigned p = 0; p < Slots; p++) begin
      r[p] = !done && order[p] == 4'd15 ? slot : order[p];
      done = done || order[p] == 4'd15;
    end
    return r;
  endfunction

  function automatic order_t order_insert(input order_t order, input slot_t slot, input logic [3:0] place);
    order_t r;
    r[0] = place == 4'd0 ? slot : order[0];
    for (int unsigned p = 1; p < Slots; p++) r[p] = p[3:0] < place ? order[p] : p[3:0] == place ? slot : order[p-1];
    return r;
  endfunction
endpackage
/* verilator lint_on UNUSEDSIGNAL */
