// SPDX-License-Identifier: Apache-2.0
// Properties of rtl/common/credit_counter at its place: a sender that spends whenever it likes and may, messages on
// their way for Latency cycles, a queue of Depth words without back pressure, credits on their way back.  The queue never
// overflows, nothing is lost, and credits, messages, words and returning credits are always Depth together.
`include "gantry_assert.svh"
module credit_counter_fv #(
  parameter int unsigned Depth = 3,
  parameter int unsigned Latency = 3
) (
  input logic clk_i,
  input logic rst_ni,
  input logic send_i,
  input logic take_i
);
  localparam int unsigned Cw = $clog2(Depth + 1);
  logic available, send, take, ready, valid;
  logic [Cw-1:0] credits, level;
  logic [Latency-1:0] there_q, back_q;  // on their way
  assign send = send_i && available;
  assign take = take_i && valid;
  credit_counter #(.Depth(Depth)) u_dut (
    .clk_i, .rst_ni, .spend_i(send), .credit_i(back_q[Latency-1]), .available_o(available), .count_o(credits));
  logic unused;
  stream_fifo #(.Width(1), .Depth(Depth)) u_queue (
    .clk_i, .rst_ni, .valid_i(there_q[Latency-1]), .ready_o(ready), .data_i(1'b0), .valid_o(valid), .ready_i(take_i),
    .data_o(unused), .count_o(level));

  logic started = 1'b0;  // reset in the first cycle, never again
  logic waited_q;
  always_ff @(posedge clk_i) begin
    started <= 1'b1;
    there_q <= {there_q[Latency-2:0], send};
    back_q  <= {back_q[Latency-2:0], take};
    if (credits == '0 && level == Cw'(Depth)) waited_q <= 1'b1;
    if (!rst_ni) begin
      there_q  <= '0;
      back_q   <= '0;
      waited_q <= 1'b0;
    end
  end
  always_comb begin : m_reset
    assume (rst_ni == started);
  end

  `GANTRY_ASSERT(a_room, `GANTRY_IMPL(there_q[Latency-1], ready))
  `GANTRY_ASSERT(a_range, 32'(credits) <= Depth)
  `GANTRY_ASSERT(a_available, available == (credits != '0))
  `GANTRY_ASSERT(a_sum, 32'(credits) + $countones(there_q) + 32'(level) + $countones(back_q) == Depth)
  `GANTRY_COVER(c_all_back, waited_q && 32'(credits) == Depth)
endmodule
