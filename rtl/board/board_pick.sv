// SPDX-License-Identifier: Apache-2.0
// A byte of a message of one output, by its number: the counterpart of board_slot.  The message stands still while its bytes
// are asked for.  Number and byte have a register each, so a choice among all bytes has a cycle of the board's clock for itself,
// and the number has a copy near each output: byte_o is the byte that was asked for two steps ago.
// Not responsible for: which output, and when a step is due (board_sender).
module board_pick #(
  parameter int unsigned Bytes = 1,
  localparam int unsigned Iw = Bytes > 1 ? $clog2(Bytes) : 1
) (
  input  logic                  clk_i,
  input  logic                  step_i,
  input  logic [        Iw-1:0] index_i,   // below Bytes, or nobody takes its byte
  input  logic [Bytes-1:0][7:0] message_i,
  output logic [           7:0] byte_o
);
  logic [Iw-1:0] index_q;
  always_ff @(posedge clk_i) begin
    if (step_i) begin
      index_q <= index_i;
      byte_o  <= message_i[index_q];
    end
  end
endmodule
