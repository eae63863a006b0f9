// SPDX-License-Identifier: Apache-2.0
// Queue of any depth with the ports and cycles of stream_fifo: up to Registers words it is one, beyond that its rows are a
// ram_1r1w.  The word at the head stands in an output register; the one behind it is read ahead, or stands in a second register
// for the cycle in which its row is written.
// Responsible for: order, occupancy, and telling which word comes to the head at the next edge, so that what belongs to it can be
// read from a memory beside it.  Not responsible for: clock crossing.
`include "gantry_assert.svh"

module stream_queue #(
  parameter int unsigned Width = 32,
  parameter int unsigned Depth = 96,      // 2 or more, output register included
  parameter int unsigned Registers = 64,  // deepest queue without a RAM
  parameter bit [1:0] SeedBug = 2'd0,     // formal only: 1 new row read, 2 second register kept, 3 overflow
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
  output logic [   Cw-1:0] count_o,  // words inside
  // with a RAM: data_o takes next_o at this edge
  output logic             load_o,
  output logic [Width-1:0] next_o
);
  if (Depth <= Registers) begin : gen_small
    stream_fifo #(.Width(Width), .Depth(Depth)) u_fifo (
      .clk_i, .rst_ni, .valid_i, .ready_o, .data_i, .valid_o, .ready_i, .data_o, .count_o);
    assign load_o = 1'b0;
    assign next_o = '0;
  end else begin : gen_deep
    localparam int unsigned Rows = Depth - 1;
    localparam int unsigned Pw = $clog2(Rows);
    logic [Pw-1:0] write_q, read_q, read_next;
    logic [Cw-1:0] count_q, count_next;
    logic [Width-1:0] late_q, row, second;
    logic push, pop, bypass, late_valid_q, late, store, read;

    function automatic logic [Pw-1:0] next(input logic [Pw-1:0] pointer);
      return pointer == Pw'(Rows - 1) ? '0 : pointer + 1'b1;
    endfunction

    assign ready_o    = SeedBug == 2'd3 ? 1'b1 : count_q != Cw'(Depth);
    assign valid_o    = count_q != '0;
    assign count_o    = count_q;
    assign push       = valid_i && ready_o;
    assign pop        = valid_o && ready_i;
    assign count_next = count_q + Cw'(push) - Cw'(pop);
    assign bypass     = count_q == '0 || (pop && count_q == Cw'(1));  // the new word goes straight to the head
    assign store      = push && !bypass;
    assign late       = store && count_next == Cw'(2);  // behind the head, before its row can be read
    assign read       = (pop || late_valid_q) && count_next > Cw'(1) && !(late && SeedBug != 2'd1);
    assign second     = late_valid_q ? late_q : row;
    assign load_o     = push && bypass || pop && count_q > Cw'(1);
    assign next_o     = bypass ? data_i : second;
    assign read_next  = pop && count_q > Cw'(1) ? next(read_q) : read_q;

    ram_1r1w #(.Width(Width), .Depth(Rows)) u_rows (
      .clk_i, .we_i(store), .waddr_i(write_q), .wdata_i(data_i),
      .re_i(read), .raddr_i(read_next), .rdata_o(row));

    always_ff @(posedge clk_i) begin
      if (push || pop || late_valid_q) begin
        late_valid_q <= SeedBug == 2'd1 ? 1'b0 : late || (SeedBug == 2'd2 && late_valid_q && !pop);
        count_q      <= count_next;
        read_q       <= read_next;
        if (load_o) data_o <= next_o;
        if (late) late_q <= data_i;
        if (store) write_q <= next(write_q);
      end
      if (!rst_ni) begin
        write_q      <= '0;
        read_q       <= '0;
        count_q      <= '0;
        late_valid_q <= 1'b0;
      end
    end

    // ---- assertions
    `GANTRY_ASSERT(a_count, count_q <= Cw'(Depth))
    // the word at the head stands in the output register, those behind it in rows from read_q on
    `GANTRY_ASSERT(a_rows, 32'(write_q) == (32'(read_q) + (count_q == '0 ? 32'd0 : 32'(count_q) - 32'd1)) % Rows)
    `GANTRY_ASSERT(a_late, `GANTRY_IMPL(late_valid_q, count_q == Cw'(2)))
  end
endmodule
