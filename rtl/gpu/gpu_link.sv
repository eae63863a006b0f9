// SPDX-License-Identifier: Apache-2.0
// A link between two partitions of a GPU for messages of one type: a channel of the type's width.
// Not responsible for: credits (gpu_link_credited), which links there are (rtl/gpu/links.yaml).
module gpu_link #(
  parameter type Msg = logic [31:0],  // packed
  parameter int unsigned Latency = 8,
  parameter int unsigned Depth = Latency - 1  // most messages under way
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic valid_i,
  input  Msg   msg_i,
  output logic valid_o,
  output Msg   msg_o,
  output logic idle_o   // nothing is under way
);
  channel #(
    .Width  ($bits(Msg)),
    .Latency(Latency),
    .Depth  (Depth)
  ) u_messages (
    .clk_i,
    .rst_ni,
    .valid_i,
    .data_i(msg_i),
    .valid_o,
    .data_o(msg_o),
    .idle_o
  );
endmodule
