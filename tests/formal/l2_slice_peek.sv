// SPDX-License-Identifier: Apache-2.0
// Windows into rtl/l2/l2_slice and its memories for the helpers of its proof: read_slang reads no array through a hierarchical name.
// Only in the unbounded proof, which has one set and one channel.  Responsible for: nothing but the names.
module l2_slice_peek
  import gantry_msg_pkg::*;
  import l2_pkg::*;
  import l2_mshr_pkg::*;
  import l2_miss_pkg::*;
#(
  parameter int unsigned Slots = 8,
  parameter int unsigned Depth = 2,
  parameter int unsigned Mshrs = 2,
  parameter int unsigned Ways = 2,
  parameter int unsigned RspDepth = 4
) (
  input access_t slot_access[Slots],
  input ids_t slot_ids[Slots],
  input slot_t slot_next[Slots],
  input slot_t free_slots[Slots],
  input slot_t in_queue[Depth],
  input list_t replay[1],
  input list_t waiter[1],
  input ways_t valid[1],
  input ways_t pending[1],
  input ways_t full[1],
  input ways_t dirty[1],
  input logic [9:0] waits[1],
  input logic [63:0] dirty_sets[1],
  input mshr_no_t mshr_of[Ways],
  input mshr_t mshr[Mshrs],
  input logic [9:0] mshr_count[Mshrs],
  input mshr_no_t free_mshrs[Mshrs],
  input mshr_no_t timed[2],
  input mshr_no_t fills[2],
  input command_t cmd_queue[2 * QueuePlaces],  // as for two channels; the one has the first half
  input logic [4:0] cmd_first[1],
  input mem_rsp_t rsp_queue[RspDepth],
  input dram_req_t store_queue[StorePlaces],
  input logic [15:0] era_writes[2]
);
  access_t [Slots-1:0] p_access;
  logic [Slots-1:0][31:0] p_tag;
  slot_t [Slots-1:0] p_next, p_free;
  slot_t [Depth-1:0] p_queue;
  list_t p_replay, p_waiter;
  ways_t p_valid, p_pending, p_full, p_dirty;
  logic [9:0] p_waits;
  logic [63:0] p_dirty_sets;
  mshr_no_t [Ways-1:0] p_mshr_of;
  mshr_t [Mshrs-1:0] p_mshr;
  logic [Mshrs-1:0][9:0] p_mshr_count;
  mshr_no_t [Mshrs-1:0] p_free_mshr;
  mshr_no_t [1:0] p_timed, p_fills;
  command_t [QueuePlaces-1:0] p_command;  // from the first on
  mem_rsp_t [RspDepth-1:0] p_answer;
  dram_req_t [StorePlaces-1:0] p_message;
  logic [1:0][15:0] p_era;
  for (genvar g = 0; g < Slots; g++) begin : gen_slots
    assign p_access[g] = slot_access[g];
    assign p_tag[g]    = slot_ids[g].tag;
    assign p_next[g]   = slot_next[g];
    assign p_free[g]   = free_slots[g];
  end
  for (genvar g = 0; g < Depth; g++) begin : gen_queue
    assign p_queue[g] = in_queue[g];
  end
  assign p_replay  = replay[0];
  assign p_waiter  = waiter[0];
  assign p_valid   = valid[0];
  assign p_pending = pending[0];
  assign p_full    = full[0];
  assign p_dirty   = dirty[0];
  assign p_waits   = waits[0];
  assign p_dirty_sets = dirty_sets[0];
  for (genvar g = 0; g < Ways; g++) begin : gen_ways
    assign p_mshr_of[g] = mshr_of[g];
  end
  for (genvar g = 0; g < Mshrs; g++) begin : gen_mshrs
    assign p_mshr[g]       = mshr[g];
    assign p_mshr_count[g] = mshr_count[g];
    assign p_free_mshr[g]  = free_mshrs[g];
  end
  for (genvar g = 0; g < 2; g++) begin : gen_rings
    assign p_timed[g] = timed[g];
    assign p_fills[g] = fills[g];
    assign p_era[g]   = era_writes[g];
  end
  for (genvar g = 0; g < QueuePlaces; g++) begin : gen_commands
    assign p_command[g] = cmd_queue[5'(g)+cmd_first[0]];
  end
  for (genvar g = 0; g < RspDepth; g++) begin : gen_answers
    assign p_answer[g] = rsp_queue[g];
  end
  for (genvar g = 0; g < StorePlaces; g++) begin : gen_messages
    assign p_message[g] = store_queue[g];
  end
endmodule
`ifdef HELPERS
bind l2_slice l2_slice_peek #(
  .Slots(Slots), .Depth(Depth), .Mshrs(Mshrs), .Ways(Ways), .RspDepth(RspDepth)
) u_peek (
  .slot_access, .slot_ids, .slot_next, .free_slots, .in_queue, .replay, .waiter, .valid, .pending, .full, .dirty, .waits, .dirty_sets, .mshr_of, .mshr,
  .mshr_count, .free_mshrs, .timed, .fills, .cmd_queue, .cmd_first, .rsp_queue, .store_queue, .era_writes
);

// Rows of a memory.
module ram_1r1w_peek #(
  parameter int unsigned Width = 32,
  parameter int unsigned Depth = 64
) (
  input logic [Width-1:0] mem[Depth]
);
  logic [Depth-1:0][Width-1:0] p_mem;
  for (genvar g = 0; g < Depth; g++) begin : gen_rows
    assign p_mem[g] = mem[g];
  end
endmodule
bind ram_1r1w ram_1r1w_peek #(.Width(Width), .Depth(Depth)) u_peek (.mem(mem));
`endif
