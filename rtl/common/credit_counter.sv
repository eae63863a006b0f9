// SPDX-License-Identifier: Apache-2.0
// Sender side of a credited channel: starts with Depth credits (the room of the far end's queue), spends one a
// message, regains one a returned pulse.  Responsible for: the count.  Not responsible for: carrying the pulses (the
// bridge does, with the channel's latency).
`include "gantry_assert.svh"

module credit_counter #(
  parameter int unsigned Depth = 16,
  localparam int unsigned Cw = $clog2(Depth + 1)
) (
  input  logic          clk_i,
  input  logic          rst_ni,
  input  logic          spend_i,      // a message leaves; only when available_o
  input  logic          credit_i,     // one slot was freed at the far end
  output logic          available_o,
  output logic [Cw-1:0] count_o
);
  logic [Cw-1:0] count_q;

  assign available_o = count_q != '0;
  assign count_o     = count_q;

  always_ff @(posedge clk_i) begin
    if (spend_i != credit_i) count_q <= credit_i ? count_q + 1'b1 : count_q - 1'b1;
    if (!rst_ni) count_q <= Cw'(Depth);
  end

  `GANTRY_ASSERT(a_spend, `GANTRY_IMPL(spend_i, available_o))
  `GANTRY_ASSERT(a_range, `GANTRY_IMPL(credit_i, count_q != Cw'(Depth)))
endmodule
