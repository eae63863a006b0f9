// SPDX-License-Identifier: Apache-2.0
// Meter of queues (key metrics.latency): for each the sum of its level over cycles, and the cycles for which it was full.
// Level i is what queue i holds in a cycle, 0 to 65,535.  A sum reaches up to the last change of any level or full bit, so it
// is whole when the queues are empty, and over cycles it is the mean level (S0.21: queue occupancy).
// Responsible for: counting.  Not responsible for: what a queue is.  Works in cycles with a change only, so partitions at rest
// cost nothing, and cycles in which they are not clocked count.  Words (level, full of each queue) are read one after the
// other: `next_i` chooses the word behind that of the cycle before, and without it the first.  For simulation: it multiplies.
`include "gantry_assert.svh"

module level_meter #(
  parameter int unsigned Queues = 3
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic             [63:0] cycle_i,
  input  logic [Queues-1:0][15:0] level_i,
  input  logic [Queues-1:0]       full_i,
  input  logic                    next_i,
  output logic             [63:0] word_o  // behind the edge of next_i
);
  /* verilator lint_off BLKSEQ */
  logic [63:0] held[Queues], full[Queues];
  logic [Queues-1:0][15:0] level;  // since the cycle `since`
  logic [Queues-1:0] fulls;
  logic [63:0] since;
  /* verilator lint_off UNUSEDSIGNAL */  // a word of the simulator: upper bits stay zero
  logic [31:0] pointer;
  /* verilator lint_on UNUSEDSIGNAL */

  always_ff @(posedge clk_i) begin
    if (level_i != level || full_i != fulls || next_i || pointer != 32'd0 || !rst_ni) begin
      if (next_i || pointer != 32'd0) begin
        word_o  <= !next_i || pointer >= 32'd2 * Queues ? 64'd0 : pointer[0] ? full[pointer>>1] : held[pointer>>1];
        pointer = next_i ? pointer + 32'd1 : 32'd0;
      end
      if (level_i != level || full_i != fulls) begin
        `GANTRY_CHECK(a_time, cycle_i >= since)
        for (int unsigned n = 0; n < Queues; n++) begin
          held[n] = held[n] + 64'(level[n]) * (cycle_i - since);
          full[n] = full[n] + (fulls[n] ? cycle_i - since : 64'd0);
        end
        level = level_i;
        fulls = full_i;
        since = cycle_i;
      end
      if (!rst_ni) begin
        held    = '{default: 64'd0};
        full    = '{default: 64'd0};
        level   = '0;
        fulls   = '0;
        since   = cycle_i;
        pointer = 32'd0;
      end
    end
  end
  /* verilator lint_on BLKSEQ */
endmodule
