// SPDX-License-Identifier: Apache-2.0
// Properties of rtl/common/channel: what is shown is what was sent Latency - 1 edges before, message by message, with its own
// data, whatever came before and after; idle means that nothing is under way.  The sender keeps to Depth.
`include "gantry_assert.svh"
module channel_fv #(
  parameter int unsigned Width = 2,
  parameter int unsigned Latency = 6,
  parameter int unsigned Depth = 3
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             send_i,
  input logic [Width-1:0] data_i
);
  logic valid, idle, send;
  logic [Width-1:0] data;
  logic [Latency-2:0] was_q;  // bit k: sent k + 1 edges ago
  logic [Latency-2:0][Width-1:0] data_q;
  assign send = send_i && $countones(was_q[Latency-3:0]) < Depth;
  channel #(.Width(Width), .Latency(Latency), .Depth(Depth)) u_dut (
    .clk_i, .rst_ni, .valid_i(send), .data_i, .valid_o(valid), .data_o(data), .idle_o(idle));

  logic started = 1'b0;  // reset in the first cycle, never again
  logic full_q;
  always_ff @(posedge clk_i) begin
    started <= 1'b1;
    was_q   <= {was_q[Latency-3:0], send};
    data_q  <= {data_q[Latency-3:0], data_i};
    if ($countones(was_q) == Depth) full_q <= 1'b1;
    if (!rst_ni) begin
      was_q  <= '0;
      full_q <= 1'b0;
    end
  end
  always_comb begin : m_reset
    assume (rst_ni == started);
  end

  `GANTRY_ASSERT(a_valid, valid == was_q[Latency-2])
  `GANTRY_ASSERT(a_data, `GANTRY_IMPL(valid, data == data_q[Latency-2]))
  `GANTRY_ASSERT(a_idle, idle == (was_q == '0))
  `GANTRY_COVER(c_full_and_empty, full_q && was_q == '0)
endmodule
