// SPDX-License-Identifier: Apache-2.0
// Slots of vector memory instructions, from issue to completion: takes an instruction, asks the VGPRs for its rows one
// a cycle, counts its transactions, and lets it complete when all are done, in the order of its wavefront.
// Responsible for: the table of instructions in flight, faults, the order of completion.  Not responsible for:
// addresses (cu_vmem_coalesce), data (cu_vmem_request, cu_vmem_return).
`include "gantry_assert.svh"

module cu_vmem_slots
  import cu_pkg::*;
  import cu_vmem_pkg::*;
#(
  parameter int unsigned Latency = 120,  // shortest time from valid_i to the report of completion
  parameter bit [3:0] SeedFault = 4'd0  // bench only: see cu_vmem_pipe
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic         [15:0] time_i,
  input  logic                en_i,             // low: nothing is valid, nothing moves, no pulse has to fall
  input  logic                valid_i,
  input  vmem_issue_t         issue_i,
  output logic                ready_o,
  output logic                opread_valid_o,
  output wave_tag_t           opread_o,
  output logic                reading_o,
  output logic          [1:0] reading_simd_o,
  output logic          [3:0] vrd_valid_o,      // by SIMD
  output vrd_req_t            vrd_o,
  output vslot_t                next_slot_o,      // the slot of an instruction that is issued in this cycle
  output vmem_capture_t       capture_o,
  input  logic                started_valid_i,  // a transaction of the slot begins
  input  vslot_t                started_slot_i,
  input  logic                sent_valid_i,     // no further transaction follows
  input  vslot_t                sent_slot_i,
  input  vmem_event_t         fault_i,          // lanes left out
  input  vmem_event_t         denied_i,         // a transaction ended without access
  /* verilator lint_off UNUSEDSIGNAL */
  input  vmem_end_t           ended_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic         [63:0] ended_va_i[1],
  input  logic                ack_valid_i,
  /* verilator lint_off UNUSEDSIGNAL */
  input  logic          [7:0] ack_slot_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic          [7:0] ack_status_i,
  output logic                wb_valid_o,       // write the rows of this slot
  output vslot_t                wb_slot_o,
  input  logic                wb_left_i,        // the rows of one such instruction are on their way
  input  logic                wb_done_i,        // those of this slot are written
  input  vslot_t                wb_done_slot_i,
  output logic                done_valid_o,
  output mem_done_t           done_o,
  output logic          [8:0] rest_o,           // cycles that the report comes before its time
  input  logic                room_i,           // such reports, of all slots, have a place
  input  logic          [5:0] waiting_i,        // transactions that have begun and not left the coalescer
  output logic                drained_o,        // no other is under way
  output logic                moved_o
);
  // instructions in flight
  vslots_t used, sent, finished, rows;  // rows: brings results
  vslots_t begun, written;  // its rows have begun to leave; they are in the VGPRs
  vslots_t behind, blocked;  // an older one of its wavefront has not begun; has not completed
  logic [5:0] wave[NumSlots];
  logic [7:0] tag[NumSlots], status[NumSlots];
  logic [63:0] fault_va[NumSlots];
  (* no_rw_check *) logic [47:0] pc[NumSlots];
  logic [15:0] since[NumSlots], age;  // when it came in
  vslots_t older[NumSlots];  // instructions of its wavefront before it
  logic [9:0] left[NumSlots];  // transactions under way: 64 lanes, up to 4 words, each may lie in two lines
  logic [$clog2(NumSlots)+9:0] outstanding;  // of all
  // operand rows
  vslot_t slot;
  logic [5:0] rows_left;
  logic [1:0] row_kind, row_word, row_beat;
  logic [1:0] row_part;  // a SIMD with fewer than 16 lanes reads a row in `Parts` cycles
  vmem_capture_t capture;
  /* verilator lint_off UNUSEDSIGNAL */
  vop_t op;
  /* verilator lint_on UNUSEDSIGNAL */
  // completion
  logic [1:0] wb_count;  // instructions whose rows have not left
  vslot_t chosen, last;
  // temporaries
  vslots_t others, ready;
  logic awake, moved, complete, ready_q;

  // room_i rises while this unit rests, when reports have left the floor behind it
  assign ready_o = ready_q && room_i && !valid_i;

  /* verilator lint_off BLKSEQ */
  task automatic accept();
    slot = next_slot_o;
    op = prepare(issue_i);
    others = '0;
    for (int unsigned s = 0; s < NumSlots; s++) others = others | (vslots_t'(used[s] && wave[s] == op.wave) << s);
    older[slot] = others;
    blocked[slot] = others != '0 && SeedFault != 4'd3;
    behind[slot] = (others & ~begun) != '0 && SeedFault != 4'd3;
    used[slot] = 1'b1;
    sent[slot] = 1'b0;
    finished[slot] = 1'b0;
    begun[slot] = 1'b0;
    written[slot] = 1'b0;
    rows[slot] = op.results != '0 && op.exec != '0;
    wave[slot] = op.wave;
    tag[slot] = op.tag;
    status[slot] = '0;
    since[slot] = time_i;
    left[slot] = '0;
    row_word = '0;
    row_beat = '0;
    row_kind = !op.mubuf || op.offen ? 2'd0 : op.idxen ? 2'd1 : 2'd2;
    rows_left = 6'(issue_i.lds ? 3'd0 : op.words) + (op.mubuf ? 6'(op.idxen) + 6'(op.offen) : 6'd2);
    rows_left = op.inv || op.exec == '0 ? '0 : rows_left << 2;
    if (rows_left == '0) capture = '{valid: 1'b1, none: 1'b1, slot: slot, final_row: 1'b1, default: '0};
  endtask

  task automatic request_row();
    reading_simd_o <= op.wave.simd;
    vrd_o.simd <= op.wave.simd;
    if (row_kind == 2'd2) vrd_o.row <= {op.data + 8'(row_word), row_beat};
    else vrd_o.row <= {op.addr + 8'(row_kind[0] ^ (op.mubuf && op.idxen)), row_beat};
    if (Parts > 1) row_part = 2'((32'(row_part) + 32'd1) % Parts);
    if (Parts == 1 || row_part == 2'd0) next_row();
  endtask

  task automatic next_row();
    rows_left = rows_left - 6'd1;
    capture = '{
        valid: 1'b1,
        none: 1'b0,
        kind: row_kind,
        slot: slot,
        simd: op.wave.simd,
        word: row_word,
        beat: row_beat,
        final_row: rows_left == '0
    };
    row_beat = row_beat + 2'd1;
    if (row_beat == '0) begin
      if (row_kind == 2'd2) row_word = row_word + 2'd1;
      row_kind = row_kind == 2'd0 && (!op.mubuf || op.idxen && op.offen) ? 2'd1 : 2'd2;
    end
  endtask

  // The first fault of an instruction is reported, of one cycle the one nearest to the beginning of this unit.  Addresses of
  // transactions have 40 bits; the cache knows none.
  task automatic take_faults();
    for (int unsigned s = 0; s < NumSlots; s++) begin
      if (status[s] == '0) begin
        if (fault_i.valid && fault_i.slot == vslot_t'(s)) begin
          status[s]   = fault_i.status;
          fault_va[s] = fault_i.va;
        end else if (denied_i.valid && denied_i.slot == vslot_t'(s)) begin
          status[s]   = denied_i.status;
          fault_va[s] = {24'd0, denied_i.va[39:0]};
        end else if (ended_i.valid && ended_i.status != '0 && ended_i.slot == vslot_t'(s)) begin
          status[s]   = ended_i.status;
          fault_va[s] = {24'd0, ended_va_i[0][39:0]};
        end else if (ack_valid_i && ack_status_i != '0 && vslot_t'(ack_slot_i) == vslot_t'(s)) begin
          status[s]   = ack_status_i;
          fault_va[s] = '0;
        end
        if (status[s] != '0) rows[s] = 1'b0;
      end
    end
  endtask

  task automatic end_transaction(input vslot_t at);
    left[at] = left[at] - 10'd1;
    outstanding = outstanding - 1'b1;
    finished[at] = left[at] == '0 && sent[at];
  endtask

  task automatic take_events();
    if (started_valid_i) begin
      left[started_slot_i] = left[started_slot_i] + 10'd1;
      outstanding = outstanding + 1'b1;
    end
    if (sent_valid_i) begin
      sent[sent_slot_i] = 1'b1;
      finished[sent_slot_i] = left[sent_slot_i] == '0;
    end
    if (denied_i.valid) end_transaction(denied_i.slot);
    if (ended_i.valid) end_transaction(ended_i.slot);
    if (ack_valid_i) end_transaction(vslot_t'(ack_slot_i));
    if (fault_i.valid || denied_i.valid || (ended_i.valid && ended_i.status != '0) ||
        (ack_valid_i && ack_status_i != '0)) begin
      take_faults();
    end
  endtask

  // Instructions of a wavefront that have begun, or have completed, no longer hold up younger ones.
  task automatic release_younger();
    for (int unsigned s = 0; s < NumSlots; s++) begin
      blocked[s] = older[s] != '0 && SeedFault != 4'd3;
      behind[s]  = (older[s] & ~begun) != '0 && SeedFault != 4'd3;
    end
  endtask

  // A finished instruction with rows has them written, behind those of older ones of its wavefront: rows of a SIMD stay in
  // order.  Two may wait for their rows to leave.  It completes when they are written; one without, or with a fault, at once,
  // but in the order of the wavefront.
  task automatic retire();
    if (wb_done_i) written[wb_done_slot_i] = 1'b1;
    if (wb_left_i) wb_count = wb_count - 2'd1;
    ready = finished & rows & ~behind;
    complete = 1'b0;
    if (ready != '0 && !wb_count[1]) begin
      chosen = vslot_t'(pick_pkg::rr64(64'(ready), 6'(chosen)));
      finished[chosen] = 1'b0;
      begun[chosen] = 1'b1;
      wb_valid_o <= 1'b1;
      wb_slot_o <= chosen;
      wb_count = wb_count + 2'd1;
      complete = 1'b1;
    end
    ready = (written | (finished & ~rows)) & ~blocked;
    if (ready != '0) begin
      last = vslot_t'(pick_pkg::rr64(64'(ready), 6'(last)));
      // no older instruction of its wavefront is left behind (tags count all instructions: they do not tell)
      `GANTRY_CHECK(a_in_order, older[last] == '0)
      finished[last] = 1'b0;
      written[last] = 1'b0;
      done_valid_o <= 1'b1;
      done_o <= '{
          pc: pc[last], wave: wave[last], tag: tag[last], vm: 1'b1, lgkm: 1'b0, status: status[last], va: fault_va[last]
      };
      age = time_i - since[last] + 16'd1;
      rest_o <= age < 16'(Latency) ? 9'(16'(Latency) - age) : 9'd0;
      used[last] = 1'b0;
      for (int unsigned s = 0; s < NumSlots; s++) older[s] = older[s] & ~(vslots_t'(1) << last);
      complete = 1'b1;
    end
    if (complete) begin
      release_younger();
      moved = 1'b1;
    end
  endtask

  always_ff @(posedge clk_i) begin
    if (en_i || !rst_ni) begin
      if (valid_i || used != '0 || awake) begin
        `GANTRY_CHECKS;
        moved = valid_i || started_valid_i || sent_valid_i || denied_i.valid || ended_i.valid || ack_valid_i ||
            wb_left_i || wb_done_i;
        done_valid_o <= 1'b0;
        wb_valid_o <= 1'b0;
        if (Narrow) begin  // completion, and a cycle later what it hangs on, for the clock
          retire();
          take_events();
        end else begin
          take_events();
          retire();
        end
        opread_valid_o <= capture_o.valid && capture_o.final_row;
        if (capture_o.valid) begin
          moved = 1'b1;
          opread_o <= '{wave: wave[capture_o.slot], tag: tag[capture_o.slot]};
        end
        if (capture.valid) moved = 1'b1;
        capture_o <= capture;
        capture.valid = 1'b0;
        if (valid_i) begin
          accept();
          pc[next_slot_o] <= issue_i.pc;
        end
        vrd_valid_o <= rows_left != '0 ? 4'd1 << op.wave.simd : '0;
        reading_o   <= rows_left != '0;
        if (rows_left != '0) begin
          moved = 1'b1;
          request_row();
        end
        ready_q <= rows_left <= (Parts == 1 ? 6'd1 : 6'd0) && used != '1;
        next_slot_o <= vslot_t'(pick_pkg::first64(64'(vslots_t'(~used))));
        drained_o <= 32'(outstanding) == 32'(waiting_i);
        awake = moved;
        moved_o <= moved;
      end
      if (!rst_ni) begin
        {used, sent, finished, begun, written, blocked, behind} = '0;
        {rows_left, row_part, wb_count, chosen, last, awake} = '0;
        capture.valid = 1'b0;
        outstanding = '0;
        {vrd_valid_o, reading_o, opread_valid_o, wb_valid_o, done_valid_o} <= '0;
        capture_o.valid <= 1'b0;
        ready_q <= 1'b1;
        next_slot_o <= '0;
        drained_o <= 1'b1;
        moved_o   <= 1'b0;
      end
    end
  end
  /* verilator lint_on BLKSEQ */

  // ---- assertions
  task automatic check_state();
    vslot_t at;
    // an instruction comes into a free slot when the rows of the one before have been asked for
    `GANTRY_CHECK(a_free, `GANTRY_IMPL(valid_i, !used[next_slot_o] && rows_left == '0))
    `GANTRY_CHECK(a_live, ((finished | written) & ~used) == '0 && (finished & written) == '0)
    // what ends had begun
    `GANTRY_CHECK(a_denied, `GANTRY_IMPL(denied_i.valid, left[denied_i.slot] != '0))
    `GANTRY_CHECK(a_ended, `GANTRY_IMPL(ended_i.valid, left[ended_i.slot] != '0))
    `GANTRY_CHECK(a_answered, `GANTRY_IMPL(ack_valid_i, left[vslot_t'(ack_slot_i)] != '0))
    `GANTRY_CHECK(a_sent, `GANTRY_IMPL(sent_valid_i, used[sent_slot_i] && !sent[sent_slot_i]))
    `GANTRY_CHECK(a_started, `GANTRY_IMPL(started_valid_i, used[started_slot_i] && !sent[started_slot_i]))
    `GANTRY_CHECK(a_rows_left, wb_count <= 2'd2 && `GANTRY_IMPL(wb_left_i, wb_count != 2'd0))
    `GANTRY_CHECK(a_rows_written, `GANTRY_IMPL(wb_done_i, begun[wb_done_slot_i] &&
                                               !written[wb_done_slot_i]))
    // of one slot a cycle
    at = vslot_t'(time_i);
    `GANTRY_CHECK(a_under_way, `GANTRY_IMPL(used[at], 32'(left[at]) <= 32'(outstanding)))
    `GANTRY_CHECK(a_older, `GANTRY_IMPL(used[at], (older[at] & ~used) == '0))
  endtask
endmodule
