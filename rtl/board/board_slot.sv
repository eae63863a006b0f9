// SPDX-License-Identifier: Apache-2.0
// Register of one input of a target on a board: the bytes of a message are shifted in, the first to its lowest place.  The message stands until the
// next one is shifted in; whether it is valid says board_target.
// A shift register costs a place for no more than each bit of it: FPGAs have the path from neighbour to neighbour.
module board_slot #(
  parameter int unsigned Bytes = 1,
  localparam int unsigned Width = 8 * Bytes
) (
  input  logic             clk_i,
  input  logic             shift_i,
  input  logic [      7:0] byte_i,
  output logic [Width-1:0] message_o
);
  logic [Bytes-1:0][7:0] message_q;
  assign message_o = message_q;
  if (Bytes == 1) begin : gen_one
    always_ff @(posedge clk_i) begin
      if (shift_i) message_q[0] <= byte_i;
    end
  end else begin : gen_more
    always_ff @(posedge clk_i) begin
      if (shift_i) message_q <= {byte_i, message_q[Bytes-1:1]};
    end
  end
endmodule
