// SPDX-License-Identifier: Apache-2.0
// Top of an ECP5 board with an FT232H or FT2232H module in synchronous FIFO mode: the board's oscillator through a PLL, reset,
// the gated clock of the target, tristate pins.  Which pins: pins.lpf of the board's folder.
// Clocks: ft_clk_i (60 MHz, from the chip while it is in that mode), clk (from the PLL, as fast as the partition routes), tclk:
// clk through a DCCA, with an edge at the end of each cycle in which fire is high.  The DCCA takes CE while clk is low, so fire
// must stand within half a period.  nextpnr does not look at that path: sw/tools/synthesis/fpga.py wants a register at its begin.
// Responsible for: what is special to the device.  Not responsible for: everything else (rtl/board/board.sv).
module top (
  input  logic       osc_i,
  input  logic       ft_clk_i,
  input  logic       ft_rxf_ni,
  input  logic       ft_txe_ni,
  inout  wire  [7:0] ft_d_io,
  output logic       ft_oe_no,
  output logic       ft_rd_no,
  output logic       ft_wr_no,
  output logic       ft_siwu_no,
  output logic       led_o       // lit while a byte or the target moves
);
  localparam int unsigned ResetCycles = 255;

  logic clk, tclk, locked, fire, d_oe, led_d;
  logic [7:0] d_in, d_out, count_q = '0;
  logic       rst_nq = 1'b0;

  board_pll u_pll (
    .osc_i,
    .clk_o(clk),
    .locked
  );

  DCCA u_gate (
    .CLKI(clk),
    .CE  (fire),
    .CLKO(tclk)
  );

  // The registers begin with 0 when the device is configured.
  always_ff @(posedge clk) begin
    if (!locked) count_q <= '0;
    else if (count_q != 8'(ResetCycles)) count_q <= count_q + 1'b1;
    rst_nq <= count_q == 8'(ResetCycles);
  end

  for (genvar b = 0; b < 8; b++) begin : gen_pad
    BB u_pad (
      .I(d_out[b]),
      .T(!d_oe),
      .O(d_in[b]),
      .B(ft_d_io[b])
    );
  end

  board u_board (
    .ft_clk_i,
    .clk_i  (clk),
    .tclk_i (tclk),
    .rst_ni (rst_nq),
    .rxf_ni (ft_rxf_ni),
    .txe_ni (ft_txe_ni),
    .d_i    (d_in),
    .d_o    (d_out),
    .d_oe_o (d_oe),
    .oe_no  (ft_oe_no),
    .rd_no  (ft_rd_no),
    .wr_no  (ft_wr_no),
    .siwu_no(ft_siwu_no),
    .fire_o (fire),
    .active_o(led_d)
  );

  always_ff @(posedge clk) led_o <= led_d;
endmodule
