// SPDX-License-Identifier: Apache-2.0
// Heart of the compute unit's front end: which wavefront issues what.  One SIMD a cycle in turn; of its wavefronts
// the oldest ready one of the highest priority for each of five ports (vector ALU; scalar ALU or memory; vector
// memory, in rounds; LDS; branch or message), and one that only waits or does nothing.  Keeps the wavefront table:
// heads, pending scalar results, s_waitcnt counters, operands that memory units still have to read, barriers, sleep,
// priorities, the trap handler's privilege, end, faults and kill, and sends the events to the dispatcher.  Not
// responsible for: fetch and decode (cu_fetch), operand values, branches (cu_scalar), initial registers (cu_fill).
//
// Per-wavefront conditions are bit vectors by {simd, slot} that events update.  When four turns brought no change,
// nothing is evaluated until something is reported or a sleeping wavefront wakes.
`include "gantry_assert.svh"

module cu_issue
  import cu_pkg::*;
  import cu_front_pkg::*;
  import cu_head_pkg::*;
  import gcn3_pkg::*;
  import gantry_msg_pkg::*;
#(
  parameter int unsigned EvtDepth = 8  // credits of the event channel
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic        [ 5:0]     cycle_i,                 // [1:0] is the turn
  // wavefronts
  input  logic                   start_valid_i,
  input  start_t                 start_i,
  input  logic                   kill_valid_i,
  input  logic        [ 7:0]     kill_vmid_i,
  output logic                   kill_done_o,
  input  logic                   ack_valid_i,
  output logic                   ack_taken_o,
  output waves_t                 active_o,
  output order_t                 order_o[4],
  // heads
  input  logic        [ 1:0]     head_valid_i,
  input  wave_t                  head_wave_i[2],
  input  head_t                  head_i[2],
  input  logic        [ 1:0]     jump_valid_i,
  input  wave_t                  jump_wave_i[2],
  // chosen instructions
  output issued_t                issued_o,
  // completion
  input  logic        [ 3:0]     valu_wait_i,             // leave the next turn free
  input  logic        [ 3:0]     valu_done_valid_i,
  input  valu_done_t             valu_done_i[4],
  output logic                   result_valid_o,          // in phase 2 of its SIMD
  output result_t                result_o,
  /* verilator lint_off UNUSEDSIGNAL */  // parts of records
  input  logic        [ 1:0]     lds_opread_valid_i,      // by pair of SIMDs
  input  wave_tag_t              lds_opread_i[2],
  input  logic        [ 1:0]     lds_left_i,              // an instruction is no longer inside; complete now or later
  input  logic        [ 1:0]     lds_done_valid_i,
  input  wave_tag_t              lds_done_i[2],
  input  logic                   vmem_pop_i,
  input  logic                   vmem_opread_valid_i,
  input  wave_tag_t              vmem_opread_i,
  input  logic                   vmem_opread_lds_i,       // it has lanes in the LDS aperture
  input  logic                   vmem_done_valid_i,
  input  mem_done_t              vmem_done_i,
  input  logic                   smem_left_i,             // an answer was taken
  input  logic                   smem_done_valid_i,
  input  mem_done_t              smem_done_i,
  input  logic                   intr_valid_i,
  input  wave_t                  intr_wave_i,
  input  logic        [31:0]     intr_data_i,
  input  logic                   where_en_i,              // tell about this wavefront
  input  wave_t                  where_i,
  output logic        [ 7:0]     where_o,                 // what tell() tells
  output logic                   cu_evt_valid_o,
  output cu_evt_t                cu_evt_o,
  input  logic                   cu_evt_credit_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic                   obs_en_i,
  output logic        [ 5:0]     obs_valid_o,
  output obs_inst_t              obs_o[6],
  input  logic                   hold_i,                  // nothing issues; what was chosen goes on
  input  logic                   kick_i,                  // hold_i may have changed
  output logic                   drained_o,               // while hold_i: what was chosen has ended, and so was told
  output logic                   idle_o
);
  localparam int unsigned MaxSmem = 16;  // answers that cu_fill has room for

  logic observe;
  assign observe = Observe && obs_en_i;

  /* verilator lint_off BLKSEQ */
  waves_t used, live, ending, silent, faulted, head_ok, free_regs;
  waves_t waiting, sleeping, at_barrier;
  waves_t vm_some, vm_full, lg_some, lg_full, sb_some;
  waves_t vm_reads, lds_reads;  // operands still to be read
  waves_t flat_lds;  // vector memory may still access the LDS: no LDS instruction overtakes it
  waves_t multi;  // its vector instruction takes several turns
  waves_t class_of[8];  // by class_e
  waves_t trap_en, priv, halt;  // has a trap handler, is in it, s_sethalt
  waves_t head_fault;  // the fault is of its head, which stays
  waves_t prio[2];  // bits of the priority
  waves_t other_row;  // its head is a DPP that reads another row
  waves_t masked;  // its head waits for nothing but a lane mask, which the SIMD may hand to it
  waves_t looks;  // its head is a branch that looks at SCC, VCC or EXEC
  // Of the wavefronts of a SIMD in its next turn (CLRX GcnTimings): who rests after a slow scalar instruction or in s_nop; who wrote
  // what branches look at, and branches 4 cycles later; whose head waited for a result of the vector ALU, which scalar
  // instructions read 4 cycles later than vector ones.
  slots_t resting[4], flagged[4], fresh[4], rests, wrote, late;
  slots_t took;  // narrow: who issued in this cycle
  logic waited;
  logic [63:0] recent[4];  // who issued a vector instruction in the last four turns
  slots_t had_turn[4];  // slots of a SIMD whose wavefronts vector memory takes behind the others
  order_t order[4], age[4];  // by priority and age; by age
  // by wavefront
  head_t head[Waves];
  logic [3:0] vm_count[Waves], lg_count[Waves];
  logic [3:0] vm_read_count[Waves], lds_read_count[Waves];
  logic [63:0] pending[Waves];  // register pairs that the vector ALU will write
  tag_t tag[Waves];
  logic [31:0] instructions[Waves];
  logic [47:0] last_pc[Waves];
  logic [7:0] vmid[Waves], launch[Waves], group[Waves], group_waves[Waves];
  logic [6:0] sleep[Waves];
  logic [3:0] nops[Waves];  // turns that s_nop still takes; 0: it does not rest, or a slow instruction is why
  logic [7:0] fault_status[Waves];
  logic [63:0] fault_va[Waves];  // of an access
  // vector results under way, by {simd, position}
  slot_t fly_slot[4*Turns];
  logic [63:0] fly_write[4*Turns];
  result_t fly[4*Turns], result[4];
  logic [3:0] result_ready;
  logic [1:0] fly_head[4];
  logic [2:0] fly_count[4];
  turns_t turns[4];  // that the SIMD is still taken
  // The last three vector instructions of a SIMD, the newest lowest: who, and the pair of registers it writes.
  typedef struct packed {
    logic any;
    logic whole;  // a lane mask, which the SIMD keeps
    slot_t slot;
    logic [5:0] pair;
  } writer_t;
  writer_t [2:0] writers[4];
  logic [3:0] vm_read_simd[4], lds_read_simd[4];
  // by barrier slot
  logic [7:0] arrived[Groups], ended[Groups];
  logic [63:0] arrived_mask[Groups];

  logic [2:0] vmem_queued;
  logic [1:0] vmem_simd;  // whose instruction was the last of these
  logic [3:0] vmem_wants;  // at its last turn the SIMD had one and found no place
  logic [1:0][3:0] lds_inside;  // instructions in the LDS, by pair of SIMDs
  logic [4:0] smem_out;
  logic [2:0] hold[4];  // turns that a scalar memory instruction of the SIMD keeps the scalar port
  logic holding;  // there may be one
  logic [7:0] credits;
  logic intr_held, intr_busy, killing;  // an interrupt to send, one from its issue on
  wave_t intr_wave;
  logic [31:0] intr_data;
  logic [2:0] quiet;
  logic busy, table_changed, held;
  logic reported, outside, memory;  // anything; by the dispatcher, cu_fill or cu_scalar; by a memory unit
  issued_t issued;
  logic [1:0] s;
  slot_t slot;
  widx_t w;
  tag_t now;

  slots_t able, ready, m;
  `include "cu_issue_tasks.svh"
  `include "cu_issue_ports.svh"
  `include "cu_issue_steps.svh"

  always_ff @(posedge clk_i) begin
    s        = cycle_i[1:0];
    held     = hold_i;
    outside  = cu_evt_credit_i || start_valid_i || kill_valid_i || ack_valid_i || intr_valid_i || kick_i;
    memory   = (lds_opread_valid_i | lds_left_i | lds_done_valid_i) != '0 || vmem_pop_i || vmem_opread_valid_i ||
               vmem_done_valid_i || smem_left_i || smem_done_valid_i;
    reported = outside || memory || (head_valid_i | jump_valid_i) != '0 || valu_done_valid_i != '0;
    if (reported || quiet != 3'd4) begin
      `GANTRY_CHECKS;
      kill_done_o    <= 1'b0;
      ack_taken_o    <= 1'b0;
      result_valid_o <= 1'b0;
      cu_evt_valid_o <= 1'b0;
      busy           = reported;
      table_changed  = 1'b0;
      issued.valid   = '0;
      if (Narrow) begin  // each step from what the last cycle left: no path goes through two of them
        tell();
        send_events();
        take_turn();
        if (reported) take_reports();
        hand_result();
      end else begin
        if (reported) take_reports();
        hand_result();
        tell();
        take_turn();
        send_events();
      end
      issued_o <= issued;
      if (observe) obs_valid_o <= issued.valid;
      if (table_changed) begin
        active_o <= live;
        order_o  <= order;
      end
      if (busy) quiet = 3'd0;
      else quiet = quiet + 3'd1;
      if (hold_i || drained_o) drained_o <= hold_i && (drained_o || quiet == 3'd4) && nothing_left();
    end else tell();
    // in phase with the turn, after it
    if (sleeping != '0 && cycle_i[5:2] == 4'd0 && has_simd(cycle_i[1:0])) wake(cycle_i[1:0] & SimdMask);
    if (!rst_ni) begin
      used       = '0;
      live       = '0;
      ending     = '0;
      silent     = '0;
      faulted    = '0;
      head_ok    = '0;
      free_regs  = '0;
      waiting    = '0;
      sleeping   = '0;
      at_barrier = '0;
      vm_some    = '0;
      vm_full    = '0;
      lg_some    = '0;
      lg_full    = '0;
      sb_some    = '0;
      vm_reads   = '0;
      flat_lds   = '0;
      lds_reads  = '0;
      multi      = '0;
      masked     = '0;
      for (int unsigned k = 0; k < 4; k++) begin
        recent[k]        = '0;
        order[k]         = '1;
        age[k]           = '1;
        had_turn[k]      = '0;
        fly_head[k]      = '0;
        fly_count[k]     = '0;
        turns[k]         = '0;
        vm_read_simd[k]  = '0;
        lds_read_simd[k] = '0;
        hold[k]          = '0;
        resting[k]       = '0;
        flagged[k]       = '0;
        fresh[k]         = '0;
        writers[k]       = '0;
      end
      for (int unsigned k = 0; k < Waves; k++) begin
        head[k].issue.cls = ClsValu;
        vm_count[k]       = '0;
        lg_count[k]       = '0;
        vm_read_count[k]  = '0;
        lds_read_count[k] = '0;
        pending[k]        = '0;
        nops[k]           = '0;
      end
      for (int unsigned k = 0; k < Groups; k++) begin
        arrived[k]      = '0;
        ended[k]        = '0;
        arrived_mask[k] = '0;
      end
      for (int unsigned k = 0; k < 8; k++) class_of[k] = k == 32'(ClsValu) ? '1 : '0;
      result_ready        = '0;
      vmem_queued         = '0;
      vmem_simd           = '0;
      vmem_wants          = '0;
      lds_inside          = '0;
      smem_out            = '0;
      holding             = 1'b0;
      credits             = 8'(EvtDepth);
      intr_held           = 1'b0;
      intr_busy           = 1'b0;
      killing             = 1'b0;
      quiet               = '0;
      active_o            <= '0;
      order_o             <= order;
      prio[0]             = '0;
      prio[1]             = '0;
      halt                = '0;
      priv                = '0;
      issued.valid        = '0;
      issued_o            <= issued;
      obs_valid_o         <= '0;
      result_valid_o      <= 1'b0;
      cu_evt_valid_o      <= 1'b0;
      kill_done_o         <= 1'b0;
      ack_taken_o         <= 1'b0;
      drained_o           <= 1'b0;
    end
    idle_o <= quiet == 3'd4 && sleeping == '0;
  end
  /* verilator lint_on BLKSEQ */

  // ---- assertions
  // An order of a SIMD: each of its wavefronts once, and nothing behind the first free place.
  function automatic logic is_order(input order_t of, input slots_t all);
    slots_t seen;
    logic free, whole;
    seen  = '0;
    free  = 1'b0;
    whole = 1'b1;
    for (int unsigned p = 0; p < Slots; p++) begin
      free  = free || of[p] == 4'd15;
      whole = whole && (free ? of[p] == 4'd15 : !seen[of[p]]);
      if (!free) seen[of[p]] = 1'b1;
    end
    return whole && seen == all;
  endfunction

  task automatic check_state();
    waves_t under_way;
    widx_t at;
    logic [5:0] g;
    logic [3:0] f;
    // a wavefront in the table runs, ends, has a fault to tell, or stays after that; a killed one only ends
    `GANTRY_CHECK(a_used, ((live | ending | faulted) & ~used) == '0)
    `GANTRY_CHECK(a_one_state, (live & (ending | faulted)) == '0 && (ending & faulted) == '0)
    `GANTRY_CHECK(a_head_runs, (head_ok & ~live) == '0)
    `GANTRY_CHECK(a_silent_ends, (silent & ~ending) == '0 && (killing || silent == '0))
    if (table_changed) begin
      for (int unsigned k = 0; k < 4; k++) begin
        `GANTRY_CHECK(a_order, is_order(order[k], of_simd(used, k[1:0])) && is_order(age[k], of_simd(used, k[1:0])))
      end
    end
    // of one wavefront and one barrier a cycle: masks tell what the counters hold; operands are read before an access is complete
    at = windex(cycle_i);
    g  = cycle_i & GroupMask;
    `GANTRY_CHECK(a_vm, vm_some[at] == (vm_count[at] != 4'd0) && vm_full[at] == (vm_count[at] == 4'd15))
    `GANTRY_CHECK(a_lg, lg_some[at] == (lg_count[at] != 4'd0) && lg_full[at] == (lg_count[at] == 4'd15))
    `GANTRY_CHECK(a_vm_reads, vm_reads[at] == (vm_read_count[at] != 4'd0) && vm_read_count[at] <= vm_count[at])
    `GANTRY_CHECK(a_lds_reads, lds_reads[at] == (lds_read_count[at] != 4'd0) && lds_read_count[at] <= lg_count[at])
    `GANTRY_CHECK(a_pending, sb_some[at] == (pending[at] != '0))
    `GANTRY_CHECK(a_class, class_of[head[at].issue.cls][at])
    `GANTRY_CHECK(a_arrived, arrived[g] == 8'($countones(arrived_mask[g])) && (arrived_mask[g] & ~at_barrier) == '0)
    // a slot is handed on when nothing of its wavefront is under way, so no report meets another wavefront
    under_way = used | vm_some | lg_some | sb_some | vm_reads | lds_reads;
    `GANTRY_CHECK(a_free, `GANTRY_IMPL(start_valid_i, !under_way[windex(start_i.wave)]))
    for (int unsigned k = 0; k < Decoders; k++) begin
      `GANTRY_CHECK(a_one_head, `GANTRY_IMPL(head_valid_i[k], !head_ok[windex(head_wave_i[k])]))
    end
    if (memory) begin
      for (int unsigned k = 0; k < 2; k++) begin
        `GANTRY_CHECK(a_lds_operands, `GANTRY_IMPL(lds_opread_valid_i[k], lds_reads[windex(lds_opread_i[k].wave)]))
        `GANTRY_CHECK(a_lds_left, `GANTRY_IMPL(lds_left_i[k], lds_inside[k] != 4'd0))
        `GANTRY_CHECK(a_lds_done, `GANTRY_IMPL(lds_done_valid_i[k], lg_some[windex(lds_done_i[k].wave)]))
      end
      `GANTRY_CHECK(a_vmem_pop, `GANTRY_IMPL(vmem_pop_i, vmem_queued != 3'd0))
      `GANTRY_CHECK(a_vmem_operands, `GANTRY_IMPL(vmem_opread_valid_i, vm_reads[windex(vmem_opread_i.wave)]))
      `GANTRY_CHECK(a_vmem_done, `GANTRY_IMPL(vmem_done_valid_i, vm_some[windex(vmem_done_i.wave)]))
      `GANTRY_CHECK(a_smem_left, `GANTRY_IMPL(smem_left_i, smem_out != 5'd0))
      `GANTRY_CHECK(a_smem_done, `GANTRY_IMPL(smem_done_valid_i, lg_some[windex(smem_done_i.wave)]))
    end
    // scalar results come in the order of issue, each when the one before has been handed on
    for (int unsigned k = 0; k < 4; k++) begin
      f = {k[1:0], fly_head[k]};
      `GANTRY_CHECK(a_result, `GANTRY_IMPL(has_simd(k[1:0]) && valu_done_valid_i[k] && valu_done_i[k].has_result,
                                           fly_count[k] != 3'd0 && !result_ready[k] &&
                                           fly_slot[f] == valu_done_i[k].slot && fly[f].tag == valu_done_i[k].tag))
    end
    // what others have room for
    `GANTRY_CHECK(a_rooms, vmem_queued <= 3'd4 && lds_inside[0] <= 4'd8 && lds_inside[1] <= 4'd8 &&
                           smem_out <= 5'(MaxSmem))
    `GANTRY_CHECK(a_credits, credits <= 8'(EvtDepth) && `GANTRY_IMPL(cu_evt_credit_i, credits != 8'(EvtDepth)))
    `GANTRY_CHECK(a_one_interrupt, `GANTRY_IMPL(intr_valid_i, intr_busy && !intr_held))
  endtask
endmodule
