// SPDX-License-Identifier: Apache-2.0
// Stage "data" of the scalar cache: dwords of one or two lines in the places where an answer has them, and of a store where a line
// has them.  Responsible for: pure functions.  Not responsible for: the memories (sqc_cache).
package sqc_data_pkg;
  import sqc_entries_pkg::line_t;
  import sqc_queue_pkg::data_t;

  // Dwords from `offset` on of two lines that follow each other; of what lies within one line both may be the same.
  function automatic line_t from_lines(input line_t first, input line_t next, input logic [3:0] offset);
    line_t dwords;
    for (int unsigned i = 0; i < 16; i++)
      dwords[i[3:0]] = i + 32'(offset) < 32'd16 ? first[4'(i + 32'(offset))] : next[4'(i + 32'(offset))];
    return dwords;
  endfunction

  // Dwords of the line that a store of `count` (1, 2 or 4) writes, which begins at `offset` of its first line.
  function automatic logic [15:0] store_words(input logic second, input logic [3:0] offset, input logic [2:0] count);
    logic [31:0] words;
    words = (32'd1 << count) - 32'd1;
    words = words << offset;
    return second ? words[31:16] : words[15:0];
  endfunction

  // Its data, in their places of both lines.
  function automatic line_t store_data(input data_t data, input logic [3:0] offset);
    line_t dwords;
    dwords = '0;
    for (int unsigned k = 0; k < 4; k++) dwords[4'(32'(offset) + k)] = data[32*k+:32];
    return dwords;
  endfunction
endpackage
