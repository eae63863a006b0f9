// SPDX-License-Identifier: Apache-2.0
// Slots of vector memory instructions, from issue to completion: takes an instruction, asks the VGPRs for its rows, counts
// its transactions, and lets it complete when all are done, in the order of its wavefront.  A cycle reads a row of data of
// one instruction and a row of addresses of the next, if their SIMDs differ; operands are complete in the order of issue.
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
  output logic          [3:0] vrd_valid_o,      // by SIMD, two at most
  output row_t                vrd_row_o[4],
  output vslot_t                next_slot_o,      // the slot of an instruction that is issued in this cycle
  output vmem_capture_t       address_o,        // a row of addresses on the read port
  output vmem_capture_t       data_o,           // a row of data; one of both at most is the final row
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
  // operand rows: addresses of the instruction that came last, data of one before it
  logic entered;  // the one that came last has not gone on
  /* verilator lint_off UNUSEDSIGNAL */
  vop_t op;
  /* verilator lint_on UNUSEDSIGNAL */
  vslot_t slot;
  logic [3:0] address_left;
  logic [1:0] row_kind, row_beat;
  logic [4:0] data_rows;  // that follow its addresses
  typedef struct packed {
    vslot_t slot;
    logic [1:0] simd;
    vgpr_t vgpr;
    logic [1:0] word;
    logic [1:0] beat;
    logic [4:0] left;
  } data_reader_t;
  data_reader_t data;
  logic [1:0] row_part;  // a SIMD with fewer than 16 lanes reads a row in `Parts` cycles
  vmem_capture_t address_row, data_row;
  vslot_t told;  // its operands are read
  logic [3:0] reads;  // of this cycle, by SIMD
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
    entered = 1'b1;
    row_beat = '0;
    row_kind = op.mubuf && !op.offen ? 2'd1 : 2'd0;
    address_left = '0;
    data_rows = '0;
    if (!op.inv && op.exec != '0) begin
      address_left = (op.mubuf ? 4'(op.idxen) + 4'(op.offen) : 4'd2) << 2;
      if (!issue_i.lds) data_rows = {op.words, 2'd0};
    end
  endtask

  // Each SIMD has one read port for this unit.
  task automatic read_row(input logic [1:0] simd, input row_t row);
    reads[simd] = 1'b1;
    vrd_row_o[simd] <= row;
    if (Parts > 1) row_part = 2'((32'(row_part) + 32'd1) % Parts);
  endtask

  task automatic request_address();
    read_row(op.wave.simd, {op.addr + 8'(row_kind[0] ^ (op.mubuf && op.idxen)), row_beat});
    if (row_part == 2'd0) begin
      address_left = address_left - 4'd1;
      address_row = '{valid: 1'b1, kind: row_kind, slot: slot, simd: op.wave.simd, beat: row_beat, default: '0};
      row_beat = row_beat + 2'd1;
      if (row_beat == '0) row_kind = 2'd1;
    end
  endtask

  task automatic request_data();
    read_row(data.simd, {data.vgpr, data.beat});
    if (row_part == 2'd0) begin
      data.left = data.left - 5'd1;
      data_row = '{
          valid: 1'b1,
          none: 1'b0,
          kind: 2'd2,
          slot: data.slot,
          simd: data.simd,
          word: data.word,
          beat: data.beat,
          final_row: data.left == '0
      };
      data.beat = data.beat + 2'd1;
      if (data.beat == '0) begin
        data.word = data.word + 2'd1;
        data.vgpr = data.vgpr + 8'd1;
      end
    end
  endtask

  // The addresses of an instruction are read, and the data of those before it.
  task automatic go_on();
    entered = 1'b0;
    if (data_rows != '0) begin
      data = '{slot: slot, simd: op.wave.simd, vgpr: op.data, word: '0, beat: '0, left: data_rows};
    end else if (address_row.valid) begin
      address_row.final_row = 1'b1;
    end else begin
      address_row = '{valid: 1'b1, none: 1'b1, slot: slot, final_row: 1'b1, default: '0};
    end
  endtask

  task automatic request_rows();
    reads = '0;
    if (address_left != '0 && !(data.left != '0 && data.simd == op.wave.simd)) request_address();
    if (entered && address_left == '0 && data.left == '0) go_on();
    if (data.left != '0 && !reads[data.simd]) request_data();
    vrd_valid_o <= reads;
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
        opread_valid_o <= (address_o.valid && address_o.final_row) || (data_o.valid && data_o.final_row);
        told = data_o.valid ? data_o.slot : address_o.slot;
        if (address_o.valid || data_o.valid) opread_o <= '{wave: wave[told], tag: tag[told]};
        if (address_o.valid || data_o.valid || address_row.valid || data_row.valid) moved = 1'b1;
        address_o <= address_row;
        data_o <= data_row;
        address_row.valid = 1'b0;
        data_row.valid = 1'b0;
        if (valid_i) begin
          accept();
          pc[next_slot_o] <= issue_i.pc;
        end
        vrd_valid_o <= '0;
        if (entered || data.left != '0) begin
          moved = 1'b1;
          request_rows();
        end
        // a narrow SIMD's rows pass cu_vmem_parts, one instruction after the other
        ready_q <= used != '1 && (Parts > 1 ? !entered && data.left == '0 :
                                  !entered || (address_left <= 4'd1 && data.left == '0));
        next_slot_o <= vslot_t'(pick_pkg::first64(64'(vslots_t'(~used))));
        drained_o <= 32'(outstanding) == 32'(waiting_i);
        awake = moved;
        moved_o <= moved;
      end
      if (!rst_ni) begin
        {used, sent, finished, begun, written, blocked, behind} = '0;
        {entered, address_left, data.left, row_part, wb_count, chosen, last, awake} = '0;
        address_row.valid = 1'b0;
        data_row.valid = 1'b0;
        outstanding = '0;
        {vrd_valid_o, opread_valid_o, wb_valid_o, done_valid_o} <= '0;
        address_o.valid <= 1'b0;
        data_o.valid <= 1'b0;
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
    // an instruction comes into a free slot when the one before has gone on
    `GANTRY_CHECK(a_free, `GANTRY_IMPL(valid_i, !used[next_slot_o] && !entered))
    `GANTRY_CHECK(a_one_complete, !(address_o.valid && address_o.final_row && data_o.valid))
    `GANTRY_CHECK(a_one_each, `GANTRY_IMPL(address_o.valid && !address_o.none && data_o.valid,
                                           Parts == 1 && address_o.simd != data_o.simd))
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
