// SPDX-License-Identifier: Apache-2.0
// What bounds the streams of an array of ports, as STREAM_BOUND one of a single port: at none of them more than Depth pushes
// without their pops, no pop without its push.  Does nothing in a cycle in which no port moves.  Stands in the sections of
// assertions.  Responsible for: the counts, which are all of it: without assertions it is empty.  Not responsible for: what is
// pushed.
`include "gantry_assert.svh"

module stream_bounds #(
  parameter int unsigned Ports = 1,
  parameter int unsigned Depth = 1
) (
  /* verilator lint_off UNUSEDSIGNAL */  // without assertions
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [Ports-1:0] push_i,
  input  logic [Ports-1:0] pop_i
  /* verilator lint_on UNUSEDSIGNAL */
);
`ifdef GANTRY_NO_ASSERT
`elsif GANTRY_FORMAL  // proofs count on their own
`else
  int unsigned held[Ports];

  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    if (push_i != pop_i) begin
      for (int unsigned n = 0; n < Ports; n++) begin
        if (push_i[n] != pop_i[n]) begin
          `GANTRY_CHECK(a_bound, push_i[n] ? held[n] < Depth : held[n] != 0)
          held[n] = push_i[n] ? held[n] + 1 : held[n] - 1;
        end
      end
    end
    if (!rst_ni) for (int unsigned n = 0; n < Ports; n++) held[n] = 0;
  end
  /* verilator lint_on BLKSEQ */
`endif
endmodule
