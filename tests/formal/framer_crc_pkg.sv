// SPDX-License-Identifier: Apache-2.0
// board_crc_pkg for the proof of framer and deframer: in place of the CRC-32 a sum of the same form (a byte changes it by what its XOR
// with the lowest byte says, and a sum that runs over its own complement ends with one constant) that a solver sees through.
package board_crc_pkg;
  localparam logic [7:0] Crc8Begin = 8'hff;
  localparam logic [31:0] Crc32Begin = 32'hffff_ffff;

  // The sum `bytes` zero bytes further on.
  function automatic logic [7:0] crc8_zeros(input logic [7:0] sum, input int unsigned bytes);
    logic [7:0] s;
    s = sum;
    for (int unsigned n = 0; n < 8 * bytes; n++) s = s[7] ? {s[6:0], 1'b0} ^ 8'h07 : {s[6:0], 1'b0};
    return s;
  endfunction

  // What each bit of a byte adds to the sum.
  function automatic logic [7:0][7:0] crc8_rows(input int unsigned bytes);
    logic [7:0][7:0] rows;
    for (int unsigned b = 0; b < 8; b++) rows[b] = crc8_zeros(8'd1 << b, bytes);
    return rows;
  endfunction

  localparam logic [7:0][7:0] Rows8 = crc8_rows(1);
  localparam logic [7:0][7:0] Rows8Left = crc8_rows(7);

  function automatic logic [7:0] crc8_byte(input logic [7:0] sum, input logic [7:0] data);
    logic [7:0] at, s;
    at = sum ^ data;
    s  = 8'd0;
    for (int unsigned b = 0; b < 8; b++) s = s ^ (at[b] ? Rows8[b] : 8'd0);
    return s;
  endfunction

  function automatic logic [31:0] crc32_byte(input logic [31:0] sum, input logic [7:0] data);
    logic [7:0] at;
    at = sum[7:0] ^ data;
    return {8'd0, sum[31:8]} ^ {at, 16'd0, at};
  endfunction

  function automatic logic [31:0] residue();
    logic [31:0] sum;
    sum = '0;
    for (int unsigned n = 0; n < 4; n++) sum = crc32_byte(sum, 8'hff);
    return sum;
  endfunction
  localparam logic [31:0] Crc32Residue = residue();

  // The CRC-8, begun with 0, of a window of seven bytes that moves on by one: `last` comes, `first` leaves.
  function automatic logic [7:0] crc8_slide(input logic [7:0] sum, input logic [7:0] last, input logic [7:0] first);
    logic [7:0] left;
    left = 8'd0;
    for (int unsigned b = 0; b < 8; b++) left = left ^ (first[b] ? Rows8Left[b] : 8'd0);
    return crc8_byte(sum ^ left, last);
  endfunction

  // What beginning with Crc8Begin instead of 0 adds to the CRC-8 of seven bytes.
  localparam logic [7:0] Crc8Seven = crc8_zeros(Crc8Begin, 7);
endpackage
