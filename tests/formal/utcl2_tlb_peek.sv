// SPDX-License-Identifier: Apache-2.0
// Windows into rtl/utcl2/utcl2_tlb and its memories for the helpers of its proof: read_slang reads no array through a hierarchical name.
// Responsible for: nothing but the names.
module utcl2_tlb_peek
  import tlb_pkg::*;
  import utcl2_choose_pkg::*;
  import utcl2_tags_pkg::*;
  import utcl2_misses_pkg::*;
  import utcl2_withheld_pkg::*;
  import utcl2_answers_pkg::*;
#(
  parameter int unsigned Slots = 4,
  parameter int unsigned Depth = 2,
  parameter int unsigned Walks = 2,
  parameter int unsigned Ways = 2,
  parameter int unsigned Rows = 3,
  parameter int unsigned RspDepth = 2,
  parameter int unsigned Spaces = 2
) (
  input page_t slot_page[Slots],
  input who_t slot_who[Slots],
  input slot_t slot_next[Slots],
  input slot_t free_ring[Slots],
  input slot_t in_queue[Depth],
  input space_t space[Spaces],
  input logic [Ways-1:0] valid[Rows],
  input logic [3:0] oldest[Rows],
  input generation_t generation[Spaces],
  input walk_t walk[Walks],
  input logic [63:0] walk_pte[Walks],
  input answer_t answers[RspDepth],
  input logic write_q[3],
  input logic [15:0] read_set_q[3],
  input look_t s1,
  input look_t s2,
  input logic fill_valid,
  input logic [1:0] fill_store,
  input logic [3:0] fill_way,
  input logic [15:0] fill_row,
  input size_e fill_size,
  input vmid_t fill_vmid,
  input vpn_t fill_vpn,
  input logic [63:0] fill_pte,
  input logic [2:0] cmd_state,
  input logic cmd_deny,
  input slots_t cmd_left,
  input logic cmd_long,
  input logic [15:0] cmd_step,
  input inv_t cmd_inv
);
  page_t [Slots-1:0] p_page;
  who_t [Slots-1:0] p_who;
  slot_t [Slots-1:0] p_next, p_free;
  slot_t [Depth-1:0] p_queue;
  space_t [Spaces-1:0] p_space;
  generation_t [Spaces-1:0] p_generation;
  logic [Rows-1:0][Ways-1:0] p_valid;
  logic [Rows-1:0][3:0] p_oldest;
  walk_t [Walks-1:0] p_walk;
  logic [Walks-1:0][63:0] p_walk_pte;
  answer_t [RspDepth-1:0] p_answer;
  logic [2:0] p_write;
  logic [2:0][15:0] p_read_set;
  for (genvar g = 0; g < Slots; g++) begin : gen_slots
    assign p_page[g] = slot_page[g];
    assign p_who[g]  = slot_who[g];
    assign p_next[g] = slot_next[g];
    assign p_free[g] = free_ring[g];
  end
  for (genvar g = 0; g < Depth; g++) begin : gen_queue
    assign p_queue[g] = in_queue[g];
  end
  for (genvar g = 0; g < Spaces; g++) begin : gen_spaces
    assign p_space[g] = space[g];
    assign p_generation[g] = generation[g];
  end
  for (genvar g = 0; g < Rows; g++) begin : gen_rows
    assign p_valid[g] = valid[g];
    assign p_oldest[g] = oldest[g];
  end
  for (genvar g = 0; g < Walks; g++) begin : gen_walks
    assign p_walk[g] = walk[g];
    assign p_walk_pte[g] = walk_pte[g];
  end
  for (genvar g = 0; g < RspDepth; g++) begin : gen_answers
    assign p_answer[g] = answers[g];
  end
  for (genvar g = 0; g < 3; g++) begin : gen_stores
    assign p_write[g] = write_q[g];
    assign p_read_set[g] = read_set_q[g];
  end
endmodule
bind utcl2_tlb utcl2_tlb_peek #(
  .Slots(Slots), .Depth(Depth), .Walks(Walks), .Ways(Ways), .Rows(Rows), .RspDepth(RspDepth), .Spaces(Spaces)
) u_peek (
  .slot_page, .slot_who, .slot_next, .free_ring, .in_queue, .space, .valid, .oldest, .generation, .walk, .walk_pte, .answers, .write_q,
  .read_set_q, .s1, .s2, .fill_valid(fill.valid), .fill_store(fill.store), .fill_way(fill.way), .fill_row(16'(fill.row)),
  .fill_size(fill.size), .fill_vmid(fill.vmid), .fill_vpn(fill.vpn), .fill_pte(fill.pte), .cmd_state(3'(cmd.state)),
  .cmd_deny(cmd.deny), .cmd_left(cmd.left), .cmd_long(cmd.long_range), .cmd_step(cmd.step), .cmd_inv(cmd.inv)
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
