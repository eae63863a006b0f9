// SPDX-License-Identifier: Apache-2.0
// Heart of the compute unit's front end: which wavefront issues what.  One SIMD a cycle in turn; of its wavefronts
// the oldest ready one for each of five ports (vector ALU; scalar ALU or memory; vector memory; LDS; branch or
// message), and one that only waits or does nothing.  Keeps the wavefront table: heads, pending scalar results,
// s_waitcnt counters, operands that memory units still have to read, barriers, sleep, end, faults and kill, and
// sends the events to the dispatcher.  Not responsible for: fetch and decode (cu_fetch), operand values, branches
// (cu_scalar), initial registers (cu_fill).
//
// Per-wavefront conditions are bit vectors by SIMD that events update, so an idle table costs nothing.
`include "gantry_assert.svh"

module cu_issue
  import cu_pkg::*;
  import cu_front_pkg::*;
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
  output slots_t                 active_o[4],
  output logic        [9:0][3:0] order_o[4],
  // heads
  input  logic        [ 1:0]     head_valid_i,
  input  head_t                  head_i[2],
  output logic        [ 5:0]     consume_valid_o,
  output slot_t                  consume_slot_o[6],
  output logic        [ 1:0]     consume_simd_o,
  input  logic        [ 1:0]     jump_valid_i,
  input  wave_t                  jump_wave_i[2],
  // chosen instructions
  output logic                   pick_valu_valid_o,
  output logic                   pick_sca_valid_o,
  output logic                   pick_vmem_valid_o,
  output logic                   pick_lds_valid_o,
  output logic                   pick_branch_valid_o,
  output pick_t                  pick_valu_o[4],
  output pick_t                  pick_sca_o[4],
  output pick_t                  pick_vmem_o[4],
  output pick_t                  pick_lds_o[4],
  output pick_t                  pick_branch_o[4],
  // completion
  input  logic        [ 3:0]     valu_wait_i,             // leave the next turn free
  input  logic        [ 3:0]     valu_done_valid_i,
  input  valu_done_t             valu_done_i[4],
  output logic                   result_valid_o,          // in phase 2 of its SIMD
  output result_t                result_o,
  /* verilator lint_off UNUSEDSIGNAL */  // parts of records
  input  logic                   lds_pop_i,               // an issue left the queue
  input  logic                   lds_opread_valid_i,
  input  wave_tag_t              lds_opread_i,
  input  logic                   lds_done_valid_i,
  input  mem_done_t              lds_done_i,
  input  logic                   vmem_pop_i,
  input  logic                   vmem_opread_valid_i,
  input  wave_tag_t              vmem_opread_i,
  input  logic                   vmem_done_valid_i,
  input  mem_done_t              vmem_done_i,
  input  logic                   smem_done_valid_i,
  input  mem_done_t              smem_done_i,
  input  logic                   intr_valid_i,
  input  wave_t                  intr_wave_i,
  input  logic        [31:0]     intr_data_i,
  output logic                   cu_evt_valid_o,
  output cu_evt_t                cu_evt_o,
  input  logic                   cu_evt_credit_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic                   obs_en_i,
  output logic        [ 5:0]     obs_valid_o,
  output obs_inst_t              obs_o[6],
  output logic                   idle_o
);
  localparam int unsigned MaxSmem = 16;  // answers that cu_fill has room for

  /* verilator lint_off BLKSEQ */
  // by SIMD, one bit a slot
  slots_t used[4], live[4], ending[4], silent[4], faulted[4], head_ok[4], free_regs[4];
  slots_t waiting[4], sleeping[4], at_barrier[4];
  slots_t vm_some[4], vm_full[4], lg_some[4], lg_full[4], sb_some[4];
  slots_t vm_reads[4], lds_reads[4];  // operands still to be read
  slots_t class_of[32];  // {class, simd}
  slots_t multi[4];  // its vector instruction takes several turns
  logic [63:0] recent[4];  // who issued a vector instruction in the last four turns
  logic [9:0][3:0] order[4];
  // by wavefront
  head_t head[64];
  logic [3:0] vm_count[64], lg_count[64];
  logic [3:0] vm_read_count[64], lds_read_count[64];
  logic [63:0] pending[64];  // register pairs that the vector ALU will write
  tag_t tag[64];
  logic [31:0] instructions[64];
  logic [47:0] last_pc[64];
  logic [7:0] vmid[64], launch[64], group[64], group_waves[64];
  logic [6:0] sleep[64];
  logic [7:0] fault_status[64];
  logic [63:0] fault_va[64];
  logic [31:0] fault_data[64];
  // vector results under way, by {simd, position}
  slot_t fly_slot[16];
  logic [63:0] fly_write[16];
  result_t fly[16], result[4];
  logic [3:0] result_ready;
  logic [63:0] result_keep[4];  // what stays pending of that wavefront
  logic [1:0] fly_head[4];
  logic [2:0] fly_count[4];
  logic [4:0] turns[4];  // that the SIMD is still taken
  logic [3:0] vm_read_simd[4], lds_read_simd[4];
  // by barrier slot
  logic [7:0] arrived[64], ended[64];
  logic [63:0] arrived_mask[64];

  logic [2:0] vmem_queued, lds_queued;
  logic [4:0] smem_out;
  logic [7:0] credits;
  logic intr_held, intr_busy, killing;  // an interrupt to send, one from its issue on
  wave_t intr_wave;
  logic [31:0] intr_data;
  logic [2:0] quiet;

  `include "cu_issue_tasks.svh"

  // Common part of every issue; `port` 0 vector, 1 scalar, 2 vector memory, 3 LDS, 4 branch, 5 internal.
  slot_t slot;
  widx_t w;
  slots_t one;
  tag_t now;
  task automatic issued(input logic [1:0] sd);
    w               = {sd, slot};
    one             = 16'd1 << slot;
    now             = tag[w];
    head_ok[sd]     = head_ok[sd] & ~one;
    tag[w]          = now + 8'd1;
    instructions[w] = instructions[w] + 32'd1;
    last_pc[w]      = head[w].pc;
  endtask

  logic busy;
  logic [1:0] s;
  slots_t ready, m, m2;
  always_ff @(posedge clk_i) begin
    busy                = 1'b0;
    s                   = cycle_i[1:0];
    kill_done_o         <= 1'b0;
    ack_taken_o         <= 1'b0;
    consume_valid_o     <= '0;
    pick_valu_valid_o   <= 1'b0;
    pick_sca_valid_o    <= 1'b0;
    pick_vmem_valid_o   <= 1'b0;
    pick_lds_valid_o    <= 1'b0;
    pick_branch_valid_o <= 1'b0;
    result_valid_o      <= 1'b0;
    cu_evt_valid_o      <= 1'b0;
    obs_valid_o         <= '0;
    // ---------------- what others report
    if (cu_evt_credit_i) begin
      credits = credits + 8'd1;
      busy    = 1'b1;
    end
    if (start_valid_i) begin
      start_wave(start_i);
      busy = 1'b1;
    end
    if (head_valid_i[0]) take_head(head_i[0]);
    if (head_valid_i[1]) take_head(head_i[1]);
    for (int unsigned k = 0; k < 2; k++) begin
      if (jump_valid_i[k]) begin
        head_ok[jump_wave_i[k].simd] = head_ok[jump_wave_i[k].simd] & ~(16'd1 << jump_wave_i[k].slot);
        busy = 1'b1;
      end
    end
    if (valu_done_valid_i != 4'd0) begin
      busy = 1'b1;
      for (int unsigned k = 0; k < 4; k++) begin
        if (valu_done_valid_i[k] && valu_done_i[k].has_result) take_result(k[1:0], valu_done_i[k].result);
      end
    end
    if (lds_pop_i || lds_opread_valid_i || lds_done_valid_i) begin
      busy = 1'b1;
      if (lds_pop_i) lds_queued = lds_queued - 3'd1;
      if (lds_opread_valid_i) begin
        w = lds_opread_i.wave;
        lds_read_count[w]     = lds_read_count[w] - 4'd1;
        lds_read_simd[w[5:4]] = lds_read_simd[w[5:4]] - 4'd1;
        if (lds_read_count[w] == 4'd0) lds_reads[w[5:4]] = lds_reads[w[5:4]] & ~(16'd1 << w[3:0]);
      end
      if (lds_done_valid_i) memory_done(lds_done_i, 1'b0);
    end
    if (vmem_pop_i || vmem_opread_valid_i || vmem_done_valid_i) begin
      busy = 1'b1;
      if (vmem_pop_i) vmem_queued = vmem_queued - 3'd1;
      if (vmem_opread_valid_i) begin
        w = vmem_opread_i.wave;
        vm_read_count[w]     = vm_read_count[w] - 4'd1;
        vm_read_simd[w[5:4]] = vm_read_simd[w[5:4]] - 4'd1;
        if (vm_read_count[w] == 4'd0) vm_reads[w[5:4]] = vm_reads[w[5:4]] & ~(16'd1 << w[3:0]);
      end
      if (vmem_done_valid_i) memory_done(vmem_done_i, 1'b1);
    end
    if (smem_done_valid_i) begin
      busy     = 1'b1;
      smem_out = smem_out - 5'd1;
      memory_done(smem_done_i, 1'b0);
    end
    if (intr_valid_i) begin
      busy      = 1'b1;
      intr_held = 1'b1;
      intr_wave = intr_wave_i;
      intr_data = intr_data_i;
    end
    if (kill_valid_i) begin
      busy    = 1'b1;
      killing = 1'b1;
      kill_waves(kill_vmid_i);
    end
    // ---------------- scalar result of the vector ALU of the SIMD in phase 1
    if (result_ready != 4'd0) begin
      busy = 1'b1;
      s    = cycle_i[1:0] - 2'd1;
      if (result_ready[s]) begin
        result_ready[s] = 1'b0;
        result_valid_o  <= 1'b1;
        result_o        <= result[s];
        w               = result[s].wave;
        pending[w]      = result_keep[s];
        check_registers(w);
      end
      s = cycle_i[1:0];
    end
    // ---------------- issue
    ready = live[s] & head_ok[s] & free_regs[s] & ~sleeping[s] & ~at_barrier[s];
    if (recent[s] != 64'd0) begin
      busy      = 1'b1;
      recent[s] = {recent[s][47:0], multi[s]};
    end
    if (turns[s] != 5'd0) begin
      busy     = 1'b1;
      turns[s] = turns[s] - 5'd1;
      if (turns[s] == 5'd0) multi[s] = '0;
    end
    if (ready != 16'd0 || sleeping[s] != 16'd0) begin
      // vector ALU
      m = ready & class_of[{ClsValu, s}] & ~vm_reads[s] & ~lds_reads[s];
      if (m != 16'd0) begin
        if (turns[s] == 5'd0 && !valu_wait_i[s] && fly_count[s] != 3'd4) begin
          busy = 1'b1;
          slot = oldest(m, order[s]);
          issued(s);
          pick_valu_valid_o  <= 1'b1;
          pick_valu_o[s]     <= make_pick(head[w], now);
          consume_valid_o[0] <= 1'b1;
          consume_slot_o[0]  <= slot;
          obs_valid_o[0]     <= obs_en_i;
          if (obs_en_i) obs_o[0] <= make_obs(head[w], now);
          turns[s] = head[w].d.rate == RATE_FULL ? 5'd1 : head[w].d.rate == RATE_HALF ? 5'd2 :
                     head[w].d.rate == RATE_QUARTER ? 5'd4 : 5'd16;
          multi[s] = turns[s] != 5'd1 ? one : 16'd0;
          recent[s] = recent[s] | {48'd0, one};
          if (head[w].write != 64'd0) remember_result(w, head[w], now);
        end else if (valu_wait_i[s]) busy = 1'b1;
      end
      // scalar ALU or memory
      m = ready & class_of[{ClsSalu, s}];
      if (smem_out != 5'(MaxSmem)) m = m | (ready & class_of[{ClsSmem, s}] & ~lg_full[s]);
      if (m != 16'd0) begin
        busy = 1'b1;
        slot = oldest(m, order[s]);
        issued(s);
        pick_sca_valid_o   <= 1'b1;
        pick_sca_o[s]      <= make_pick(head[w], now);
        consume_valid_o[1] <= 1'b1;
        consume_slot_o[1]  <= slot;
        obs_valid_o[1]     <= obs_en_i;
        if (obs_en_i) obs_o[1] <= make_obs(head[w], now);
        if (head[w].cls == ClsSmem) begin
          smem_out = smem_out + 5'd1;
          count_lg(w, 1'b1);
        end
      end
      // vector memory: not while the LDS reads this SIMD
      m = ready & class_of[{ClsVmem, s}] & ~lds_reads[s] & ~vm_full[s] & ~multi[s];
      if (m != 16'd0 && vmem_queued != 3'd4 && lds_read_simd[s] == 4'd0) begin
        busy = 1'b1;
        slot = oldest(m, order[s]);
        issued(s);
        pick_vmem_valid_o  <= 1'b1;
        pick_vmem_o[s]     <= make_pick(head[w], now);
        consume_valid_o[2] <= 1'b1;
        consume_slot_o[2]  <= slot;
        obs_valid_o[2]     <= obs_en_i;
        if (obs_en_i) obs_o[2] <= make_obs(head[w], now);
        vmem_queued      = vmem_queued + 3'd1;
        vm_read_count[w] = vm_read_count[w] + 4'd1;
        vm_read_simd[s]  = vm_read_simd[s] + 4'd1;
        vm_reads[s]      = vm_reads[s] | one;
        count_vm(w, 1'b1);
      end
      // LDS: not while vector memory reads this SIMD
      m = ready & class_of[{ClsLds, s}] & ~vm_reads[s] & ~lg_full[s] & ~multi[s];
      if (m != 16'd0 && lds_queued != 3'd4 && vm_read_simd[s] == 4'd0) begin
        busy = 1'b1;
        slot = oldest(m, order[s]);
        issued(s);
        pick_lds_valid_o   <= 1'b1;
        pick_lds_o[s]      <= make_pick(head[w], now);
        consume_valid_o[3] <= 1'b1;
        consume_slot_o[3]  <= slot;
        obs_valid_o[3]     <= obs_en_i;
        if (obs_en_i) obs_o[3] <= make_obs(head[w], now);
        lds_queued        = lds_queued + 3'd1;
        lds_read_count[w] = lds_read_count[w] + 4'd1;
        lds_read_simd[s]  = lds_read_simd[s] + 4'd1;
        lds_reads[s]      = lds_reads[s] | one;
        count_lg(w, 1'b1);
      end
      // branch or message; one interrupt at a time
      m = ready & class_of[{ClsBranch, s}];
      if (m != 16'd0 && !intr_busy) begin
        busy = 1'b1;
        slot = oldest(m, order[s]);
        issued(s);
        pick_branch_valid_o <= 1'b1;
        pick_branch_o[s]    <= make_pick(head[w], now);
        consume_valid_o[4]  <= 1'b1;
        consume_slot_o[4]   <= slot;
        obs_valid_o[4]      <= obs_en_i;
        if (obs_en_i) obs_o[4] <= make_obs(head[w], now);
        intr_busy = head[w].d.op == OP_S_SENDMSG && head[w].d.simm16[3:0] == 4'd1;
        if (head[w].d.op == OP_S_TRAP) begin
          raise_fault(w, FAULT_TRAP, {56'd0, head[w].d.simm16[7:0]}, 32'd0);
        end
      end
      // waits and no-ops
      m = ready & class_of[{ClsInternal, s}] & ~waiting[s];
      if (m != 16'd0) begin
        busy = 1'b1;
        slot = oldest(m, order[s]);
        issued(s);
        consume_valid_o[5] <= 1'b1;
        consume_slot_o[5]  <= slot;
        obs_valid_o[5]     <= obs_en_i;
        if (obs_en_i) obs_o[5] <= make_obs(head[w], now);
        internal(w, head[w].d);
      end
      // illegal, or its fetch faulted
      m = ready & class_of[{ClsBad, s}];
      if (m != 16'd0) begin
        busy       = 1'b1;
        slot       = oldest(m, order[s]);
        w          = {s, slot};
        last_pc[w] = head[w].pc;
        raise_fault(w, head[w].fault != 4'd0 ? {4'd0, head[w].fault} : FAULT_ILLEGAL, {16'd0, head[w].pc},
                    head[w].inst);
      end
      consume_simd_o <= s;
      if (sleeping[s] != 16'd0) begin
        busy = 1'b1;
        if (cycle_i[5:2] == 4'd0) begin
          for (int unsigned k = 0; k < Slots; k++) begin
            if (sleeping[s][k[3:0]]) begin
              sleep[{s, k[3:0]}] = sleep[{s, k[3:0]}] - 7'd1;
              if (sleep[{s, k[3:0]}] == 7'd0) sleeping[s] = sleeping[s] & ~(16'd1 << k);
            end
          end
        end
      end
    end
    for (int unsigned k = 1; k < 4; k++) begin
      if (sleeping[s+k[1:0]] != 16'd0) busy = 1'b1;
    end
    // ---------------- events
    if (credits != 8'd0) begin
      if (intr_held) begin
        busy           = 1'b1;
        intr_held      = 1'b0;
        intr_busy      = 1'b0;
        make_event(CU_EVT_INTERRUPT, intr_wave, intr_data);
        cu_evt_valid_o <= 1'b1;
        cu_evt_o       <= evt;
        credits        = credits - 8'd1;
      end else if (ack_valid_i && !ack_taken_o) begin
        busy           = 1'b1;
        ack_taken_o    <= 1'b1;
        evt            = '0;
        evt.kind       = CU_EVT_ACK;
        cu_evt_valid_o <= 1'b1;
        cu_evt_o       <= evt;
        credits        = credits - 8'd1;
      end else if ((ending[0] | ending[1] | ending[2] | ending[3] | faulted[0] | faulted[1] | faulted[2] |
                    faulted[3]) != 16'd0) begin
        for (int unsigned k = 0; k < 4; k++) begin
          m  = ending[s] & ~vm_some[s] & ~lg_some[s] & ~sb_some[s] & ~vm_reads[s] & ~lds_reads[s] &
               ~(recent[s][15:0] | recent[s][31:16] | recent[s][47:32] | recent[s][63:48]);
          m2 = faulted[s];
          if ((m | m2) != 16'd0) break;
          s = s + 2'd1;
        end
        if ((m | m2) != 16'd0) begin
          busy = 1'b1;
          slot = oldest(m | m2, order[s]);
          w    = {s, slot};
          if (m2[slot]) begin
            make_event(CU_EVT_FAULT, w, fault_data[w]);
            faulted[s]     = faulted[s] & ~(16'd1 << slot);
            cu_evt_valid_o <= 1'b1;
            credits        = credits - 8'd1;
          end else begin
            make_event(CU_EVT_WAVE_DONE, w, 32'd0);
            if (!silent[s][slot]) begin
              cu_evt_valid_o <= 1'b1;
              credits        = credits - 8'd1;
            end
            remove_wave(w);
          end
          cu_evt_o <= evt;
        end
      end
    end
    if (killing && (silent[0] | silent[1] | silent[2] | silent[3]) == 16'd0) begin
      busy        = 1'b1;
      killing     = 1'b0;
      kill_done_o <= 1'b1;
    end
    if (busy || head_valid_i != 2'd0) begin
      quiet = 3'd0;
      active_o <= live;
      order_o  <= order;
    end else if (quiet != 3'd4) quiet = quiet + 3'd1;
    if (!rst_ni) begin
      for (int unsigned k = 0; k < 4; k++) begin
        used[k]          = '0;
        live[k]          = '0;
        ending[k]        = '0;
        silent[k]        = '0;
        faulted[k]       = '0;
        head_ok[k]       = '0;
        free_regs[k]     = '0;
        waiting[k]       = '0;
        sleeping[k]      = '0;
        at_barrier[k]    = '0;
        vm_some[k]       = '0;
        vm_full[k]       = '0;
        lg_some[k]       = '0;
        lg_full[k]       = '0;
        sb_some[k]       = '0;
        vm_reads[k]      = '0;
        lds_reads[k]     = '0;
        multi[k]         = '0;
        recent[k]        = '0;
        order[k]         = '1;
        fly_head[k]      = '0;
        fly_count[k]     = '0;
        turns[k]         = '0;
        vm_read_simd[k]  = '0;
        lds_read_simd[k] = '0;
      end
      for (int unsigned k = 0; k < 64; k++) begin
        vm_count[k]       = '0;
        lg_count[k]       = '0;
        vm_read_count[k]  = '0;
        lds_read_count[k] = '0;
        pending[k]        = '0;
        arrived[k]        = '0;
        ended[k]          = '0;
        arrived_mask[k]   = '0;
      end
      for (int unsigned k = 0; k < 32; k++) class_of[k] = '0;
      result_ready        = '0;
      vmem_queued         = '0;
      lds_queued          = '0;
      smem_out            = '0;
      credits             = 8'(EvtDepth);
      intr_held           = 1'b0;
      intr_busy           = 1'b0;
      killing             = 1'b0;
      quiet               = '0;
      active_o            <= live;
      order_o             <= order;
      consume_valid_o     <= '0;
      pick_valu_valid_o   <= 1'b0;
      pick_sca_valid_o    <= 1'b0;
      pick_vmem_valid_o   <= 1'b0;
      pick_lds_valid_o    <= 1'b0;
      pick_branch_valid_o <= 1'b0;
      result_valid_o      <= 1'b0;
      cu_evt_valid_o      <= 1'b0;
      kill_done_o         <= 1'b0;
      ack_taken_o         <= 1'b0;
    end
    idle_o <= quiet == 3'd4;
  end
  /* verilator lint_on BLKSEQ */
endmodule
