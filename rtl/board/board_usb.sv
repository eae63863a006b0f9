// SPDX-License-Identifier: Apache-2.0
// From the pins of the USB chip to records: PHY in the chip's clock, a queue each way into the board's own, frames.
// Responsible for: joining these, reset of the chip's domain.  Not responsible for: each of them (ft245_sync, async_fifo,
// board_link), what the records say.
module board_usb
  import gantry_stream_pkg::*;
(
  input  logic          ft_clk_i,
  input  logic          clk_i,
  input  logic          rst_ni,       // of clk_i
  input  logic          rxf_ni,
  input  logic          txe_ni,
  input  logic   [ 7:0] d_i,
  output logic   [ 7:0] d_o,
  output logic          d_oe_o,
  output logic          oe_no,
  output logic          rd_no,
  output logic          wr_no,
  output logic          siwu_no,
  input  hello_t        hello_i,
  output logic          attach_o,
  output logic   [15:0] id_o,
  output logic          rec_valid_o,
  output logic   [ 7:0] rec_data_o,
  input  logic          rec_ready_i,
  input  logic          snd_valid_i,
  input  logic   [ 7:0] snd_data_i,
  input  logic          snd_end_i,
  output logic          snd_ready_o,
  output logic          moves_o       // a byte goes from one of these to the next
);
  localparam int unsigned Depth = 16;
  typedef struct packed {
    logic flush;
    logic [7:0] data;
  } out_t;
  logic ft_reset_q, ft_rst_n;
  logic phy_valid, phy_room, phy_tx_valid, phy_tx_ready, rx_valid, rx_ready, tx_valid, tx_ready;
  logic [7:0] phy_data, rx_data;
  out_t tx, phy_tx;

  always_ff @(posedge ft_clk_i) begin
    ft_reset_q <= rst_ni;
    ft_rst_n   <= ft_reset_q;
  end

  ft245_sync u_phy (
    .clk_i(ft_clk_i), .rst_ni(ft_rst_n), .rxf_ni, .txe_ni, .d_i, .d_o, .d_oe_o, .oe_no, .rd_no, .wr_no, .siwu_no,
    .rx_valid_o(phy_valid), .rx_data_o(phy_data), .rx_room_i(phy_room),
    .tx_valid_i(phy_tx_valid), .tx_data_i(phy_tx.data), .tx_flush_i(phy_tx.flush), .tx_ready_o(phy_tx_ready));
  async_fifo #(.Width(8), .Depth(Depth)) u_rx (
    .wclk_i(ft_clk_i), .wrst_ni(ft_rst_n), .valid_i(phy_valid), .ready_o(), .data_i(phy_data), .room_o(phy_room),
    .rclk_i(clk_i), .rrst_ni(rst_ni), .valid_o(rx_valid), .ready_i(rx_ready), .data_o(rx_data));
  async_fifo #(.Width(9), .Depth(Depth)) u_tx (
    .wclk_i(clk_i), .wrst_ni(rst_ni), .valid_i(tx_valid), .ready_o(tx_ready), .data_i(tx), .room_o(),
    .rclk_i(ft_clk_i), .rrst_ni(ft_rst_n), .valid_o(phy_tx_valid), .ready_i(phy_tx_ready), .data_o(phy_tx));
  board_link u_link (
    .clk_i, .rst_ni, .hello_i, .rx_valid_i(rx_valid), .rx_data_i(rx_data), .rx_ready_o(rx_ready),
    .tx_valid_o(tx_valid), .tx_data_o(tx.data), .tx_flush_o(tx.flush), .tx_ready_i(tx_ready), .attach_o, .id_o,
    .rec_valid_o, .rec_data_o, .rec_ready_i, .snd_valid_i, .snd_data_i, .snd_end_i, .snd_ready_o);
  assign moves_o = (rx_valid && rx_ready) || (tx_valid && tx_ready) || (rec_valid_o && rec_ready_i) ||
                   (snd_valid_i && snd_ready_o);
endmodule
