// SPDX-License-Identifier: Apache-2.0
// A link between two partitions of a GPU whose receiver has room for Depth messages: the messages one way, a pulse for each
// freed place the other way, with the same latency.  The sender begins with Depth credits (docs/contracts.md).
module gpu_link_credited #(
  parameter type Msg = logic [31:0],  // packed
  parameter int unsigned Latency = 8,
  parameter int unsigned Depth = 1  // places of the receiver
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic valid_i,   // sender
  input  Msg   msg_i,
  output logic credit_o,
  output logic valid_o,   // receiver
  output Msg   msg_o,
  input  logic credit_i,
  output logic idle_o     // nothing is under way, either way
);
  logic there_idle, back_idle, unused;

  gpu_link #(
    .Msg    (Msg),
    .Latency(Latency),
    .Depth  (Depth)
  ) u_there (
    .clk_i,
    .rst_ni,
    .valid_i,
    .msg_i,
    .valid_o,
    .msg_o,
    .idle_o(there_idle)
  );

  channel #(
    .Width  (1),
    .Latency(Latency),
    .Depth  (Depth)
  ) u_credits (
    .clk_i,
    .rst_ni,
    .valid_i(credit_i),
    .data_i (1'b0),
    .valid_o(credit_o),
    .data_o (unused),
    .idle_o (back_idle)
  );

  assign idle_o = there_idle && back_idle;
endmodule
