// SPDX-License-Identifier: Apache-2.0
// Small first-in first-out queue with valid/ready on both sides; the word at its head stands in an output register,
// so an idle queue costs nothing in simulation.  A word pushed into an empty queue is visible one cycle later.
// Responsible for: order, occupancy.  Not responsible for: large buffers (storage is registers or LUT RAM; use a
// ram_1r1w for more than about 64 words), clock crossing.
`include "gantry_assert.svh"

module stream_fifo #(
  parameter int unsigned Width = 32,
  parameter int unsigned Depth = 4,    // 2 or more, output register included
  parameter bit [1:0] SeedBug = 2'd0,  // formal only: 1 overflow, 2 wrong word, 3 lost word
  localparam int unsigned Cw = $clog2(Depth + 1)
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             valid_i,
  output logic             ready_o,
  input  logic [Width-1:0] data_i,
  output logic             valid_o,
  input  logic             ready_i,
  output logic [Width-1:0] data_o,
  output logic [   Cw-1:0] count_o  // words inside
);
  localparam int unsigned Rows = Depth - 1;
  localparam int unsigned Pw = Rows > 1 ? $clog2(Rows) : 1;

  logic [Width-1:0] mem[Rows];
  logic [Pw-1:0] write_q, read_q;
  logic [Cw-1:0] count_q;
  logic push, pop, bypass;

  function automatic logic [Pw-1:0] next(input logic [Pw-1:0] pointer);
    return pointer == Pw'(Rows - 1) ? '0 : pointer + 1'b1;
  endfunction

  assign ready_o = SeedBug == 2'd1 ? 1'b1 : count_q != Cw'(Depth);
  assign valid_o = count_q != '0;
  assign count_o = count_q;
  assign push    = valid_i && ready_o;
  assign pop     = valid_o && ready_i;
  // the new word goes straight to the output register: nothing stands before it after this edge
  assign bypass  = count_q == '0 || (pop && count_q == Cw'(1));

  always_ff @(posedge clk_i) begin
    if (push || pop) begin
      if (push && bypass) data_o <= data_i;
      else if (pop) data_o <= SeedBug == 2'd2 ? mem[0] : mem[read_q];
      if (push && !bypass) begin
        mem[write_q] <= data_i;
        write_q      <= next(write_q);
      end
      if (pop && count_q > Cw'(1)) read_q <= next(read_q);
      if (SeedBug == 2'd3 && push && pop && count_q == Cw'(Depth - 1)) count_q <= count_q - 1'b1;
      else count_q <= count_q + Cw'(push) - Cw'(pop);
    end
    if (!rst_ni) begin
      write_q <= '0;
      read_q  <= '0;
      count_q <= '0;
    end
  end

  `GANTRY_ASSERT(a_count, count_q <= Cw'(Depth))
  // the word at the head stands in the output register, those behind it in rows from read_q on
  `GANTRY_ASSERT(a_rows, 32'(write_q) == (32'(read_q) + (count_q == '0 ? 32'd0 : 32'(count_q) - 32'd1)) % Rows)
endmodule
