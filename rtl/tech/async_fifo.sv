// SPDX-License-Identifier: Apache-2.0
// First-in first-out queue between two clocks: pointers cross in Gray code, each through two registers of the other clock, so
// only one bit of what is sampled can be changing; words stand in LUT RAM and are read from a row that was written long ago.
// Responsible for: order, clock crossing.  Not responsible for: reset of one side alone (both must be in reset together, for
// four cycles of the slower clock), timing constraints (each Gray pointer's wires must be shorter than a cycle of either clock).
`include "gantry_assert.svh"

module async_fifo #(
  parameter int unsigned Width = 8,
  parameter int unsigned Depth = 16  // a power of two, 8 or more
) (
  input  logic             wclk_i,
  input  logic             wrst_ni,
  input  logic             valid_i,
  output logic             ready_o,
  input  logic [Width-1:0] data_i,
  output logic             room_o,   // at least four more words fit
  input  logic             rclk_i,
  input  logic             rrst_ni,
  output logic             valid_o,
  input  logic             ready_i,
  output logic [Width-1:0] data_o
);
  localparam int unsigned Aw = $clog2(Depth);
  typedef logic [Aw:0] place_t;

  function automatic place_t gray(input place_t place);
    return place ^ (place >> 1);
  endfunction

  function automatic place_t ungray(input place_t code);
    place_t place;
    place = code;
    for (int unsigned n = 1; n <= Aw; n++) place = place ^ (code >> n);
    return place;
  endfunction

  logic [Width-1:0] mem[Depth];
  // owned by the writing side
  place_t write_q, write_gray_q, freed_q, used;
  place_t read_near_q, read_seen_q;  // the read pointer, one and two edges of this clock later
  logic push;
  // owned by the reading side
  place_t read_q, read_gray_q;
  place_t write_near_q, write_seen_q;
  logic pop;

  // ---- writing side

  assign used = write_q - freed_q;
  assign ready_o = used != place_t'(Depth);
  assign room_o = used <= place_t'(Depth - 4);
  assign push = valid_i && ready_o;

  always_ff @(posedge wclk_i) begin
    read_near_q <= read_gray_q;
    read_seen_q <= read_near_q;
    freed_q     <= ungray(read_seen_q);
    if (push) begin
      mem[write_q[Aw-1:0]] <= data_i;
      write_q              <= write_q + 1'b1;
      write_gray_q         <= gray(write_q + 1'b1);
    end
    if (!wrst_ni) begin
      write_q      <= '0;
      write_gray_q <= '0;
      read_near_q  <= '0;
      read_seen_q  <= '0;
      freed_q      <= '0;
    end
  end

  // ---- reading side
  assign pop = read_gray_q != write_seen_q && (!valid_o || ready_i);

  always_ff @(posedge rclk_i) begin
    write_near_q <= write_gray_q;
    write_seen_q <= write_near_q;
    if (pop) begin
      data_o      <= mem[read_q[Aw-1:0]];
      read_q      <= read_q + 1'b1;
      read_gray_q <= gray(read_q + 1'b1);
    end
    valid_o <= pop || (valid_o && !ready_i);
    if (!rrst_ni) begin
      read_q       <= '0;
      read_gray_q  <= '0;
      write_near_q <= '0;
      write_seen_q <= '0;
      valid_o      <= 1'b0;
    end
  end

  // ---- assertions, of each side what it knows
  if (1) begin : gen_write_rules
    logic clk_i, rst_ni;
    assign clk_i = wclk_i;
    assign rst_ni = wrst_ni;
    `GANTRY_ASSERT(a_used, used <= place_t'(Depth) && write_gray_q == gray(write_q))
  end
  if (1) begin : gen_read_rules
    logic clk_i, rst_ni;
    assign clk_i = rclk_i;
    assign rst_ni = rrst_ni;
    `GANTRY_ASSERT(a_waiting, place_t'(ungray(write_seen_q) - read_q) <= place_t'(Depth))
    `GANTRY_ASSERT(a_code, read_gray_q == gray(read_q))
  end
endmodule
