// SPDX-License-Identifier: Apache-2.0
// Four records between the front end and a unit (vector memory) that takes an issue only in the cycle after its ready.
// Responsible for: order, one record a cycle.  Not responsible for: overflow: the sender counts what is inside
// (pop_o tells when a record left).
`include "gantry_assert.svh"

module issue_queue #(
  parameter int unsigned Width = 32
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             push_i,
  input  logic [Width-1:0] data_i,
  input  logic             ready_i,  // the unit takes an issue in the next cycle
  output logic             valid_o,
  output logic [Width-1:0] data_o,
  output logic             idle_o
);
  logic [Width-1:0] mem[4];
  logic [1:0] read_q, write_q;
  logic [2:0] count_q;

  assign idle_o = !(count_q != 3'd0 && ready_i) && !valid_o;

  always_ff @(posedge clk_i) begin
    valid_o <= 1'b0;
    if (push_i || count_q != 3'd0) begin
      if (push_i) begin
        mem[write_q] <= data_i;
        write_q      <= write_q + 2'd1;
      end
      if (ready_i && count_q != 3'd0) begin
        valid_o <= 1'b1;
        data_o  <= mem[read_q];
        read_q  <= read_q + 2'd1;
      end
      count_q <= count_q + {2'd0, push_i} - {2'd0, ready_i && count_q != 3'd0};
    end
    if (!rst_ni) begin
      read_q  <= '0;
      write_q <= '0;
      count_q <= '0;
      valid_o <= 1'b0;
    end
  end

  // ---- assertions
  `GANTRY_ASSERT(a_room, `GANTRY_IMPL(push_i, count_q != 3'd4))
  `GANTRY_ASSERT(a_places, count_q <= 3'd4 && count_q[1:0] == 2'(write_q - read_q))
endmodule
