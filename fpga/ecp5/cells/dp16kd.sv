// SPDX-License-Identifier: Apache-2.0
// Cell of a routed ECP5 netlist: block RAM of 512 rows of 36 bits, read and written through two ports, each as wide as it likes.
// Addresses count bits of a row without its parity (bits 8, 17, 26, 35); of ports of 18 and 36 bits the lowest address bits
// enable bytes.  A port of 36 bits is both ports' data: A writes, B reads.
// A row that one port reads while the other writes it is undefined on the device: the reader gets the complement of what
// was there.  Not responsible for: output registers, resets, chip selects, initial contents (board_netlist.py refuses them).
module DP16KD #(
  parameter int DATA_WIDTH_A = 18,
  parameter int DATA_WIDTH_B = 18,
  parameter WRITEMODE_A = "NORMAL",
  parameter WRITEMODE_B = "NORMAL",
  parameter CLKAMUX = "CLKA",
  parameter CLKBMUX = "CLKB",
  parameter WEAMUX = "WEA",
  parameter WEBMUX = "WEB",
  parameter CEAMUX = "CEA",
  parameter CEBMUX = "CEB",
  parameter bit ONE_CLOCK = 1'b0  // CLKA and CLKB are one net
) (
  input  logic        CLKA,
  input  logic        CEA,
  input  logic        WEA,
  input  logic [13:0] ADA,
  input  logic [17:0] DIA,
  output logic [17:0] DOA,
  input  logic        CLKB,
  input  logic        CEB,
  input  logic        WEB,
  input  logic [13:0] ADB,
  input  logic [17:0] DIB,
  output logic [17:0] DOB
);
  localparam bit Wide = DATA_WIDTH_A == 36;

  // Where a port's data begin in the row.
  function automatic int unsigned place(int width, logic [4:0] ad);
    case (width)
      36: return 0;
      18: return 18 * int'(ad[4]);
      9: return 9 * int'(ad[4:3]);
      4: return 9 * int'(ad[4:3]) + 4 * int'(ad[2]);
      2: return 9 * int'(ad[4:3]) + 2 * int'(ad[2:1]);
      default: return 9 * int'(ad[4:3]) + int'(ad[2:0]);
    endcase
  endfunction

  // The bits of a row that a write changes.
  function automatic logic [35:0] changed(int width, logic [4:0] ad);
    case (width)
      36: return {{9{ad[3]}}, {9{ad[2]}}, {9{ad[1]}}, {9{ad[0]}}};
      18: return 36'({{9{ad[1]}}, {9{ad[0]}}}) << place(width, ad);
      default: return ((36'd1 << width) - 36'd1) << place(width, ad);
    endcase
  endfunction

  logic [35:0] rows[512];
  logic [17:0] a_q = '0, b_q = '0, low_q = '0;  // low_q: lower half of a row that port B reads as a whole

  wire clock_a = (CLKAMUX == "INV") ^ CLKA, clock_b = (CLKBMUX == "INV") ^ CLKB;
  wire enable_a = (CEAMUX == "INV") ^ CEA, enable_b = (CEBMUX == "INV") ^ CEB;
  wire write_a = enable_a && (Wide || (WEAMUX == "INV") ^ WEA), write_b = enable_b && !Wide && (WEBMUX == "INV") ^ WEB;
  wire [35:0] mask_a = write_a ? changed(DATA_WIDTH_A, ADA[4:0]) : '0, mask_b = write_b ? changed(DATA_WIDTH_B, ADB[4:0]) : '0;
  wire [35:0] new_a = Wide ? {DIB, DIA} : 36'(DIA) << place(DATA_WIDTH_A, ADA[4:0]), new_b = 36'(DIB) << place(DATA_WIDTH_B, ADB[4:0]);
  wire same = ONE_CLOCK && ADA[13:5] == ADB[13:5];
  wire [35:0] old_a = rows[ADA[13:5]] ^ (same ? mask_b : '0), old_b = rows[ADB[13:5]] ^ (same ? mask_a : '0);
  wire [35:0] sees_a = WRITEMODE_A == "WRITETHROUGH" ? (old_a & ~mask_a) | (new_a & mask_a) : old_a;
  wire [35:0] sees_b = WRITEMODE_B == "WRITETHROUGH" ? (old_b & ~mask_b) | (new_b & mask_b) : old_b;
  wire [35:0] out_a = sees_a >> place(DATA_WIDTH_A, ADA[4:0]), out_b = sees_b >> place(DATA_WIDTH_B, ADB[4:0]);

  always @(posedge clock_a) begin
    if (mask_a != '0) rows[ADA[13:5]] <= (rows[ADA[13:5]] & ~mask_a) | (new_a & mask_a);
    if (enable_a && !(write_a && WRITEMODE_A == "NORMAL")) a_q <= out_a[17:0];
    if (same && mask_a != '0 && mask_b != '0) $fatal(1, "DP16KD: both ports write to one row");
  end
  always @(posedge clock_b) begin
    if (mask_b != '0) rows[ADB[13:5]] <= (rows[ADB[13:5]] & ~mask_b) | (new_b & mask_b);
    if (enable_b && !(write_b && WRITEMODE_B == "NORMAL")) begin
      b_q <= DATA_WIDTH_B == 36 ? out_b[35:18] : out_b[17:0];
      low_q <= out_b[17:0];
    end
  end

  function automatic logic [17:0] visible(int width, logic [17:0] bits);
    return width >= 18 ? bits : bits & ((18'd1 << width) - 18'd1);
  endfunction
  assign DOA = DATA_WIDTH_B == 36 ? low_q : visible(DATA_WIDTH_A, a_q);
  assign DOB = visible(DATA_WIDTH_B, b_q);
endmodule
