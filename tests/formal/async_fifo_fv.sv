// SPDX-License-Identifier: Apache-2.0
// Properties of rtl/tech/async_fifo between two clocks that do what they like (each step either may rise, fall or rest): every word comes
// out once, in order, none is lost, never more are inside than fit, room_o keeps its word.  Of each pointer one bit at most changes at an
// edge, so a register of the other clock that samples it meanwhile holds the old or the new one: what a clock a little earlier or later
// would have seen.  All registers begin with 0, as after reset.
`include "gantry_assert.svh"
module async_fifo_fv #(
  parameter int unsigned Depth = 4,
  parameter int unsigned CountW = 3  // tells Depth + 2 words apart
) (
  input logic wclk_i,
  input logic rclk_i,
  input logic valid_i,
  input logic ready_i,
  input logic data_i
);
  logic ready, room, valid, data;
  async_fifo #(.Width(1), .Depth(Depth)) u_dut (
    .wclk_i, .wrst_ni(1'b1), .valid_i, .ready_o(ready), .data_i, .room_o(room), .rclk_i, .rrst_ni(1'b1), .valid_o(valid), .ready_i, .data_o(data));

  logic [CountW-1:0] in_q, out_q, level;
  logic [(1<<CountW)-1:0] words_q;  // by number
  logic lost_q;     // a word was refused though room was told and nothing came since
  logic room_q;
  logic kept_q, kept_data_q;
  logic wrapped_q;
  always_ff @(posedge wclk_i) begin
    room_q <= (room && !valid_i) || (room_q && !valid_i);
    lost_q <= lost_q || (valid_i && room_q && !ready);
    if (valid_i && ready) begin
      in_q          <= in_q + 1'b1;
      words_q[in_q] <= data_i;
      if (&in_q) wrapped_q <= 1'b1;
    end
  end
  always_ff @(posedge rclk_i) begin
    if (valid && ready_i) out_q <= out_q + 1'b1;
    kept_q      <= valid && !ready_i;
    kept_data_q <= data;
  end
  assign level = in_q - out_q;

  always_comb a_level : assert (level <= CountW'(Depth + 1));
  always_comb a_valid : assert (!valid || level != '0);
  always_comb a_word : assert (!valid || data == words_q[out_q]);
  always_comb a_kept : assert (!kept_q || (valid && data == kept_data_q));
  always_comb a_room : assert (!lost_q);

  // one bit at most differs from what stood there an edge before
  logic [$clog2(Depth):0] write_was_q, read_was_q, write_step, read_step;
  always_ff @(posedge wclk_i) write_was_q <= u_dut.write_gray_q;
  always_ff @(posedge rclk_i) read_was_q <= u_dut.read_gray_q;
  assign write_step = write_was_q ^ u_dut.write_gray_q;
  assign read_step = read_was_q ^ u_dut.read_gray_q;
  always_comb a_write_code : assert ((write_step & (write_step - 1'b1)) == '0);
  always_comb a_read_code : assert ((read_step & (read_step - 1'b1)) == '0);
`ifdef REACH  // full, and all numbers were used once
  logic full_q;
  always_ff @(posedge wclk_i) if (!ready) full_q <= 1'b1;
  always_comb a_reach : assert (!(full_q && wrapped_q && level == '0));
`endif
endmodule
