// SPDX-License-Identifier: Apache-2.0
// Rows of vector memory instructions wait here for the VGPRs of their SIMD: up to eight, and one that is offered.  A row is written
// in a cycle in which the vector ALU of that SIMD writes none, so a busy SIMD delays its own rows only, and cu_vmem_return goes
// on with those of another.  Responsible for: the order of a SIMD's rows, when an instruction's last one is written.  Not
// responsible for: the values (cu_vmem_return), completion (cu_vmem_slots).  A row that finds nothing before it is offered one
// cycle after it came; one instruction a cycle is reported.
`include "gantry_assert.svh"

module cu_vmem_writeback
  import cu_pkg::*;
  import cu_vmem_pkg::*;
(
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       en_i,             // low: nothing is valid, nothing moves, no pulse has to fall
  input  logic       row_valid_i,      // only to a SIMD that had room_o
  input  vmem_row_t  row_i,
  output logic [3:0] room_o,           // by SIMD: for a row in the next cycle, whatever comes in this one
  output logic [3:0] vwr_valid_o,      // by SIMD; a row stays until it is taken
  output vwr_req_t   vwr0_o[1],        // of SIMD 0; arrays: see lds_writeback
  output vwr_req_t   vwr1_o[1],
  output vwr_req_t   vwr2_o[1],
  output vwr_req_t   vwr3_o[1],
  /* verilator lint_off UNUSEDSIGNAL */
  input  logic [1:0] vwr_ready_i[4],   // by SIMD: upper bit
  /* verilator lint_on UNUSEDSIGNAL */
  output logic       done_valid_o,     // all rows of an instruction are written
  output vslot_t       done_slot_o,
  output logic       moved_o
);
  localparam int unsigned Depth = 8;

  vmem_row_t row_mem[4*Depth];  // {SIMD, place}
  logic [2:0] read_at[4], write_at[4];
  logic [3:0] count[4];
  // by SIMD: rows wait in the memory; one is offered; it is its instruction's last, that of this slot
  logic [3:0] some, hold, closes;
  vslot_t at[4];
  vslots_t ended;  // by slot: not yet reported
  // temporaries
  vmem_row_t next;
  vwr_req_t offered[4];  // of this cycle, of the SIMDs in
  logic [3:0] fresh;
  logic store;
  vslot_t chosen;
  logic awake, moved;
  logic lost;  // a row came without room

  /* verilator lint_off BLKSEQ */
  // `next` is the oldest row of SIMD s: it is offered, or, if it writes nothing, its instruction ends.
  task automatic offer(input logic [1:0] s);
    moved = 1'b1;
    if (next.vwr.lanes == '0) begin
      ended[next.slot] = 1'b1;
    end else begin
      hold[s] = 1'b1;
      closes[s] = next.final_row;
      at[s] = next.slot;
      offered[s] = next.vwr;
      fresh[s] = 1'b1;
    end
  endtask

  task automatic leave(input logic [1:0] s);
    if (hold[s] && vwr_ready_i[s][1]) begin
      moved = 1'b1;
      hold[s] = 1'b0;
      if (closes[s]) ended[at[s]] = 1'b1;
    end
    if (some[s] && !hold[s]) begin
      next = row_mem[{s, read_at[s]}];
      read_at[s] = read_at[s] + 3'd1;
      count[s] = count[s] - 4'd1;
      some[s] = count[s] != '0;
      offer(s);
    end
  endtask

  always_ff @(posedge clk_i) begin
    if (en_i || !rst_ni) begin
      if (row_valid_i || awake) begin
        `GANTRY_CHECKS;
        moved = row_valid_i;
        fresh = '0;
        offered = '{default: '0};
        if ((some | hold) != '0) for (int unsigned s = 0; s < 4; s++) leave(s[1:0]);
        store = row_valid_i && (some[row_i.vwr.simd] || hold[row_i.vwr.simd]);
        lost <= store && count[row_i.vwr.simd] == 4'(Depth);
        if (store) begin
          row_mem[{row_i.vwr.simd, write_at[row_i.vwr.simd]}] <= row_i;
          write_at[row_i.vwr.simd] = write_at[row_i.vwr.simd] + 3'd1;
          count[row_i.vwr.simd] = count[row_i.vwr.simd] + 4'd1;
          some[row_i.vwr.simd] = 1'b1;
        end else if (row_valid_i) begin
          next = row_i;
          offer(row_i.vwr.simd);
        end
        vwr_valid_o <= hold;
        if (fresh[0]) vwr0_o[0] <= offered[0];
        if (fresh[1]) vwr1_o[0] <= offered[1];
        if (fresh[2]) vwr2_o[0] <= offered[2];
        if (fresh[3]) vwr3_o[0] <= offered[3];
        done_valid_o <= ended != '0;
        if (ended != '0) begin
          moved = 1'b1;
          chosen = vslot_t'(pick_pkg::rr64(64'(ended), 6'(chosen)));
          done_slot_o <= chosen;
          ended[chosen] = 1'b0;
        end
        for (int unsigned s = 0; s < 4; s++) room_o[s] <= count[s] <= 4'(Depth - 2);
        awake = moved || (some | hold) != '0;
        moved_o <= awake;
      end
      if (!rst_ni) begin
        for (int unsigned s = 0; s < 4; s++) {read_at[s], write_at[s], count[s]} = '0;
        {some, hold, ended, chosen, awake} = '0;
        {vwr_valid_o, done_valid_o, moved_o} <= '0;
        room_o <= '1;
        lost <= 1'b0;
      end
    end
  end
  /* verilator lint_on BLKSEQ */

  // ---- assertions
  `GANTRY_ASSERT(a_room, !lost)
  task automatic check_state();
    for (int unsigned s = 0; s < 4; s++) begin
      `GANTRY_CHECK(a_some, some[s] == (count[s] != '0) && count[s] <= 4'(Depth) &&
                            3'(write_at[s] - read_at[s]) == count[s][2:0])
    end
  endtask
endmodule
