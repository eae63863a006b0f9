// SPDX-License-Identifier: Apache-2.0
// Properties of rtl/board/ft245_sync at the pins of a chip whose flags, and a board whose bytes and room, do what they like: each byte
// that moves at the pins comes out once, in order, and finds a place; each byte of the board moves at the pins once, in order; SIWU#
// falls behind each byte that wants it and at no other time; nobody drives the data bus against the chip, nor in the cycle beside it;
// no direction waits for ever while its way is free.
`include "gantry_assert.svh"
module ft245_sync_fv #(
  parameter int unsigned Places = 6,      // of the queue behind the PHY
  parameter int unsigned FlushCycles = 2,
  parameter int unsigned CountW = 3       // tells the bytes apart that can be on their way
) (
  input logic              clk_i,
  input logic              rst_ni,
  input logic              rxf_ni,
  input logic              txe_ni,
  input logic              d_i,      // one bit of data stands for all
  input logic              drain_i,  // the queue gives a byte away
  input logic              tx_valid_i,
  input logic              tx_data_i,
  input logic              tx_flush_i,
  input logic [CountW-1:0] pick_i    // which byte is followed: free, but constant
);
  logic [7:0] d, rx_data;
  logic oe_n, rd_n, wr_n, siwu_n, drives, rx_valid, tx_ready;
  logic [3:0] free_q;
  ft245_sync #(.FlushCycles(FlushCycles)) u_dut (
    .clk_i, .rst_ni, .rxf_ni, .txe_ni, .d_i({8{d_i}}), .d_o(d), .d_oe_o(drives), .oe_no(oe_n), .rd_no(rd_n), .wr_no(wr_n), .siwu_no(siwu_n),
    .rx_valid_o(rx_valid), .rx_data_o(rx_data), .rx_room_i(free_q >= 4'd4), .tx_valid_i, .tx_data_i({8{tx_data_i}}), .tx_flush_i, .tx_ready_o(tx_ready));

  logic started = 1'b0;  // reset in the first cycle, never again
  logic [CountW-1:0] pick_q;
  always_ff @(posedge clk_i) begin
    started <= 1'b1;
    pick_q  <= pick_i;
  end
  always_comb m_reset : assume (rst_ni == started);
  always_comb if (started) m_pick : assume (pick_i == pick_q);

  logic read, write, push, drain;
  assign read = !oe_n && !rd_n && !rxf_ni;
  assign write = drives && !wr_n && !txe_ni;
  assign push = tx_valid_i && tx_ready;
  assign drain = drain_i && free_q != 4'(Places);

  // bytes to the board: by number at the pins, and behind the PHY; bytes to the host the other way round
  logic [CountW-1:0] in_q, got_q, put_q, out_q;
  logic in_word_q, out_word_q, out_flush_q;
  logic flushed_q, oe_q, drives_q, siwu_q;
  logic [3:0] read_wait_q, write_wait_q;
  logic [1:0] both_q;
  always_ff @(posedge clk_i) begin
    if (read) begin
      in_q <= in_q + 1'b1;
      if (in_q == pick_i) in_word_q <= d_i;
    end
    if (rx_valid) got_q <= got_q + 1'b1;
    free_q <= free_q + 4'(drain) - 4'(rx_valid);
    if (push) begin
      put_q <= put_q + 1'b1;
      if (put_q == pick_i) begin
        out_word_q  <= tx_data_i;
        out_flush_q <= tx_flush_i;
      end
    end
    flushed_q <= 1'b0;
    if (write) begin
      out_q <= out_q + 1'b1;
      if (out_q == pick_i) flushed_q <= out_flush_q;
    end
    oe_q     <= !oe_n;
    drives_q <= drives;
    siwu_q   <= siwu_n;
    if (read || rxf_ni || free_q < 4'd4 || !txe_ni) read_wait_q <= '0;
    else read_wait_q <= read_wait_q + 4'd1;
    if (write || txe_ni || !rxf_ni || put_q == out_q || !siwu_n) write_wait_q <= '0;
    else write_wait_q <= write_wait_q + 4'd1;
    both_q <= both_q | {read, flushed_q};
    if (!rst_ni) begin
      in_q         <= '0;
      got_q        <= '0;
      put_q        <= '0;
      out_q        <= '0;
      free_q       <= 4'(Places);
      flushed_q    <= 1'b0;
      oe_q         <= 1'b0;
      drives_q     <= 1'b0;
      siwu_q       <= 1'b1;
      read_wait_q  <= '0;
      write_wait_q <= '0;
      both_q       <= '0;
    end
  end

  `GANTRY_ASSERT(a_read_once, CountW'(in_q - got_q) <= CountW'(1) && rx_valid == (in_q != got_q))
  `GANTRY_ASSERT(a_read_word, `GANTRY_IMPL(rx_valid && got_q == pick_i, rx_data == {8{in_word_q}}))
  `GANTRY_ASSERT(a_place, `GANTRY_IMPL(rx_valid, free_q != 4'd0))
  `GANTRY_ASSERT(a_write_once, CountW'(put_q - out_q) <= CountW'(2) && `GANTRY_IMPL(!wr_n, put_q != out_q))
  `GANTRY_ASSERT(a_write_word, `GANTRY_IMPL(!wr_n && out_q == pick_i && put_q != out_q, d == {8{out_word_q}}))
  `GANTRY_ASSERT(a_flush, `GANTRY_IMPL(flushed_q, !siwu_n && siwu_q))
  `GANTRY_ASSERT(a_flush_only, `GANTRY_IMPL(!siwu_n && siwu_q && CountW'(out_q - 1'b1) == pick_i, flushed_q))
  `GANTRY_ASSERT(a_bus, !(!oe_n && (drives || drives_q)) && !(drives && oe_q))
  `GANTRY_ASSERT(a_turn, `GANTRY_IMPL(!rd_n, oe_q))
  `GANTRY_ASSERT(a_waits, read_wait_q < 4'd6 && write_wait_q < 4'd6)
  `GANTRY_COVER(c_both, both_q == 2'b11 && in_q == CountW'(2) && out_q == CountW'(2))
endmodule
