// SPDX-License-Identifier: Apache-2.0
// A routed netlist of top.sv in the place of the module board, for the process of a simulated board (fpga/sim/board.cpp).
// The netlist's oscillator is the board's clock; it gates the target's clock itself, and counts its own reset.
// probe_*: nets inside that sw/tools/synthesis/board_netlist.py led out.  The light stands for active_o, a cycle late.
module board (
  input  logic       ft_clk_i,
  input  logic       clk_i,
  input  logic       tclk_i,
  input  logic       rst_ni,
  input  logic       rxf_ni,
  input  logic       txe_ni,
  input  logic [7:0] d_i,
  output logic [7:0] d_o,
  output logic       d_oe_o,
  output logic       oe_no,
  output logic       rd_no,
  output logic       wr_no,
  output logic       siwu_no,
  output logic       fire_o,
  output logic       active_o
);
  wire [7:0] pins;
  logic [7:0] pads_off;

  top u_top (
    .osc_i(clk_i),
    .ft_clk_i,
    .ft_rxf_ni(rxf_ni),
    .ft_txe_ni(txe_ni),
    .ft_d_io(pins),
    .ft_oe_no(oe_no),
    .ft_rd_no(rd_no),
    .ft_wr_no(wr_no),
    .ft_siwu_no(siwu_no),
    .led_o(active_o),
    .probe_fire(fire_o),
    .probe_off(pads_off)
  );
  assign pins = oe_no ? 'z : d_i;  // OE# low: the chip drives
  assign d_o = pins;
  assign d_oe_o = pads_off != '1;

  logic unused_ok;
  assign unused_ok = tclk_i ^ rst_ni;
endmodule
