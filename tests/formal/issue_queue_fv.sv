// SPDX-License-Identifier: Apache-2.0
// Properties of rtl/cu/front/issue_queue with the sender's side as its users have it: a record is pushed when fewer than four
// are inside, counted by what left.  Order and contents of one freely chosen record, nothing lost or twice, a record
// leaves in the cycle after the unit was ready and only then, and idle means that nothing will happen.
`include "gantry_assert.svh"
module issue_queue_fv #(
  parameter int unsigned Width = 2,
  parameter int unsigned CountW = 4  // tells more levels apart than can be
) (
  input logic              clk_i,
  input logic              rst_ni,
  input logic              push_i,
  input logic              ready_i,
  input logic [ Width-1:0] data_i,
  input logic [CountW-1:0] pick_i   // which record is followed: free, but constant
);
  logic push, valid, idle;
  logic [Width-1:0] data;
  logic [CountW-1:0] in_q, out_q, held;
  assign held = in_q - out_q - CountW'(valid);  // valid: out of the queue, on its way into the unit
  assign push   = push_i && held < CountW'(4);
  issue_queue #(.Width(Width)) u_dut (
    .clk_i, .rst_ni, .push_i(push), .data_i, .ready_i, .valid_o(valid), .data_o(data), .idle_o(idle));

  logic started = 1'b0;  // reset in the first cycle, never again
  logic [CountW-1:0] pick_q;
  logic [Width-1:0] word_q;
  logic ready_q, some_q, still_q, full_q;
  always_ff @(posedge clk_i) begin
    started <= 1'b1;
    pick_q  <= pick_i;
    ready_q <= ready_i;
    some_q  <= held != '0;
    still_q <= idle && !push;
    if (push) begin
      in_q <= in_q + 1'b1;
      if (in_q == pick_i) word_q <= data_i;
    end
    if (valid) out_q <= out_q + 1'b1;
    if (held == CountW'(4)) full_q <= 1'b1;
    if (!rst_ni) begin
      in_q    <= '0;
      out_q   <= '0;
      ready_q <= 1'b0;
      still_q <= 1'b0;
      full_q  <= 1'b0;
    end
  end
  always_comb begin : m_reset
    assume (rst_ni == started);
  end
  always_comb begin : m_pick
    if (started) assume (pick_i == pick_q);
  end

  `GANTRY_ASSERT(a_inside, held <= CountW'(4))
  `GANTRY_ASSERT(a_leaves, valid == (ready_q && some_q))
  `GANTRY_ASSERT(a_word, `GANTRY_IMPL(valid && out_q == pick_i, data == word_q))
  `GANTRY_ASSERT(a_idle, `GANTRY_IMPL(still_q, !valid))
  `GANTRY_COVER(c_full_and_empty, full_q && held == '0 && !valid)
endmodule
