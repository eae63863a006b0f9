// SPDX-License-Identifier: Apache-2.0
// The two checksums of a frame (docs/reference/board.md), a byte at a time: CRC-8 of the head (polynomial 0x07, highest bit
// first) and CRC-32 of the whole frame (that of zlib).  Both are linear: a byte changes the sum by the XOR of one constant for
// each of its bits, so each bit of the result is one flat XOR.
package board_crc_pkg;
  localparam logic [7:0] Crc8Begin = 8'hff;
  localparam logic [31:0] Crc32Begin = 32'hffff_ffff;
  localparam logic [31:0] Crc32Residue = 32'hdebb_20e3;  // of a right frame with its own CRC-32 behind it

  // The sum `bytes` zero bytes further on.
  function automatic logic [7:0] crc8_zeros(input logic [7:0] sum, input int unsigned bytes);
    logic [7:0] s;
    s = sum;
    for (int unsigned n = 0; n < 8 * bytes; n++) s = s[7] ? {s[6:0], 1'b0} ^ 8'h07 : {s[6:0], 1'b0};
    return s;
  endfunction

  function automatic logic [31:0] crc32_zeros(input logic [31:0] sum);
    logic [31:0] s;
    s = sum;
    for (int unsigned n = 0; n < 8; n++) s = s[0] ? {1'b0, s[31:1]} ^ 32'hedb8_8320 : {1'b0, s[31:1]};
    return s;
  endfunction

  // What each bit of a byte adds to the sum.
  function automatic logic [7:0][7:0] crc8_rows(input int unsigned bytes);
    logic [7:0][7:0] rows;
    for (int unsigned b = 0; b < 8; b++) rows[b] = crc8_zeros(8'd1 << b, bytes);
    return rows;
  endfunction

  function automatic logic [7:0][31:0] crc32_rows();
    logic [7:0][31:0] rows;
    for (int unsigned b = 0; b < 8; b++) rows[b] = crc32_zeros(32'd1 << b);
    return rows;
  endfunction

  localparam logic [7:0][7:0] Rows8 = crc8_rows(1);
  localparam logic [7:0][7:0] Rows8Left = crc8_rows(7);
  localparam logic [7:0][31:0] Rows32 = crc32_rows();

  function automatic logic [7:0] crc8_byte(input logic [7:0] sum, input logic [7:0] data);
    logic [7:0] at, s;
    at = sum ^ data;
    s  = 8'd0;
    for (int unsigned b = 0; b < 8; b++) s = s ^ (at[b] ? Rows8[b] : 8'd0);
    return s;
  endfunction

  function automatic logic [31:0] crc32_byte(input logic [31:0] sum, input logic [7:0] data);
    logic [ 7:0] at;
    logic [31:0] s;
    at = sum[7:0] ^ data;
    s  = {8'd0, sum[31:8]};
    for (int unsigned b = 0; b < 8; b++) s = s ^ (at[b] ? Rows32[b] : 32'd0);
    return s;
  endfunction

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
