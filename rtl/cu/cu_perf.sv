// SPDX-License-Identifier: Apache-2.0
// Performance counters of the compute unit: 16 counters of event pulses, read by number one cycle later, and the number of
// instructions issued, which stands at the output while none of them is asked for: read without a clock, it tells whether
// wavefronts get on.
// While disabled it counts nothing and shows where a wavefront is.
// Not responsible for: what counts as an event, what is told of a wavefront (cu_front), names (bridge/verilated/partitions.yaml).
`include "gantry_assert.svh"

module cu_perf #(
  parameter bit [15:0] Instructions = 16'h007b  // events that are instructions, each once
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        en_i,
  input  logic [15:0] events_i,
  input  logic [ 7:0] addr_i,
  input  logic [63:0] where_i,
  output logic [63:0] data_o
);
  // A counter is 16 x (its word + its carry) + its column of the bit planes: most events touch the planes only.  A carry
  // comes every 16 cycles at most, and the words are in turn every 16 cycles, so that one adder and a memory are enough.
  /* verilator lint_off BLKSEQ */
  (* no_rw_check *) logic [59:0] words[16];
  logic [15:0] some;  // the word is not zero: it is in the memory
  logic [15:0] plane[4];
  logic [15:0] carries, carry0, carry1, carry2, carry3;
  logic [3:0] turn, k;
  logic [59:0] high;
  logic [47:0] issued;

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      `GANTRY_CHECKS;
      if (addr_i < 8'd16) begin  // rarely
        k    = addr_i[3:0];
        high = (some[k] ? words[k] : 60'd0) + {59'd0, carries[k]};
        data_o <= {high, plane[3][k], plane[2][k], plane[1][k], plane[0][k]};
      end else data_o <= {16'd0, issued};
      if ((events_i & Instructions) != '0) issued = issued + 48'($countones(events_i & Instructions));
      if (carries[turn]) begin
        words[turn]   <= (some[turn] ? words[turn] : 60'd0) + 60'd1;
        some[turn]    = 1'b1;
        carries[turn] = 1'b0;
      end
      turn     = turn + 4'd1;
      carry0   = plane[0] & events_i;
      carry1   = plane[1] & carry0;
      carry2   = plane[2] & carry1;
      carry3   = plane[3] & carry2;
      plane[0] = plane[0] ^ events_i;
      plane[1] = plane[1] ^ carry0;
      plane[2] = plane[2] ^ carry1;
      plane[3] = plane[3] ^ carry2;
      carries  = carries | carry3;
    end else data_o <= where_i;
    if (!rst_ni) begin
      some    = '0;
      carries = '0;
      turn    = '0;
      issued  = '0;
      for (int unsigned n = 0; n < 4; n++) plane[n] = '0;
    end
  end
  /* verilator lint_on BLKSEQ */

  // ---- assertions
  task automatic check_state();
    // a carry is in its word before the next one comes
    `GANTRY_CHECK(a_carry, (plane[0] & plane[1] & plane[2] & plane[3] & events_i & carries & ~(16'd1 << turn)) == '0)
  endtask
endmodule
