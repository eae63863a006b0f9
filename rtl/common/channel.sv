// SPDX-License-Identifier: Apache-2.0
// A link of declared latency: within one RTL design what a channel of the bridge (bridge/link/channel.h) is between partitions
// that are simulated apart, with the same cycles.  What the sender's registered output shows in cycle t, the receiver's input
// shows in cycle t + Latency; one message a cycle, in order, none lost.  Credits come back over a channel of their own
// (Width 1, data_i 0).  Messages stand in a memory while they are under way, so that only their arrival moves along a chain of
// flip-flops; nothing is evaluated while none is.
// Responsible for: latency, order.  Not responsible for: back-pressure (the sender has credits or another bound, Depth), rate
// (the sender's own).
`include "gantry_assert.svh"

module channel #(
  parameter int unsigned Width = 32,
  parameter int unsigned Latency = 8,  // cycles, 3 or more
  parameter int unsigned Depth = Latency - 1  // most messages under way; more is a fault of the sender
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             valid_i,
  input  logic [Width-1:0] data_i,
  output logic             valid_o,
  output logic [Width-1:0] data_o,  // of no meaning without valid_o
  output logic             idle_o   // nothing is under way
);
  localparam int unsigned Stages = Latency - 2;  // between the edge that takes a message and the one that shows it
  localparam int unsigned Rows = Depth < Latency - 1 ? Depth : Latency - 1;
  localparam int unsigned Aw = Rows > 1 ? $clog2(Rows) : 1;

  function automatic logic [Aw-1:0] next(input logic [Aw-1:0] row);
    return row == Aw'(Rows - 1) ? '0 : row + 1'b1;
  endfunction

  logic [Stages-1:0] under_way_q;  // bit k: came k + 1 edges ago
  logic [Aw-1:0] write_q, read_q;
  logic due;  // shown from the next edge on

  assign due    = under_way_q[Stages-1];
  assign idle_o = under_way_q == '0 && !valid_o;

  ram_1r1w #(
    .Width(Width),
    .Depth(Rows)
  ) u_messages (
    .clk_i,
    .we_i   (valid_i),
    .waddr_i(write_q),
    .wdata_i(data_i),
    .re_i   (due),
    .raddr_i(read_q),
    .rdata_o(data_o)
  );

  always_ff @(posedge clk_i) begin
    if (valid_i || !idle_o || !rst_ni) begin
      under_way_q <= Stages'({under_way_q, valid_i});
      valid_o     <= due;
      if (valid_i) write_q <= next(write_q);
      if (due) read_q <= next(read_q);
      if (!rst_ni) begin
        under_way_q <= '0;
        valid_o     <= 1'b0;
        write_q     <= '0;
        read_q      <= '0;
      end
    end
  end

  // ---- assertions
  `GANTRY_ASSERT(a_room, `GANTRY_IMPL(valid_i, $countones(under_way_q) < Rows))
  `GANTRY_ASSERT(a_rows, 32'(write_q) == (32'(read_q) + $countones(under_way_q)) % Rows)
endmodule
