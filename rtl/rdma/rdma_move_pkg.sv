// SPDX-License-Identifier: Apache-2.0
// Types and pure functions of the page-move engine (rdma_push, rdma_store).
package rdma_move_pkg;
  import gantry_msg_pkg::*;

  localparam logic [7:0] MoveSource = 8'hff;       // of a MEM_MOVE and its answer: no port of the crossbar
  localparam int unsigned MoveLinesMost = 1024;    // of a page: 64 KiB
  typedef logic [10:0] move_lines_t;               // 0 to MoveLinesMost

  // A line's share of the checksum of its page, which is the sum of all shares: it depends on what the line holds and
  // on its number, not on when it came.  Two words of a line, or two lines, that change places give another sum; so
  // does a line that comes twice.
  function automatic logic [63:0] rotated(input logic [63:0] word, input logic [5:0] by);
    return word << by | word >> (7'd64 - 7'(by));
  endfunction

  function automatic logic [63:0] checksum_share(input logic [7:0][63:0] data, input logic [9:0] line);
    logic [63:0] sum;
    sum = 64'(line) + 64'd1;
    for (int unsigned w = 0; w < 8; w++) sum = sum ^ rotated(data[w], 6'(8 * w));
    return rotated(sum, line[5:0]);
  endfunction
endpackage
